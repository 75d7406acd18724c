"""What several commands do: - stands for standard input and output."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paimon_ksy.cli.common import MOST_SCHEMA, schema_document
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.display import display
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from tests.support.commands import process, run_command
from tests.support.examples import ORDERS, TYPES, WORKED, WORKED_DATA, WORKED_SCHEMA


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "-", "-s", TYPES),
        ("eval", "-", "-s", TYPES, "-w", "status = 'PENDING'", "--count"),
        ("dump", "-", "-s", TYPES),
        ("verify", "-", "-s", TYPES),
    ],
    ids=lambda words: str(words[0]),
)
def test_files_from_standard_input(words: tuple[str, ...]) -> None:
    """The answer is the one about the file; where it is printed, so is the name."""
    found = run_command(*words, stdin=ORDERS.read_bytes())
    wanted = run_command(*(ORDERS if word == "-" else word for word in words))
    assert (
        (found.exit_code, found.stderr_bytes) == (0, b"") == (wanted.exit_code, wanted.stderr_bytes)
    )
    named = wanted.stdout_bytes.replace(display(str(ORDERS)).encode(), b"standard input")
    assert found.stdout_bytes in (wanted.stdout_bytes, named)


def test_files_to_standard_output(tmp_path: Path) -> None:
    """Standard output has the file alone, without a summary."""
    built = tmp_path / "x.index"
    build = ("build", WORKED_DATA, "-i", "bitmap:status", "-o")
    assert run_command(*build, built).exit_code == 0
    done = run_command(*build, "-")
    assert (done.stdout_bytes, done.stderr_bytes) == (built.read_bytes(), b"")
    dumped = run_command("dump", WORKED)
    assert run_command("dump", WORKED, "-o", "-").stdout_bytes == dumped.stdout_bytes
    # A pipe is written to, as it cannot be replaced by a file.
    assert process("dump", WORKED, "-o", "/dev/stdout").stdout == dumped.stdout
    assert (
        run_command("assemble", "-", "-o", "-", stdin=dumped.stdout_bytes).stdout_bytes
        == WORKED.read_bytes()
    )
    assert run_command("report", WORKED, "-o", "-").stdout_bytes.startswith(b"<!doctype html>")
    made = tmp_path / "a.dv"
    write_vectors(made, {"": DeletionVector.of([1, 5])})
    live = tmp_path / "live.arrow"
    assert run_command("dv", "apply", made, WORKED_DATA, "-o", live).exit_code == 0


def test_a_schema_from_standard_input() -> None:
    words = ("inspect", WORKED, "--schema-file")
    found = run_command(*words, "-", stdin=Path(WORKED_SCHEMA).read_bytes())
    assert found.stdout_bytes == run_command(*words, WORKED_SCHEMA).stdout_bytes


def test_bytes_do_not_go_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from paimon_ksy.cli.common import new_file

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with pytest.raises(UsageError, match="standard output is a terminal"), new_file("-"):
        pass


def test_a_schema_file_is_not_read_without_end(tmp_path: Path) -> None:
    big = tmp_path / "data.parquet"
    with big.open("wb") as file:
        file.truncate(MOST_SCHEMA + 1)
    with pytest.raises(UsageError, match="not a schema file of Paimon: more than"):
        schema_document(str(big))
    found = run_command("inspect", WORKED, "--schema-file", "-", stdin=bytes(MOST_SCHEMA + 1))
    assert found.exit_code == 2 and b"not a schema file of Paimon: more than" in found.stderr_bytes


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "FILE"),
        ("eval", "FILE", "-s", "a INT", "-w", "a = 1"),
        ("verify", "FILE"),
        ("dump", "FILE"),
        ("report", "FILE"),
        ("webide", "FILE"),
        ("diff", "FILE", "FILE"),
        ("build", "FILE", "-i", "bitmap:a", "-o", "new"),
        ("dv", "show", "FILE"),
        ("dv", "apply", "FILE", "FILE"),
        ("bucket-index", "show", "FILE"),
        ("inspect", WORKED, "--data", "FILE"),
    ],
    ids=lambda words: " ".join(map(str, words[:2])),
)
def test_a_misspelt_file_has_a_suggestion(words: tuple[object, ...], tmp_path: Path) -> None:
    (tmp_path / "strange.index").write_bytes(b"x")
    misspelt = tmp_path / "strnge.index"
    done = run_command(*(misspelt if word == "FILE" else word for word in words))
    assert done.exit_code != 0
    suggestion = f"did you mean '{tmp_path / 'strange.index'}'?"
    assert f"{misspelt}: no such file; {suggestion}" in done.stderr
