"""Repeats to the end of a stream: writers write what Kaitai's parser reads."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import pytest
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import from_json, to_bytes, to_json
from ksykit.runtime.types import type_named

from kit_support.agreement import check_readers
from kit_support.compiled import generated

WIDTHS = [1, 2, 4, 8, 12]


def test_bits_to_the_end_of_a_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = {}
    for end in ("be", "le"):
        seq = "".join(f"  - {{id: w{width}, size: 4, type: {end}{width}}}\n" for width in WIDTHS)
        types = "".join(
            f"  {end}{width}: {{seq: [{{id: tag, type: u1}}, "
            f"{{id: bits, type: b{width}, repeat: eos}}]}}\n"
            for width in WIDTHS
        )
        head = f"meta: {{id: bits_{end}, endian: {end}, bit-endian: {end}}}\n"
        specs[f"bits_{end}"] = f"{head}seq:\n{seq}types:\n{types}"
    generated(specs, tmp_path, "made_of_bits", monkeypatch)
    for end in ("be", "le"):
        parsers = importlib.import_module(f"made_of_bits.parsers.bits_{end}")
        kind = importlib.import_module("made_of_bits.structs").type_named(f"bits_{end}")
        data = random.Random(1).randbytes(4 * len(WIDTHS))
        parsed = getattr(parsers, f"Bits{end.title()}").from_bytes(data)
        for width in WIDTHS:
            assert len(getattr(parsed, f"w{width}").bits) == 24 // width
        found = kind.read(data)
        assert to_bytes(found) == data
        assert to_bytes(from_json(kind, to_json(found))) == data


UNTIL_END = """
meta: {id: until_end}
seq:
  - {id: window, size: 4, type: items}
  - {id: blocks, type: block, repeat: until, repeat-until: _io.eof or _.size == 0}
types:
  items: {seq: [{id: numbers, type: u1, repeat: until, repeat-until: _io.eof}]}
  block: {seq: [{id: size, type: u1}, {id: body, size: size}]}
"""


def test_a_repeat_until_the_end_of_a_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"until_end": UNTIL_END}, tmp_path, "made_until_end", monkeypatch)
    parser = importlib.import_module("made_until_end.parsers.until_end").UntilEnd
    kind = importlib.import_module("made_until_end.structs").type_named("until_end")
    for blocks in (b"\1a\2bc", b"\1a\0"):
        data = b"1234" + blocks
        parsed = parser.from_bytes(data)
        assert parsed.window.numbers == [*b"1234"] and len(parsed.blocks) == 2
        found = kind.read(data)
        assert to_bytes(found) == data
        document = to_json(found)
        assert to_bytes(from_json(kind, document)) == data
        document["window"]["numbers"].pop()
        with pytest.raises(FormatError, match=r"window.numbers ends with its stream, but more"):
            to_bytes(from_json(kind, document))
    document["window"]["numbers"].append(0)
    document["blocks"].append(document["blocks"][0])  # after one that ends the repeat
    with pytest.raises(FormatError, match="ends the repeat, but is not the last"):
        to_bytes(from_json(kind, document))


TO_THE_END = """
meta: {id: to_the_end, endian: le}
seq:
  - {id: ofs, type: u1}
  - {id: bits, type: b1, repeat: eos}
instances:
  more: {pos: ofs, size: 2}
"""


def test_a_repeat_to_the_end_has_nothing_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"to_the_end": TO_THE_END}, tmp_path, "made_to_the_end", monkeypatch)
    make = importlib.import_module("made_to_the_end.structs.to_the_end").make_to_the_end
    assert to_bytes(make(ofs=0, bits=[True] * 8)) == b"\0\xff"
    with pytest.raises(FormatError, match="bits ends within a byte"):
        to_bytes(make(ofs=0, bits=[True] * 9))
    with pytest.raises(FormatError, match="bits ends with its stream, but more follows"):
        to_bytes(make(bits=[True] * 8, more=b"ab"))
    assert to_bytes(make(ofs=1, bits=[False] * 7 + [True] + [False] * 8, more=b"\1\0")) == b"\1\1\0"


REST = """
meta: {id: rest, endian: be, encoding: UTF-8}
seq:
  - {id: box, size: 4, type: box}
  - {id: ofs, type: u1}
