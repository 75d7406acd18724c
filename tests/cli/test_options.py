"""What commands share before they run: help, groups, --debug."""

import os
import re

import pytest

from tests.support.commands import Cli, process


def test_debug_shows_the_traceback(cli: Cli) -> None:
    for arguments in (["--debug", "inspect", "/no/such"], ["inspect", "/no/such", "--debug"]):
        code, _, err = cli(*arguments)
        assert code == 1
        assert "Traceback" in err
    assert "Traceback" not in cli("inspect", "/no/such")[2]


def test_help_on_a_narrow_terminal_has_no_frames() -> None:
    """They would cut the names of options."""
    for width, framed in ((60, False), (100, True)):
        options = {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": str(width)}
        out = process("table", "query", "--help", env={**os.environ, **options}).stdout
        out = re.sub(r"\x1b\[[0-9;]*m", "", out)
        assert ("╭" in out) == framed
        assert "--order-by" in out and "--snapshot" in out and "…" not in out
        assert max(map(len, out.splitlines())) <= width


@pytest.mark.parametrize("group", [[], ["dv"], ["bucket-index"], ["table"]])
def test_lists_of_commands_have_whole_sentences(group: list[str], cli: Cli) -> None:
    _, out, _ = cli(*group, "--help")
    listed = out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert listed
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []
