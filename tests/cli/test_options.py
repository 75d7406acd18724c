"""Options: one meaning each over all commands; groups, help."""

import os
import re

import pytest

from paimon_ksy.cli.options import SETTINGS, Settings
from tests.support.commands import Cli, options, process
from tests.support.examples import WORKED


def test_each_flag_has_one_meaning() -> None:
    """The forms of --format alone differ: rows come in some that other answers do not have."""
    found: dict[str, dict[str, list[str]]] = {}
    forms = set()
    for flags, words, meaning in options():
        if flags == "--format, -f":
            forms |= set(re.findall(r"<[a-z|]+>", meaning))
            meaning = re.sub(r"<[a-z|]+>", "", meaning)
        for flag in flags.split(", "):
            found.setdefault(flag, {}).setdefault(meaning, []).append(words)
    assert {flag: uses for flag, uses in found.items() if len(uses) > 1} == {}
    assert {"--schema", "-s", "--where", "-w", "--yes", "-y", "--format", "-f"} <= found.keys()
    assert forms == {"<text|json>", "<table|json|csv|markdown|parquet|arrow>"}


def test_wrong_values_are_errors_that_name_the_option(cli: Cli) -> None:
    """Each option with choices, or with a number."""
    asked = 0
    for flags, words, meaning in options():
        flag = flags.split(", ")[0]
        wrong = ["yaml"] if re.search(r"[<\[][a-z]+\|", meaning) else []
        if re.search(rf"{flag} <?(N|N M|FILES|INTEGER)\b", meaning):
            wrong = ["abc"] if flag in ("--snapshot", "--snapshots", "--bits") else ["abc", "-3"]
        for value in wrong:
            values = [value, "1"] if flag == "--snapshots" else [value]
            code, out, err = cli(*words.split(), flag, *values)
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert flag in err and "--help'" in err, (words, err)
            asked += 1
    assert asked > 60
    extra = cli("table", "count", "a", "b", "c")[2]
    assert "(b c); see 'paimon-ksy table count --help'\n" in extra


@pytest.mark.parametrize("words", [["--version"], ["-V"]])
def test_version(words: list[str], cli: Cli) -> None:
    code, out, _ = cli(*words)
    assert code == 0 and out.startswith("paimon-ksy ")


def test_quiet_leaves_the_answer(path: str, cli: Cli) -> None:
    """Before or after the name of the command."""
    query = ("table", "query", path, "--where", "id = 1009", "--stats")
    _, answer, note = cli(*query)
    assert "data files read" in note
    assert cli(*query, "-q") == cli("--quiet", *query) == (0, answer, "")
    assert cli(*query)[2] != ""


def test_quiet_keeps_errors(cli: Cli) -> None:
    assert cli("inspect", "/no/such", "-q")[2].startswith("paimon-ksy: /no/such: no such file")


@pytest.mark.parametrize(
    ("words", "environment", "colored"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--color", "auto"], {"FORCE_COLOR": "1"}, True),
        (["--color", "auto"], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_color(words: list[str], environment: dict[str, str], colored: bool) -> None:
    """The flag wins over the environment."""
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    out = process("inspect", WORKED, *words, env={**clean, "TERM": "xterm", **environment}).stdout
    assert ("\x1b[" in out) == colored


def test_completion_of_a_shell(cli: Cli) -> None:
    """The shell asks for what may follow."""
    asked = {"_PAIMON_KSY_COMPLETE": "complete_bash", "COMP_WORDS": "paimon-ksy table qu"}
    done = process(env={**os.environ, **asked, "COMP_CWORD": "2"})
    assert done.stdout.split() == ["query"]
    assert "--install-completion" in cli("--help")[1]


def test_debug_shows_the_traceback(cli: Cli) -> None:
    for arguments in (["--debug", "inspect", "/no/such"], ["inspect", "/no/such", "--debug"]):
        code, _, err = cli(*arguments)
        assert code == 1
        assert "Traceback" in err
    assert "Traceback" not in cli("inspect", "/no/such")[2]


@pytest.mark.parametrize("age", ["9" * 20 + "d", "9" * 5000 + "s"])
def test_a_long_number_is_not_repeated(age: str, path: str, cli: Cli) -> None:
    code, out, err = cli("table", "clean-orphans", path, "--older-than", age)
    assert (code, out, len(err) < 120) == (2, "", True)


def test_options_end_with_the_run(cli: Cli) -> None:
    assert cli("--debug", "-q", "--color", "never", "inspect", WORKED, "-f", "json")[0] == 0
    where = ("-s", "status STRING", "-w", "status = 'x'", "--time-zone", "+02:00")
    assert cli("eval", WORKED, *where)[0] == 0
    assert cli("inspect", WORKED)[0] == 0
    assert SETTINGS.get() == Settings()
