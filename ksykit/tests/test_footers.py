"""Files whose footer lists what is before it, numbers of several fields, and streams of others."""

from __future__ import annotations

import importlib
import struct
from pathlib import Path
from typing import Any

import pytest
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import from_json, gaps, to_bytes, to_json
from ksykit.runtime.types import Type

from kit_support.agreement import check_readers
from kit_support.compiled import generated

ENTRY = """
    seq:
      - {id: ofs, type: u4}
      - {id: len, type: u4}
    instances:
      body: {io: _root._io, pos: ofs, size: len}
"""
LIKE_PARQUET = f"""
meta: {{id: like_parquet, endian: le}}
seq: [{{id: magic, contents: PAR1}}]
instances:
  end: {{pos: _io.size - 4, contents: PAR1}}
  len_footer: {{pos: _io.size - 8, type: u4}}
  footer: {{pos: _io.size - 8 - len_footer, size: len_footer, type: footer}}
types:
  footer:
    seq:
      - {{id: num_blocks, type: u4}}
      - {{id: blocks, type: block, repeat: expr, repeat-expr: num_blocks}}
  block:{ENTRY}
"""
LIKE_PUFFIN = f"""
meta: {{id: like_puffin, endian: le}}
seq: [{{id: magic, contents: PFA1}}]
instances:
  tail: {{pos: _io.size - 12, type: tail}}
  start: {{value: _io.size - 12 - tail.len_payload - 4}}
  footer: {{pos: start, type: payload}}
types:
  tail:
    seq:
      - {{id: len_payload, type: u4}}
      - {{id: flags, type: u4}}
      - {{id: magic, contents: PFA1}}
  payload:
    seq:
      - {{id: magic, contents: PFA1}}
      - {{id: blobs, type: blobs, size: _root.tail.len_payload}}
  blobs:
    seq:
      - {{id: num_blobs, type: u4}}
      - {{id: blobs, type: blob, repeat: expr, repeat-expr: num_blobs}}
  blob:{ENTRY}
"""


class Package:
    """A generated package of one spec."""

    def __init__(self, name: str, text: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.name = f"made_of_{name}"
        generated({name: text}, folder, self.name, patch)
        self.make: Any = importlib.import_module(f"{self.name}.structs.{name}")
        self.type: Type = importlib.import_module(f"{self.name}.structs").type_named(name)

    def check(self, data: bytes) -> Any:
        """Return the object of a file: it is read, and written again, in each way."""
        parsed = self.type.cls.from_bytes(data)
        assert check_readers(self.type, data, {})
        pieces = gaps(parsed, data)
        assert to_bytes(parsed, pieces) == data
        assert to_bytes(from_json(self.type, to_json(parsed)), pieces) == data
        return parsed


@pytest.mark.parametrize("bodies", [[], [b"abc"], [b"abc", b"", b"de" * 300]])
def test_a_footer_with_its_length_behind_it(
    bodies: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Package("like_parquet", LIKE_PARQUET, tmp_path, monkeypatch)
    blocks = [package.make.make_block(body=body) for body in bodies]
    data = to_bytes(package.make.make_like_parquet(footer=package.make.make_footer(blocks=blocks)))
    assert data == b"PAR1" + b"".join(bodies) + (footer := listed(bodies)) + struct.pack(
        "<I4s", len(footer), b"PAR1"
    )
    parsed = package.check(data)
    assert [block.body for block in parsed.footer.blocks] == bodies


@pytest.mark.parametrize("bodies", [[], [b"abc"], [b"abc", b"", b"de" * 300]])
def test_a_footer_whose_length_is_in_a_tail(
    bodies: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Package("like_puffin", LIKE_PUFFIN, tmp_path, monkeypatch)
    made = package.make
    blobs = made.make_blobs(blobs=[made.make_blob(body=body) for body in bodies])
    footer = made.make_payload(blobs=blobs)
    data = to_bytes(made.make_like_puffin(footer=footer, tail=made.make_tail(flags=3)))
    assert data == b"PFA1" + b"".join(bodies) + b"PFA1" + (inner := listed(bodies)) + struct.pack(
        "<II4s", len(inner), 3, b"PFA1"
    )
    parsed = package.check(data)
    assert [blob.body for blob in parsed.footer.blobs.blobs] == bodies
    wrong = made.make_like_puffin(footer=footer, tail=made.make_tail(flags=3, len_payload=3))
    with pytest.raises(FormatError, match="bytes, its size is 3"):
        to_bytes(wrong)


def listed(bodies: list[bytes]) -> bytes:
    """Return the footer: how many bodies there are, and the place and length of each."""
    places = [4 + sum(map(len, bodies[:i])) for i in range(len(bodies))]
    entries = [struct.pack("<II", at, len(body)) for at, body in zip(places, bodies, strict=True)]
    return struct.pack("<I", len(bodies)) + b"".join(entries)


KINDS = """
meta: {id: kinds, endian: le}
seq:
  - {id: kind, type: u1}
  - {id: ofs, type: u1}
  - {id: len, type: u1}
  - {id: bytes, size: len, if: kind == 1}
  - {id: words, size: 2 * len, if: kind == 2}
instances:
  one: {pos: ofs, type: u2, if: kind == 1}
  two: {pos: ofs, type: u4, if: kind == 2}
  fixed: {pos: 9, size: 2, if: kind == 1}
  wide: {pos: 9, size: 3, if: kind == 2}
"""


def test_fields_of_which_one_exists_determine_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Package("kinds", KINDS, tmp_path, monkeypatch)
    make = package.make.make_kinds
    data = to_bytes(make(kind=1, bytes=b"abcd", one=7, fixed=b"xy"))
    assert data == b"\1\7\4abcd\7\0xy"
    package.check(data)
    data = to_bytes(make(kind=2, words=b"ab", two=7, wide=b"xyz"))
    assert data == b"\2\5\1ab\7\0\0\0xyz"
    package.check(data)
    with pytest.raises(FormatError, match="two is set, but its condition does not hold"):
        to_bytes(make(kind=1, bytes=b"", two=7))


OTHERS = """
meta: {id: others, endian: le, encoding: ascii}
seq:
  - {id: num_entries, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_entries}
  - {id: names, type: names, size-eos: true}
types:
  entry:
    seq: [{id: ofs, type: u1}]
    instances:
      name: {io: _root.names._io, pos: ofs, type: strz}
  names:
    seq: [{id: all, type: strz, repeat: eos}]
"""


def test_instances_in_the_stream_of_a_field_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Package("others", OTHERS, tmp_path, monkeypatch)
    parsed = package.check(b"\2\3\0ab\0c\0")
    assert [entry.name for entry in parsed.entries] == ["c", "ab"]
    make = package.make
    entries = [make.make_entry(ofs=ofs, name=name) for ofs, name in ((3, "c"), (0, "ab"))]
    made = make.make_others(entries=entries, names=make.make_names(all=["ab", "c"]))
    assert to_bytes(made) == b"\2\3\0ab\0c\0"
    wrong = [make.make_entry(ofs=0, name="cd")]
    with pytest.raises(FormatError, match="two fields want different bytes"):
        to_bytes(make.make_others(entries=wrong, names=make.make_names(all=["ab", "c"])))


ENDS = """
meta: {id: ends, encoding: ascii}
seq:
  - {id: same, size: 8, terminator: 0x2e, pad-right: 0x2e, include: true}
  - {id: rest, size: 8, terminator: 0x2e}
  - {id: inner, size: 8, terminator: 0x2e, type: inner}
  - {id: coded, size: 8, terminator: 0x2e, process: xor(1)}
  - {id: open, terminator: 0x40, consume: false}
types:
  inner: {seq: [{id: all, size-eos: true}]}
"""


def test_what_stands_behind_a_terminator_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Package("ends", ENDS, tmp_path, monkeypatch)
    parsed = package.check(b"abc.....de.fghijkl.mnopqrs.tuvwxyz@@!")
    assert (parsed.same, parsed.rest, parsed.inner.all) == (b"abc.", b"de", b"kl")
    assert (parsed.coded, parsed.open) == (b"sr", b"yz")
    assert "encoded" not in str(to_json(parsed))


OVERLAY = """
meta: {id: overlay, endian: be}
seq: [{id: data, size: len_data}]
instances: {len_data: {pos: 0, type: u1}}
"""


def test_a_length_within_what_it_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generated({"overlay": OVERLAY}, tmp_path, "made_overlay", monkeypatch)
    kind = importlib.import_module("made_overlay.structs").type_named("overlay")
    assert to_bytes(from_json(kind, {"data": {"hex": "0261"}})) == b"\2a"
    assert check_readers(kind, b"\2a", {})
    with pytest.raises(FormatError, match="two fields want different bytes here"):
        to_bytes(from_json(kind, {"data": {"hex": "6162"}}))
