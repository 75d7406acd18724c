"""Forms of specs that others have, read and written beside Kaitai's reader."""

import importlib
from pathlib import Path

import pytest
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import from_json, gaps, to_bytes, to_json

from kit_support.agreement import check_readers
from kit_support.compiled import generated

ORDERS = """
meta: {id: orders, encoding: utf-8}
seq:
  - {id: mark, size: 2}
  - {id: body, type: body}
types:
  body:
    meta:
      endian: {switch-on: _root.mark, cases: {'[0x49, 0x49]': le, '[0x4d, 0x4d]': be}}
    seq:
      - {id: kind, type: u2, enum: kind, valid: {in-enum: true}}
      - {id: count, type: u2}
      - {id: items, type: item, repeat: expr, repeat-expr: count}
      - {id: reals, type: f4, repeat: expr, repeat-expr: 2}
    enums: {kind: {1: one, 258: many}}
    types:
      item:
        seq: [{id: number, type: s4, valid: {max: 1000}}, {id: fixed, type: u2be}]
"""
NAMES = """
meta: {id: names, endian: le, encoding: ascii}
seq:
  - {id: a, type: a}
  - {id: b, type: b}
  - {id: c, type: 'b::part'}
types:
  a:
    seq: [{id: part, type: part}]
    types: {part: {seq: [{id: x, type: u1}]}}
  b:
    seq: [{id: part, type: part}]
    types: {part: {seq: [{id: y, type: u2}]}}
"""
TEXTS = """
meta: {id: texts, encoding: ascii}
seq:
  - {id: raw, size: 4}
  - {id: name, type: strz, valid: {expr: '_.length > 1 and _.substring(0, 1) != "."'}}
  - {id: more, type: u1, if: word == "PLAY"}
instances:
  word: {value: raw.to_s("ASCII")}
  tail: {value: 'name.substring(1, name.length)'}
"""
FILES = {
    "orders": [
        (b"II\x01\0\2\0" + b"\1\0\0\0\0\7\xff\xff\xff\xff\0\x08" + b"\0\0\x80\x3f" * 2, ""),
        (b"MM\x01\2\0\1" + b"\0\0\3\xe8\0\7" + b"\x3f\x80\0\0" * 2, ""),
        (b"MM\0\3\0\0" + bytes(8), "kind is 3"),
        (b"MM\0\1\0\1" + b"\0\0\3\xe9\0\7" + bytes(8), "number is 1001"),
        (b"XX\0\1\0\0" + bytes(8), "decides no byte order"),
    ],
    "names": [(b"\1\2\3\4\5", ""), (b"\1\2\3\4", "only")],
    "texts": [
        (b"PLAYab\0\7", ""),
        (b"STOPab\0", ""),
        (b"STOP.b\0", "name is"),
        (b"STOPa\0", "name is"),
        (b"\xff\xff\xff\xffab\0", "ascii"),
    ],
}


@pytest.mark.parametrize(
    ("name", "spec"), [("orders", ORDERS), ("names", NAMES), ("texts", TEXTS)], ids=lambda v: v[:6]
)
def test_files_are_read_as_by_kaitai_and_written_again(
    name: str, spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = f"made_of_{name}"
    generated({name: spec}, tmp_path, package, monkeypatch)
    kind = importlib.import_module(f"{package}.structs").type_named(name)
    for data, problem in FILES[name]:
        if problem:
            assert not check_readers(kind, data, {}), data
            with pytest.raises(FormatError, match=problem):
                kind.read(data)
            continue
        assert check_readers(kind, data, {}), data
        found = kind.read(data)
        assert to_bytes(found, gaps(found, data)) == data
        assert to_bytes(from_json(kind, to_json(found))) == data


def test_names_of_enums_and_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generated({"orders": ORDERS, "names": NAMES}, tmp_path, "made_of_both", monkeypatch)
    orders = importlib.import_module("made_of_both.structs.orders")
    found = orders.Orders.from_bytes(FILES["orders"][1][0])
    assert found.body.kind == 258 and found.body.kind.name == "many"
    assert [item.number for item in found.body.items] == [1000]
    names = importlib.import_module("made_of_both.structs.names")
    assert names.NamesAPart(x=1).x == names.make_names_b_part(y=1).y == 1
