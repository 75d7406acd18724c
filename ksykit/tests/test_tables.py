"""Tables of repeats have what Kaitai's parser reads, as columns and as objects."""

from __future__ import annotations

import json
import math
from enum import IntEnum
from pathlib import Path
from typing import Any

import ksykit
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from kaitaistruct import KaitaiStruct
from ksykit.opening import Dataset, FileError, Opened
from ksykit.runtime.errors import FormatError
from ksykit.runtime.flat import Rows
from ksykit.runtime.objects import gaps, to_bytes
from ksykit.runtime.types import type_named
from ksykit.testing.strategies import encoded

from kit_support.agreement import parse
from kit_support.bounds import bounded
from kit_support.compiled import generated
from kit_support.examples import examples

SPEC = """\
meta: {id: mixed, endian: le, bit-endian: be, encoding: UTF-8}
seq:
  - {id: magic, contents: MIXD}
  - {id: num, type: u1}
  - {id: flats, type: flat, repeat: expr, repeat-expr: num}
  - {id: num_texts, type: u1}
  - {id: texts, type: text, repeat: expr, repeat-expr: num_texts}
  - {id: num_shapes, type: u1}
  - {id: shapes, type: shape, repeat: expr, repeat-expr: num_shapes}
  - {id: numbers, type: u8, repeat: expr, repeat-expr: num}
  - {id: colors, type: u2be, enum: color, repeat: expr, repeat-expr: num}
  - {id: names, type: strz, repeat: expr, repeat-expr: num_texts}
  - {id: flags, type: b1, repeat: expr, repeat-expr: 8 * num}
  - {id: num_choices, type: u1}
  - {id: choices, type: choice, repeat: expr, repeat-expr: num_choices}
  - {id: block, type: block}
enums:
  color: {1: red, 2: green, 300: blue}
types:
  flat:
    seq:
      - {id: mark, contents: [7, 9]}
      - {id: unsigned, type: u8}
      - {id: signed, type: s2be}
      - {id: single, type: f4}
      - {id: double, type: f8be}
      - {id: kind, type: b3, enum: color}
      - {id: is_set, type: b1}
      - {id: wide, type: b12}
      - {id: point, type: point}
      - {id: raw, size: 3}
      - {id: label, type: str, size: 4, pad-right: 0, encoding: ASCII}
      - {id: checked, type: u1, valid: {min: 1, max: 100}}
      - {id: color, type: u1, enum: color}
  point:
    seq:
      - {id: x, type: s1}
      - {id: y, type: u4be}
  text:
    seq:
      - {id: weight, type: f4}
      - {id: len_text, type: u2}
      - {id: text, size: len_text}
      - {id: after, type: s8}
  shape:
    seq:
      - {id: num_points, type: u1}
      - {id: points, type: point, repeat: expr, repeat-expr: num_points}
      - {id: has_more, type: u1}
      - {id: more, type: u2, repeat: expr, repeat-expr: 2, if: has_more > 99}
      - {id: center, type: point, if: has_more > 9}
  choice:
    seq:
      - {id: tag, type: u1}
      - id: body
        type: {switch-on: tag % 4, cases: {0: point, 1: u4, 2: text, _: color_box}}
  color_box:
    seq:
      - {id: color, type: u1, enum: color}
  block:
    seq:
      - {id: len, type: u1}
      - {id: inner, type: inner, size: len * 5}
  inner:
    seq:
      - {id: points, type: point, repeat: eos}
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder of the spec, whose type is in a generated package with Kaitai's parser."""
    folder = tmp_path_factory.mktemp("mixed")
    with pytest.MonkeyPatch.context() as patch:
        generated({"mixed": SPEC}, folder, "mixed_made", patch)
        yield folder / "specs" / "mixed.ksy", type_named("mixed_made", "mixed")


def plain(value: Any, type_: pa.DataType) -> Any:
    """What a table should have for a value of Kaitai's."""
    if value is None:
        return None
    if pa.types.is_list(type_):
        return [plain(each, type_.value_type) for each in value]
    if pa.types.is_dictionary(type_):
        return value.name if isinstance(value, IntEnum) else str(value)
    if not pa.types.is_struct(type_):
        return float(np.float32(value)) if pa.types.is_float32(type_) else value
    names = [field.name for field in type_]
    if {"point", "u4"} <= {*names}:  # a switch
        name = "u4" if isinstance(value, int) else type(value).__name__.lower()
        name = {"colorbox": "color_box"}.get(name, name)
        return {f.name: plain(value, f.type) if f.name == name else None for f in type_}
    return {field.name: plain(getattr(value, field.name, None), field.type) for field in type_}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)


def check(opened: Any, parsed: KaitaiStruct) -> None:
    for path, rows in opened.tables.items():
        table, found = opened.table(path), parsed
        for name in path.split("."):
            found = getattr(found, name)
        assert len(table) == rows == len(found)
        is_object = table.column_names != ["value"]
        names = table.column_names
        for row, one in zip(table.to_pylist(), found, strict=True):
            wanted = {
                name: plain(getattr(one, name, None) if is_object else one, table[name].type)
                for name in names
            }
            assert same(row, wanted), (path, row, wanted)


def test_tables_are_what_the_parser_reads(mixed: Any) -> None:
    spec, type_ = mixed
    paths = ["flats", "texts", "shapes", "numbers", "colors", "names", "flags", "choices"]
    paths.append("block.inner.points")

    @examples(60)
    @given(encoded(type_))
    def drawn(data: bytes) -> None:
        opened = ksykit.open(data, spec)
        assert isinstance(opened, Opened) and [*opened.tables] == paths
        check(opened, parse(type_, data, {}))
        assert to_bytes(opened.root, gaps(opened.root, data)) == data

    drawn()


def test_types_are_those_of_the_fields(mixed: Any) -> None:
    spec, type_ = mixed
    flat = dict.fromkeys(("unsigned", "signed", "single", "double", "kind", "is_set", "wide"), 1)
    flat |= {"point": type_named("mixed_made", "point").cls(x=-1, y=2), "raw": b"abc"}  # type: ignore[dict-item]
    flat |= {"label": "hi", "checked": 5, "color": 2, "is_set": True}  # type: ignore[dict-item]
    one = type_named("mixed_made", "flat").cls(**flat | {"unsigned": 2**64 - 1})
    empty = dict.fromkeys(("texts", "shapes", "names", "choices"), ())
    block = type_named("mixed_made", "block").cls(
        inner=type_named("mixed_made", "inner").cls(points=[])
    )
    for many in (0, 1, 100):
        numbers = {
            "numbers": [2**64 - 1] * many,
            "colors": [300] * many,
            "flags": [True] * 8 * many,
        }
        made = type_.cls(flats=[one] * many, block=block, **empty, **numbers)
        opened = ksykit.open(to_bytes(made), spec)
        assert isinstance(opened, Opened) and isinstance(opened.root.flats, Rows)
        table = opened.table("flats")
        types = {name: str(table[name].type) for name in table.column_names}
        names = "dictionary<values=string, indices=int32, ordered=0>"
        assert types == {
            "mark": "binary", "unsigned": "uint64", "signed": "int16", "single": "float",
            "double": "double", "kind": names, "is_set": "bool", "wide": "uint16",
            "point": "struct<x: int8, y: uint32>", "raw": "binary", "label": "string",
            "checked": "uint8", "color": names,
        }  # fmt: skip
        assert table["unsigned"].to_pylist() == [2**64 - 1] * many
        assert opened.table("numbers")["value"].to_pylist() == [2**64 - 1] * many
        assert opened.table("colors")["value"].to_pylist() == ["blue"] * many
        assert table["color"].to_pylist() == ["green"] * many
        shapes = opened.table("shapes", ["more", "points"])
        assert shapes.column_names == ["more", "points"] and len(shapes) == 0
        check(opened, parse(type_, to_bytes(made), {}))


READINGS = """\
meta: {id: readings, endian: le}
seq:
  - {id: num, type: u4}
  - {id: readings, type: reading, repeat: expr, repeat-expr: num}
types:
  reading:
    seq:
      - {id: sensor, type: u2, valid: {max: 999}}
      - {id: file, type: u8}
      - {id: state, type: u1, enum: state}
    enums: {state: {0: ok, 1: warn}}
"""
RECORD = np.dtype([("sensor", "<u2"), ("file", "<u8"), ("state", "u1")])


def readings(many: int) -> bytes:
    made = np.zeros(many, RECORD)
    made["sensor"], made["file"] = np.arange(many) % 1000, 2**64 - 1 - np.arange(many).astype("u8")
    made["state"] = np.arange(many) % 3
    return many.to_bytes(4, "little") + made.tobytes()


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "readings.ksy"
    path.write_text(READINGS)
    return path


def test_a_million_rows_take_no_objects(spec: Path, tmp_path: Path) -> None:
    data = readings(1_000_000)
    (tmp_path / "one.bin").write_bytes(data)
    ksykit.open(readings(3), spec).table("readings")  # imports
    with bounded(2.0, 400), ksykit.open(tmp_path / "one.bin", spec) as opened:  # type: ignore[union-attr]
        table = opened.table("readings")
        assert opened.root.readings[-1].sensor == 999
    stored = np.frombuffer(data, RECORD, offset=4)
    for name in ("sensor", "file"):
        assert (table[name].to_numpy() == stored[name]).all()
    assert table["state"].slice(0, 3).to_pylist() == ["ok", "warn", "2"]


