"""What is written to terminals and to pipes."""

import os
from pathlib import Path

from tests.golden import golden_index
from tests.support.commands import Cli, on_terminal, process
from tests.support.examples import TYPES, WORKED, write


def test_names_cannot_write_to_the_terminal(cli: Cli, tmp_path: Path) -> None:
    data = golden_index("c_one_column").data
    name = golden_index("c_one_column").columns[0]["name"].encode()
    evil = b"\x1b"
    assert len(name) == len(evil)
    path = write(tmp_path, data.replace(b"\x00\x01" + name, b"\x00\x01" + evil))
    code, out, err = cli("inspect", path, "--hex")
    assert code == 0
    assert "\x1b" not in out + err
    assert "\\x1b" in out


def test_pipes_get_plain_text() -> None:
    done = process("inspect", WORKED, "-s", TYPES, "--hex")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()


def test_terminals_get_colours_and_lines() -> None:
    shown = on_terminal("inspect", WORKED, "-s", TYPES)
    assert "\x1b[" in shown
    assert "├── " in shown
    plain = on_terminal("inspect", WORKED, "-s", TYPES, NO_COLOR="1")
    assert "\x1b[" not in plain
    assert "├── " in plain
    assert "╭" in on_terminal("--help")


def test_output_in_ascii(tmp_path: Path) -> None:
    path = write(tmp_path, golden_index("c_names_mutf8").data)
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = process("inspect", path, env=env)
    assert done.returncode == 0
    assert "\\xe9t\\xe9" in done.stdout
