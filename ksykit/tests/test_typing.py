"""A checker of types finds what users of a generated package write wrongly, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import ksykit
import pytest
from ksykit.generator.generate import render_all, write_files
from ksykit.generator.load import load_specs

SPEC = """
meta: {id: log, endian: le, encoding: utf-8}
doc: A log. It has entries.
seq:
  - {id: magic, contents: LOG}
  - {id: num_entries, type: u2}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_entries}
  - {id: more, type: u1, if: num_entries > 1}
instances:
  last: {pos: 0, type: entry}
types:
  entry:
    params: [{id: kind, type: u1}]
    seq:
      - {id: at, type: f8}
      - {id: is_late, type: b1}
      - {id: len_text, type: u1}
      - {id: text, type: str, size: len_text}
      - {id: marks, type: u2, repeat: expr, repeat-expr: 2}
"""
USE = """
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.structs import replace
from made_to_type.structs.log import Entry, Log, make_entry, make_log

entry = make_entry(at=1.5, is_late=True, text="late", marks=[1, 2])
log = make_log(entries=[entry, b"raw"], more=3)
data: bytes = to_bytes(log)
read = Log.from_bytes(data)
count: int = read.num_entries
first: Entry = read.entries[0]
text: str = first.text.upper()
mark: int = first.marks[0] + 1
more: int = 0 if read.more is None else read.more
entry.text = None  # a writer computes it, or says that it cannot
other: Log = replace(read, more=4)
packed: bytes = Entry.pack_field("at", 1.0)
make_entry(tex="late")  # wrong: no such field
make_entry(text=1)  # wrong
make_entry("late")  # wrong: by name only
make_log(entries=entry)  # wrong: not a repeat
make_log(entries=[log])  # wrong: another type
first.text + 1  # wrong
first.txt  # wrong
read.more + 1  # wrong: it may not exist
entry.at = "now"  # wrong
wanted: str = read.entries  # wrong
read.entries.at  # wrong: of one of them
Log.from_bytes("LOG")  # wrong: not bytes
"""


def test_a_checker_finds_what_is_wrong_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "log.ksy").write_text(SPEC.replace("type: entry", "type: entry(1)"))
    write_files(render_all(load_specs(tmp_path / "log.ksy")), tmp_path / "made_to_type")
    (tmp_path / "use.py").write_text(USE)
    arguments = ["--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mypy", *arguments, "--config-file", os.devnull, "use.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": f"{tmp_path}:{Path(ksykit.__file__).parents[1]}"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if ": error: " in line]
    found = {int(line.split(":")[1]) for line in lines if line.startswith("use.py:")}
    wanted = {at for at, line in enumerate(USE.splitlines(), 1) if "# wrong" in line}
    assert found == wanted, done.stdout + done.stderr
    others = [line for line in lines if line.startswith("made_to_type")]
    assert not others, others