@pytest.mark.parametrize("many", [1, 7, 5000])
def test_what_is_wrong_has_file_field_and_byte(many: int, spec: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.bin"
    for at in {0, many // 2, many - 1}:
        start = 4 + RECORD.itemsize * at
        data = bytearray(readings(many))
        data[start : start + 2] = b"\xff\xff"
        path.write_bytes(data)
        with pytest.raises(FileError) as caught:
            ksykit.open(path, spec)
        error = caught.value
        assert (error.file, error.offset) == (str(path), start)
        assert error.field == f"readings[{at}].sensor" and "65535" in error.message
        assert str(error).startswith(f"{path}: byte {start}: readings[{at}].sensor: ")
        path.write_bytes(readings(many)[: start + 5])
        with pytest.raises(FormatError, match=rf"byte {start + 2}: readings\[{at}\].file: "):
            ksykit.open(path, spec)


def test_files_are_one_table(spec: Path, tmp_path: Path) -> None:
    folder = tmp_path / "day"
    folder.mkdir()
    for i, many in enumerate((3, 0, 2, 1)):
        (folder / f"{i}.bin").write_bytes(readings(many))
    for files in (folder, folder / "*.bin", [folder / f"{i}.bin" for i in range(4)]):
        opened = ksykit.open(files, spec)
        assert isinstance(opened, Dataset)
        assert opened.tables == {"readings": 6}
        table = opened.table("readings", ["file", "state"])
        assert table.column_names == ["_file", "file", "state"]
        names = [f"{folder}/{i}.bin" for i in (0, 0, 0, 2, 2, 3)]
        assert table["_file"].to_pylist() == names
        assert table["state"].to_pylist() == ["ok", "warn", "2", "ok", "warn", "ok"]
    assert isinstance(opened, Dataset)
    assert opened.table("readings", ["state"]).column_names == ["file", "state"]
    (folder / "1.bin").write_bytes(readings(9)[:-1])
    with pytest.raises(FileError, match=r"1\.bin: byte "):
        opened.table("readings")
    table = opened.table("readings", errors="collect")
    assert table["_file"].to_pylist() == names
    [error] = opened.errors
    assert error.file == f"{folder}/1.bin" and error.field == "readings[8].state"
    (folder / "1.bin").unlink()
    assert len(opened.table("readings", errors="collect")) == 6 and len(opened.errors) == 1
    with pytest.raises(FileNotFoundError):
        opened.table("readings")
    with pytest.raises(FileNotFoundError, match="no files"):
        ksykit.open(folder / "*.none", spec)
    with pytest.raises(ValueError, match="readings has no column none; it has sensor"):
        opened.table("readings", ["none"])
    with pytest.raises(ValueError, match="no table none; there are readings"):
        opened.table("none")


NESTED = """\
meta: {id: nested, endian: le}
seq:
  - {id: node, type: node}
  - {id: nodes, type: node, repeat: expr, repeat-expr: 2}
types:
  node:
    seq:
      - {id: value, type: u1}
      - {id: num, type: u1}
      - {id: nodes, type: node, repeat: expr, repeat-expr: num}
instances:
  late: {pos: 0, type: u1, repeat: expr, repeat-expr: 3}
  far: {pos: 1000, type: u1, repeat: expr, repeat-expr: 3}
"""


def test_types_in_themselves_are_json(tmp_path: Path) -> None:
    (tmp_path / "nested.ksy").write_text(NESTED)
    opened = ksykit.open(b"\1\0\2\1\3\0\4\0", tmp_path / "nested.ksy")
    assert isinstance(opened, Opened)
    with pytest.raises(FormatError, match=r"byte 1000: far\[0\]: "):
        _ = opened.tables
    assert opened.table("late")["value"].to_pylist() == [1, 0, 2]
    with pytest.raises(ValueError, match=r"several tables nodes; there are nodes|no table"):
        opened.table("none")
    table = opened.table("nodes")
    [child] = table["nodes"].to_pylist()[0]
    assert json.loads(child) == {"value": 3, "num": 0, "nodes": []}
    deep = b"\1\1" * 3000 + b"\1\0"
    with pytest.raises(FormatError, match="nested too deeply"):
        ksykit.open(deep + b"\1\0" * 2, tmp_path / "nested.ksy")


def test_types_that_double_are_bounded(tmp_path: Path) -> None:
    types = "".join(
        f"  t{i}: {{seq: [{{id: n, type: u1}}, {{id: a, type: {{switch-on: n, cases: "
        f"{{0: t{i + 1}}}}}}}, {{id: b, type: {{switch-on: n, cases: {{0: t{i + 1}}}}}}}]}}\n"
        for i in range(18)
    )
    text = "meta: {id: double}\nseq: [{id: num, type: u1}, "
    text += "{id: many, type: t0, repeat: expr, repeat-expr: num}]\ntypes:\n"
    (tmp_path / "double.ksy").write_text(f"{text}{types}  t18: {{seq: [{{id: x, type: u1}}]}}\n")
    with bounded(20.0, 400):
        opened = ksykit.open(b"\0", tmp_path / "double.ksy")
        assert isinstance(opened, Opened) and opened.tables == {"many": 0}
        with pytest.raises(ValueError, match="more than 10,000 objects"):
            opened.table("many")
