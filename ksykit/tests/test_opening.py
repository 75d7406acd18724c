"""Files are opened by a spec alone: no package is generated on disk."""

from __future__ import annotations

import importlib
import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import ksykit
import pytest
from ksykit.generator.generate import write_files
from ksykit.generator.load import load_specs
from ksykit.generator.render import render_ours
from ksykit.generator.spec import SpecError
from ksykit.io import open_source
from ksykit.opening import Dataset, FileError, Opened, leaves, loaded
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import parts_from_json, to_bytes
from ksykit.runtime.types import type_named

from kit_support.agreement import check_struct, judge_of, parse
from kit_support.bounds import bounded
from kit_support.compiled import generated

SPEC = """\
meta: {id: album, endian: be}
seq:
  - {id: magic, contents: ALBM}
  - {id: genre, type: u1, enum: genre}
  - {id: num_tracks, type: u2}
  - {id: tracks, type: track, repeat: expr, repeat-expr: num_tracks}
  - {id: last, size: 'tracks.size > 0 ? tracks[0].len : 0'}
instances:
  first: {pos: 7, type: track, if: num_tracks > 0}
  at_end: {pos: _io.size - 1, type: u1}
types:
  track:
    seq:
      - {id: year, type: u2, valid: {min: 1900}}
      - {id: len, type: u1}
  bare:
    params: [{id: many, type: u1}]
    seq:
      - {id: numbers, type: u1, repeat: expr, repeat-expr: many}
enums:
  genre: {1: rock, 2: pop}
"""
DATA = b"ALBM\2\0\2\x07\xc1\2\x07\xcf\1xy"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "album.ksy"
    path.write_text(SPEC)
    return path


def opened(data: Any, spec: Any, **options: Any) -> Opened:
    found = ksykit.open(data, spec, **options)
    assert isinstance(found, Opened)
    return found


def test_root_is_what_the_parser_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generated({"album": SPEC}, tmp_path, "album_made", monkeypatch)
    type_, path = type_named("album_made", "album"), tmp_path / "specs" / "album.ksy"
    track = type_named("album_made", "track").cls
    made = type_.cls(genre=2, tracks=[track(year=1985, len=2), track(year=1999, len=1)], last=b"xy")
    assert to_bytes(made) == DATA
    (tmp_path / "x.album").write_bytes(DATA)
    for file in (DATA, tmp_path / "x.album", str(tmp_path / "x.album"), io.BytesIO(DATA)):
        for by in (path, str(path), importlib.import_module("album_made.structs.album").Album):
            with opened(file, by) as one:
                check_struct(one.root, parse(type_, DATA, {}))
                assert judge_of(type_).from_bytes(DATA).genre.name == one.root.genre.name
                assert one.root.tracks[-1].year == 1999
    one = opened(DATA, importlib.import_module("album_made"), type="album")
    assert parts_from_json(one.json(), lambda name: type_named(one.type.package, name)) == DATA
    assert sorted((leaf.start, leaf.end, leaf.path) for leaf in one.map()) == [
        (0, 4, "magic"), (4, 5, "genre"), (5, 7, "num_tracks"),
        (7, 9, "first.year"), (7, 9, "tracks[0].year"), (9, 10, "first.len"),
        (9, 10, "tracks[0].len"), (10, 12, "tracks[1].year"), (12, 13, "tracks[1].len"),
        (13, 15, "last"), (14, 15, "at_end"),
    ]  # fmt: skip


MANY = """\
meta: {id: many, endian: le}
seq:
  - {id: num, type: u4}
  - {id: pairs, type: pair, repeat: expr, repeat-expr: num}
  - {id: numbers, type: u2, enum: kind, repeat: expr, repeat-expr: num}
  - {id: first, type: u1, valid: {min: 'pairs[3].y'}}
enums: {kind: {7: seven}}
types:
  pair: {seq: [{id: x, type: u1, valid: {max: 9}}, {id: y, type: u1}]}
"""


