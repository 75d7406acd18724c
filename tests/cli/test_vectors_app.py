"""The commands `dv` and `bucket-index`: their help, and how they are called wrongly."""

import pytest

from tests.support.commands import Cli

COMMANDS = [
    *(["dv", name] for name in ("show", "verify", "apply", "merge", "create")),
    *(["bucket-index", name] for name in ("show", "lookup")),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_has_an_example_and_what_a_file_is(command: list[str], cli: Cli) -> None:
    code, out, _ = cli(*command, "--help")
    assert code == 0
    assert f"paimon-ksy {' '.join(command)} " in out  # an example to paste
    assert "--format", "json" in out or command[1] in ("apply", "merge", "create")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["dv"], "Missing command"),
        (["dv", "shwo"], "No such command 'shwo'"),
        (["dv", "show"], "Missing argument"),
        (["dv", "show", "x", "--max-items", "-1"], "--max-items: must be at least 0"),
        (["dv", "create", "x", "--bits", "many"], "--bits: must be a whole number"),
        (["bucket-index", "lookup"], "Missing argument"),
    ],
)
def test_wrong_usage(arguments: list[str], says: str, cli: Cli) -> None:
    code, out, err = cli(*arguments)
    assert code == 2
    assert says in out + err
