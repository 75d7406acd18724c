"""Writers write all constants, and refuse what readers would reject."""

from __future__ import annotations

import importlib
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import from_json, gaps, to_bytes, to_json

from kit_support.compiled import generated

CONSTANTS = """
meta: {id: constants, endian: le}
seq:
  - {id: magic, contents: [1, 2]}
  - {id: n, type: u1, valid: 7}
  - {id: ofs, type: u1}
  - {id: kind, type: u1}
instances:
  head: {pos: 5, contents: [9, 9]}
  seven: {pos: 7, type: u1, valid: 7}
  there: {pos: 8, contents: [4], if: kind == 1}
  tail: {pos: _io.size - 2, contents: [8, 8]}
  at: {pos: ofs, type: u1, valid: 3}
"""


def test_constants_at_positions_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"constants": CONSTANTS}, tmp_path, "made_of_constants", monkeypatch)
    make = importlib.import_module("made_of_constants.structs.constants").make_constants
    parser = importlib.import_module("made_of_constants.parsers.constants").Constants
    kind = importlib.import_module("made_of_constants.structs").type_named("constants")
    head = bytes([1, 2, 7])
    for wanted, there in ((1, bytes([4])), (0, b"")):
        data = to_bytes(make(kind=wanted))
        place = 8 + len(there)
        assert data == head + bytes([place, wanted, 9, 9, 7]) + there + bytes([3, 8, 8])
        parsed = parser.from_bytes(data)
        assert (parsed.head, parsed.seven, parsed.tail, parsed.at) == (b"\t\t", 7, b"\x08\x08", 3)
        found = kind.read(data)
        assert to_bytes(found, gaps(found, data)) == data
        assert to_bytes(from_json(kind, to_json(found))) == data
    with pytest.raises(FormatError, match="head is b'x', not"):
        to_bytes(make(kind=0, head=b"x"))


CHECKED = """
meta: {id: checked, endian: le, encoding: utf-8, bit-endian: be}
-kit-view: true
seq:
  - {id: n, type: u1, valid: {min: 3, max: 9}}
  - {id: k, type: u2, valid: {any-of: [1, 5]}}
  - {id: m, type: u1, valid: {min: n}}
  - {id: b, type: b4, valid: {max: 4}}
  - {id: c, type: b4}
  - {id: ks, type: u2, valid: {max: 10}, repeat: expr, repeat-expr: n}
  - {id: rs, type: rec, repeat: expr, repeat-expr: 2}
  - {id: a, type: str, terminator: 0x3b, consume: false}
  - {id: mark, size: 1}
  - {id: t, type: str, size: 2, valid: {any-of: ['"ab"', '"cd"']}}
types:
  rec: {seq: [{id: x, type: u1, valid: {max: 4}}, {id: y, type: f4, valid: {min: 0}}]}
"""
WRONG: dict[str, dict[str, Any]] = {
    "n is 2": {"ks": [1, 2]},
    "n is 10": {"ks": [1] * 10, "m": 10},
    "k is 2": {"k": 2},
    "m is 2": {"m": 2},
    "b is 5": {"b": 5},
    r"ks\[2\] is 11": {"ks": [1, 2, 11]},
    r"ks\[0\] is 99": {"ks": np.array([99, 1, 1])},
    r"rs\[1\].x is 5": {"rs": [(1, 0.0), (5, 0.0)]},
    r"rs\[0\].y is nan": {"rs": [(1, float("nan")), (1, 0.0)]},
    "t is 'xx'": {"t": "xx"},
    "a ends before b';'": {"mark": b"."},
}


def test_what_readers_reject_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"checked": CHECKED}, tmp_path, "made_of_checked", monkeypatch)
    structs = importlib.import_module("made_of_checked.structs.checked")
    parser = importlib.import_module("made_of_checked.parsers.checked").Checked
    layout = importlib.import_module("made_of_checked.views.checked").REC

    def written(packs: bool, changed: dict[str, Any]) -> bytes:
        values: dict[str, Any] = {
            "k": 1,
            "m": 9,
            "b": 4,
            "c": 15,
            "ks": [1, 2, 10],
            "a": "hi",
            "mark": b";",
        }
        values |= {"t": "ab", "rs": [(1, 0.5), (4, 0.0)]} | changed
        rows = values["rs"]
        values["rs"] = [structs.make_rec(x=x, y=y) for x, y in rows]
        if packs:
            x, y = zip(*rows, strict=True)
            values["rs"] = layout.pack(x=x, y=np.array(y, np.float32))
        return to_bytes(structs.make_checked(**values))

    for packs in (False, True):
        data = written(packs, {})
        parsed = parser.from_bytes(data)
        assert (parsed.n, parsed.ks, parsed.a, parsed.t) == (3, [1, 2, 10], "hi", "ab")
        assert written(packs, {"t": b"cd"})[-2:] == b"cd"
        for message, changed in WRONG.items():
            if not (packs and "rs" in changed):
                with pytest.raises(FormatError, match=message):
                    written(packs, changed)
    assert layout.pack(x=[1, 2], y=[3, 0]).join() == layout.pack(x=[1, 2], y=[3.0, 0.0]).join()
    with pytest.raises(FormatError, match="y: a number does not fit"):
        layout.pack(x=[1], y=[2**24 + 1])
    with pytest.raises(FormatError, match=r"x\[1\] cannot be 5"):
        layout.pack(x=[1, 5], y=[0.0, 0.0])
    with pytest.raises(FormatError, match=r"y\[0\] cannot be -1.0"):
        layout.pack(x=[1], y=[-1.0])