def test_a_part_of_a_map_reads_only_that_part(tmp_path: Path) -> None:
    (tmp_path / "many.ksy").write_text(MANY)
    type_, many = loaded(tmp_path / "many.ksy"), 1_000_000
    data = many.to_bytes(4, "little") + bytes([1, 2]) * many + bytes([7, 0]) * many + b"\2"
    (tmp_path / "x").write_bytes(data)
    middle = 4 + 2 * many
    with open_source(tmp_path / "x") as source:
        found = leaves(source, type_, {}, middle - 3, middle + 3)
        assert [(one.start, one.end, one.path, one.value) for one in found] == [
            (middle - 3, middle - 2, f"pairs[{many - 2}].y", 2),
            (middle - 2, middle - 1, f"pairs[{many - 1}].x", 1),
            (middle - 1, middle, f"pairs[{many - 1}].y", 2),
            (middle, middle + 2, "numbers[0]", found[3].value),
            (middle + 2, middle + 4, "numbers[1]", found[3].value),
        ]
        assert found[3].value.name == "seven" and source.bytes_read < 100_000
    for bad, place in ((middle - 2, "pairs[999999].x"), (4, "pairs[0].x")):
        (tmp_path / "x").write_bytes(data[:bad] + b"\x0a" + data[bad + 1 :])
        with open_source(tmp_path / "x") as source, pytest.raises(FileError) as caught:
            leaves(source, type_, {}, bad, bad + 1)
        assert str(caught.value).startswith(f"{source.name}: byte {bad}: {place}")


@pytest.mark.parametrize("order", ["be", "le"])
def test_a_map_has_all_bits_of_a_byte(order: str, tmp_path: Path) -> None:
    path = tmp_path / "bits.ksy"
    path.write_text(
        f"meta: {{id: bits, endian: be, bit-endian: {order}}}\nseq:\n"
        "  - {id: rows, type: row, repeat: expr, repeat-expr: 2}\n  - {id: tail, type: b3}\n"
        "  - {id: flags, type: b1, repeat: expr, repeat-expr: 13}\n  - {id: end, type: b7}\n"
        "types:\n  row: {seq: [{id: a, type: b4}, {id: b, type: b12}, {id: c, type: u1}]}\n"
    )
    with opened(bytes(range(9)), path) as one:
        found = [(leaf.path, leaf.start, leaf.end) for leaf in one.map()]
    assert found == [
        *[
            (f"rows[{i}].{n}", 3 * i + at, 3 * i + end)
            for i in (0, 1)
            for n, at, end in ROW_OF_BITS
        ],
        ("tail", 6, 7),
        *[(f"flags[{i}]", 6 + (i > 4), 7 + (i > 4)) for i in range(13)],
        ("end", 8, 9),
    ]


ROW_OF_BITS = [("a", 0, 1), ("b", 0, 2), ("c", 2, 3)]


def test_texts_show_what_is_there(spec: Path) -> None:
    one = opened(DATA, spec)
    assert repr(one) == "<<bytes>: album, 15 bytes>"
    lines = one.tree().splitlines()
    assert lines[:7] == [
        "album",
        "  magic = b'ALBM'",
        "  genre = pop (2)",
        "  num_tracks = 2",
        "  tracks: 2 elements",
        "    [0]: track",
        "      year = 1985",
    ]
    assert "  at_end = 121" in lines and "    year = 1985" in lines
    assert len(one.tree(0).splitlines()) == 8 and "[0]" not in one.tree(0)
    empty = opened(b"ALBM\x09\0\0", spec)
    assert empty.tables == {"tracks": 0} and "  genre = 9" in empty.tree()
    assert "tracks: 0 elements" in empty.tree()