instances:
  list: {pos: ofs, type: numbers}
types:
  box: {seq: [{id: magic, contents: [1]}, {id: text, type: str, size-eos: true}]}
  numbers: {seq: [{id: all, type: u1, repeat: eos}]}
"""


def test_bytes_to_the_end_fill_their_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zeros that fill it would be read with them; no element of a repeat is beyond the end."""
    generated({"rest": REST}, tmp_path, "made_rest", monkeypatch)
    kind = importlib.import_module("made_rest.structs").type_named("rest")
    data = b"\1abc\x09"
    found = kind.read(data)
    document = to_json(found)
    assert document["box"]["text"] == "abc" and document["list"]["all"] == []
    assert to_bytes(from_json(kind, document)) == to_bytes(found) == data
    document["box"]["text"] = "ab"
    with pytest.raises(FormatError, match=r"box\.text ends with its stream, but more follows"):
        to_bytes(from_json(kind, document))


BEHIND = """
meta: {id: behind, endian: be}
seq: [{id: ofs, type: u1}, {id: box, type: box, size-eos: true}]
instances: {at: {pos: ofs, type: u2}}
types: {box: {seq: [SEQ]}, in: {seq: [{id: all, type: u1, repeat: eos}]}}
"""
IN_BOX = {
    "rest": ("{id: x, size-eos: true}", {"x": {"hex": "61"}}),
    "window": ("{id: x, type: in, size-eos: true}", {"x": {"all": [97]}}),
    "sized": ("{id: x, size: _io.size}", {"x": {"hex": "61"}}),
    "from_end": (
        "{id: x, type: u1}], instances: {foot: {pos: _io.size - 1, type: u1}}, -orig-id: [x",
        {"x": 97, "foot": 98},
    ),
}


@pytest.mark.parametrize("case", IN_BOX)
def test_an_instance_is_in_the_window_before_it(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window to the end of a stream has what is behind it, too, or is refused."""
    seq, box = IN_BOX[case]
    package = f"made_behind_{case}"
    generated({"behind": BEHIND.replace("SEQ", seq)}, tmp_path, package, monkeypatch)
    kind = type_named(package, "behind")
    for data in (b"\1ab", b"\2abcd", b"\3abcdef"):
        assert check_readers(kind, data, {})
    for document in ({"ofs": 2, "at": 98, "box": box}, {"at": 98, "box": box}):
        with pytest.raises(FormatError, match=r"box.* ends with its stream, but more follows"):
            to_bytes(from_json(kind, document))


def test_an_instance_may_follow_what_does_not_read_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = BEHIND.replace("SEQ", "{id: x, type: u1}")
    generated({"behind": spec}, tmp_path, "made_behind", monkeypatch)
    kind = type_named("made_behind", "behind")
    written = to_bytes(from_json(kind, {"at": 98, "box": {"x": 97}}))
    assert written == b"\2a\0b" and check_readers(kind, written, {})


def test_nothing_is_written_after_a_window_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = "seq: [{id: box, type: box, size-eos: true"
    types = "types: {box: {seq: [{id: x, type: u1}]}}\n"
    specs = {
        "two": f"meta: {{id: two}}\n{head}}}, {{id: y, type: u1}}]\n{types}",
        "several": f"meta: {{id: several}}\n{head}, repeat: expr, repeat-expr: 2}}]\n{types}",
    }
    generated(specs, tmp_path, "made_after", monkeypatch)
    named = importlib.import_module("made_after.structs").type_named
    two, several = {"box": {"x": 1}, "y": 2}, {"box": [{"x": 1}, {"x": 2}]}
    for name, document in (("two", two), ("several", several)):
        with pytest.raises(FormatError, match=r"box.* ends with its stream, but more follows"):
            to_bytes(from_json(named(name), document))


SPARE = """
meta: {id: spare, endian: be}
seq: [{id: ofs, type: u1}, {id: bits, type: b2}]
instances: {all: {pos: ofs, type: two}}
types: {two: {seq: [{id: high, type: b2}, {id: low, type: b6}]}}
"""


def test_bits_of_no_field_that_another_object_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"spare": SPARE}, tmp_path, "made_spare", monkeypatch)
    assert check_readers(type_named("made_spare", "spare"), b"\1\x41", {})