def test_a_position_that_no_number_states_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "meta: {id: pages}\nseq: [{id: page, type: u1}]\n"
    spec += "instances: {body: {pos: page * 4, size: 2}}"
    generated({"pages": spec}, tmp_path, "made_of_pages", monkeypatch)
    make = importlib.import_module("made_of_pages.structs.pages").make_pages
    with pytest.raises(FormatError, match="body is at 1, its position is 0"):
        to_bytes(make(body=b"ab"))
    assert to_bytes(make(page=1, body=b"ab"), [(1, b"...")]) == b"\x01...ab"


def test_columns_whose_elements_other_fields_ask_for_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = """
    meta: {id: bodies, endian: le}
    -kit-view: true
    seq:
      - {id: n, type: u1}
      - {id: entries, type: entry, repeat: expr, repeat-expr: n}
      - {id: bodies, size: 'entries[_index].len', repeat: expr, repeat-expr: n}
    types: {entry: {seq: [{id: kind, type: u1}, {id: len, type: u2}]}}
    """
    generated({"bodies": spec}, tmp_path, "made_of_bodies", monkeypatch)
    make = importlib.import_module("made_of_bodies.structs.bodies").make_bodies
    entries = importlib.import_module("made_of_bodies.views.bodies").ENTRY.pack(
        kind=[7, 8], len=[1, 2]
    )
    data = to_bytes(make(entries=entries, bodies=[b"a", b"bc"]))
    assert data == b"\2\7\1\0\10\2\0abc"
    assert importlib.import_module("made_of_bodies.parsers.bodies").Bodies.from_bytes(data).n == 2
    with pytest.raises(FormatError, match="bodies takes 1 bytes, its size is 2"):
        to_bytes(make(entries=entries, bodies=[b"a", b"b"]))


RULES = """
meta: {id: rules, endian: le}
seq:
  - {id: all, type: u1, -kit-value: _io.size}
  - {id: twice, type: u8, -kit-value: crc * 2}
  - {id: a, type: u1, -kit-value: b + 1}
  - {id: b, type: u1, -kit-value: inner.c + 1}
  - {id: crc, type: u4, -kit-value: crc32(inner)}
  - {id: inner, type: inner}
types:
  inner: {seq: [{id: c, type: u1, -kit-value: _parent.a - 2}, {id: d, size: 2}]}
"""


def test_numbers_follow_from_others_and_a_cycle_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"rules": RULES}, tmp_path, "made_of_rules", monkeypatch)
    structs = importlib.import_module("made_of_rules.structs.rules")
    inner = structs.make_inner(d=b"xy")
    crc = zlib.crc32(b"\5xy")
    rest = struct.pack("<BBI", 7, 6, crc) + b"\5xy"
    wanted = struct.pack("<BQ", 18, 2 * crc) + rest
    for given in ({"a": 7}, {"b": 6}, {"inner": structs.make_inner(c=5, d=b"xy")}):
        assert to_bytes(structs.make_rules(**{"inner": inner} | given)) == wanted
    message = r"a cannot be computed: set it \(a follows from b, .* inner.c, which follows from a\)"
    with pytest.raises(FormatError, match=message):
        to_bytes(structs.make_rules(inner=inner))


CHAINED = """
meta: {id: chained, endian: le}
seq: [{id: n, type: u1, -kit-value: tail.sum}]
instances: {tail: {pos: 1, type: chain}}
types:
  chain:
    seq:
      - id: items
        type: 'item(_index == 0 ? 0 : items[_index - 1].total)'
        repeat: expr
        repeat-expr: 3
    instances: {sum: {value: 'items[2].total'}}
  item:
    params: [{id: before, type: u4}]
    seq: [{id: x, type: u1}]
    instances: {total: {value: before + x}}
"""


def test_a_number_follows_from_elements_that_are_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"chained": CHAINED}, tmp_path, "made_of_chained", monkeypatch)
    structs = importlib.import_module("made_of_chained.structs.chained")
    items = [structs.make_item(x=x) for x in (1, 2, 4)]
    made = structs.make_chained(tail=structs.make_chain(items=items))
    assert to_bytes(made) == b"\7\1\2\4"
    kind = importlib.import_module("made_of_chained.structs").type_named("chained")
    assert to_bytes(from_json(kind, to_json(made))) == b"\7\1\2\4"