def test_what_is_wrong_is_named(spec: Path, tmp_path: Path) -> None:
    for end in range(len(DATA)):
        with pytest.raises(FormatError, match="byte"):
            opened(DATA[:end], spec)
    path = tmp_path / os.fsdecode(b"bad\x1b[2J\xff\n.album")
    path.write_bytes(DATA.replace(b"\x07\xcf", b"\0\1"))
    with pytest.raises(FileError) as caught:
        opened(path, spec)
    copy = pickle.loads(pickle.dumps(caught.value))
    for error in (caught.value, copy):
        assert (error.file, error.offset, error.field) == (str(path), 10, "tracks[1].year")
    with pytest.raises(SpecError, match="does not exist"):
        opened(DATA, tmp_path / "none.ksy")
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "none", spec)
    with pytest.raises(FormatError, match="no type 'none'"):
        opened(DATA, spec, type="none")
    with pytest.raises(TypeError, match="bare needs the parameter many"):
        opened(DATA, spec, type="bare")
    assert opened(b"abc", spec, type="bare", params={"many": 3}).root.numbers[2] == 99


def test_only_what_is_needed_is_read(tmp_path: Path) -> None:
    text = "meta: {id: far}\nseq: [{id: at, type: u4be}]\n"
    (tmp_path / "far.ksy").write_text(f"{text}instances: {{x: {{pos: at, type: u1}}}}\n")
    with (tmp_path / "far").open("wb") as file:
        file.write((1 << 31).to_bytes(4, "big"))
        file.seek(1 << 31)
        file.write(b"\7")
    with bounded(1.0, 2300), opened(tmp_path / "far", tmp_path / "far.ksy") as one:
        assert one.root.x == 7 and one.source.bytes_read < 1 << 20


def test_specs_with_one_content_share_a_package(spec: Path, tmp_path: Path) -> None:
    one, other = opened(DATA, spec), opened(DATA, spec)
    assert one.type is other.type and one.type.package in sys.modules
    spec.write_text(SPEC.replace("pop", "jazz"))
    changed = opened(DATA, spec)
    assert changed.root.genre.name == "jazz" and one.root.genre.name == "pop"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("_ksykit_none")


def test_texts_of_specs_do_not_run(tmp_path: Path) -> None:
    evil = '"""\\n\' + __import__("os").system("touch run") + \'{{ 7 * 7 }}'
    evil = json.dumps(evil)
    text = f"meta: {{id: evil, title: {evil}}}\ndoc: {evil}\n"
    text += f"seq: [{{id: x, type: u1, doc: {evil}}}]\n"
    (tmp_path / "evil.ksy").write_text(text)
    assert opened(b"\1", tmp_path / "evil.ksy").root.x == 1
    assert not Path("run").exists()


def test_files_differ_only_in_form(spec: Path, tmp_path: Path) -> None:
    specs = load_specs(spec)
    for name, is_tidy in (("tidy", True), ("plain", False)):
        write_files(render_ours(specs, [], is_tidy=is_tidy), tmp_path / name)
    trees = []
    for name in ("tidy", "plain"):
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import ksykit, {name}\n"
        code += f"print(ksykit.open({DATA!r}, {name}, type='album').tree())"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        trees.append(done.stdout)
    assert trees[0] == trees[1] == opened(DATA, spec).tree() + "\n"


def test_the_package_is_cheap_to_import() -> None:
    code = (
        "import sys, ksykit; print(*({'numpy', 'kaitaistruct', 'ksykit.opening'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
    with pytest.raises(AttributeError):
        _ = ksykit.none


def test_pipes_and_hidden_files_are_left_out(spec: Path, tmp_path: Path) -> None:
    folder = tmp_path / "[day]"
    folder.mkdir()
    for name in ("b.album", "a.album", ".hidden"):
        (folder / name).write_bytes(DATA)
    os.mkfifo(folder / "pipe")
    one = ksykit.open(folder, spec)
    assert isinstance(one, Dataset) and [Path(x).name for x in one.files] == ["a.album", "b.album"]
    assert isinstance(ksykit.open(folder / "a.album", spec), Opened)
    listed = ksykit.open([folder / "a.album", folder / "pipe"], spec)
    assert isinstance(listed, Dataset)
    with pytest.raises(FormatError, match="pipe: it is a named pipe"):
        _ = listed.tables
