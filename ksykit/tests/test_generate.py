"""A package of hard specs: names, quotes, rings of imports, block files, parts that are missing."""

from __future__ import annotations

import importlib
import io
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from kaitaistruct import KaitaiStream, ValidationExprError
from ksykit.generator.generate import write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError
from ksykit.io import open_source, read_view
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes

from kit_support.compiled import need_compiler, with_judge

SPECS = {
    "quotes": r'''
meta: {id: quotes, title: 'A "title"\', endian: le}
doc: 'Ends with "quotes" and \"'
-other-tool: {kept: true}
seq:
  - {id: magic, contents: ['"', "'", 0x5c, '{{', 0, '"""'], -orig-id: MAGIC}
  - {id: count, type: u1, doc: '"""'}
  - {id: items, type: any(count), repeat: expr, repeat-expr: count}
  - {id: one, type: field}
instances:
  said: {value: '"it''s"', doc: 'A \ "doc"'}
types:
  any:
    params: [{id: count, type: u1}]
    seq: [{id: struct, type: struct, if: count > 1}]
  struct: {seq: [{id: a, type: u1}, {id: b, type: u1}]}
  field: {seq: [{id: d, type: u1}, {id: q, size: d}, {id: p, type: u1}]}
''',
    "letter": "meta: {id: letter}\nseq: [{id: xs, type: x, repeat: expr, repeat-expr: 2}]\n"
    "types: {x: {seq: [{id: v, type: u1}, {id: w, type: u1}]}}",
    "ring_one": "meta: {id: ring_one, imports: [ring_two]}\nseq: [{id: n, type: u1},"
    " {id: next, type: ring_two, if: n > 0}]",
    "ring_two": "meta: {id: ring_two, imports: [ring_one]}\nseq: [{id: m, type: u1},"
    " {id: next, type: ring_one, if: m > 0}]",
    "large": "meta: {id: large, endian: be}\nseq:\n"
    "  - {id: n, type: u8, valid: {min: 9007199254740993, max: 18446744073709551614}}\n"
    "instances: {of_n: {value: 9007199254740993}}",
    "blocks": """
meta: {id: blocks, endian: le}
instances:
  footer: {pos: _io.size - 9, type: footer}
types:
  footer:
    seq:
      - {id: ofs_block, type: u4}
      - {id: num_blocks, type: u1}
      - {id: magic, contents: BLK1}
    instances:
      first: {pos: ofs_block, type: block}
  block:
    seq:
      - {id: kind, type: u1, valid: {any-of: [0, 1, 2]}}
      - {id: len_stored, type: varint}
      - {id: len_plain, type: varint}
      - {id: zstd, size: len_stored.value, process: zstd, -kit-max-size: 1000, if: kind == 1}
      - {id: lz4, size: len_stored.value, process: lz4(len_plain.value), if: kind == 2}
      - {id: plain, size: len_stored.value, if: kind == 0}
  varint:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.has_more}]
    instances:
      value:
        value: >-
          groups[0].value + (groups.size > 1 ? groups[1].value << 7 : 0)
          + (groups.size > 2 ? groups[2].value << 14 : 0)
  group: {seq: [{id: has_more, type: b1}, {id: value, type: b7}]}
""",
    "parts": """
meta: {id: parts, encoding: UTF-8, imports: [large]}
seq: [{id: head, type: odd}, {id: last, type: word}]
types:
  odd: {seq: [{id: bits, type: b3}]}
  word: {seq: [{id: text, type: strz}]}
  plain: {params: [{id: start, type: u1}], seq: [{id: a, type: u1}]}
  sums: {seq: [{id: crc, type: u4le, -kit-value: crc32(_root.last)}]}
  tested: {seq: [{id: a, type: u1, valid: {expr: _ > 3}}]}
  sized: {seq: [{id: magic, size: 2, contents: AB}]}
  good: {seq: [{id: a, type: u1}], instances: {at: {value: _io.pos}}}
  ended: {seq: [{id: n, type: large}, {id: text, type: str, size-eos: true, terminator: 0}]}
""",
}


class Package(NamedTuple):
    """What is generated, what is missing in it, and the folder of the specs."""

    load: Callable[[str], Any]
    missing: list[str]
    specs: Path


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Package]:
    need_compiler()
    folder = tmp_path_factory.mktemp("generate")
    specs = folder / "specs"
    specs.mkdir()
    for name, text in SPECS.items():
        (specs / f"{name}.ksy").write_text(text)
    missing: list[str] = []
    write_files(with_judge(load_specs(specs), missing), folder / "hard_formats")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield Package(lambda name: importlib.import_module(f"hard_formats.{name}"), missing, specs)
    for name in [name for name in sys.modules if name.split(".")[0] == "hard_formats"]:
        del sys.modules[name]


def parsed(package: Package, name: str, data: bytes) -> Any:
    cls = getattr(package.load(f"parsers.{name}"), "".join(map(str.title, name.split("_"))))
    return cls(KaitaiStream(io.BytesIO(data)))


def test_any_name_and_any_text_is_written_as_python(package: Package) -> None:
    data = b'"\'\\{{\0"""\x02' + bytes(range(4)) + b"\x01a\x07"
    view, found = package.load("views.quotes").Quotes(data, 0, 0), parsed(package, "quotes", data)
    assert view.said == found.said == "it's" and view.magic == found.magic
    assert [item.struct.b for item in view.items] == [item.struct.b for item in found.items]
    assert (view.one.q, view.one.p) == (b"a", 7)
    with pytest.raises(FormatError, match="the field magic is not b'"):
        package.load("views.quotes").Quotes(b"x" * 20, 0, 0)
    letter = package.load("views.letter")  # records, and a view, of a type whose name is short
    assert letter.Letter(bytes(4), 0, 0).xs_v == (0, 0) and letter.X(b"ab", 0, 0).w == 98
    for kind in ("views", "structs", "parsers"):
        assert package.load(f"{kind}.quotes").__doc__ or kind == "parsers"


@pytest.mark.parametrize("first", ["ring_one", "ring_two"])
def test_specs_may_import_each_other(package: Package, first: str) -> None:
    for name in [n for n in sys.modules if n.startswith("hard_formats.") and "ring" in n]:
        del sys.modules[name]
    package.load(f"views.{first}"), package.load(f"structs.{first}")
    view = package.load("views.ring_one").RingOne(b"\1\2\0", 0, 0)
    assert view.next.next.n == 0 == parsed(package, "ring_one", b"\1\2\0").next.next.n
    with pytest.raises(FormatError, match="nested too deep"):
        package.load("views.ring_one").RingOne(b"\1" * 99999, 0, 0)


def test_integers_of_64_bits_are_exact(package: Package) -> None:
    large = package.load("views.large").Large
    for value in (2**53 + 1, 2**64 - 2):
        data = struct.pack(">Q", value)
        assert large(data, 0, 0).n == parsed(package, "large", data).n == value
    assert large.of_n == parsed(package, "large", data).of_n == 2**53 + 1
    for value in (2**53, 2**64 - 1):
        with pytest.raises(FormatError):
            large(struct.pack(">Q", value), 0, 0)


def test_blocks_are_read_from_a_footer(package: Package) -> None:
    """Varints of bits, named codecs, and a place that is counted from the end of the file."""
    body, views = b"paimon" * 50, package.load("views.blocks")
    stored = {0: body, 1: pa.compress(body, "zstd", asbytes=True)}
    stored[2] = pa.compress(body, "lz4_raw", asbytes=True)

    def varint(value: int) -> bytes:
        return bytes([value & 127 | 128, value >> 7 & 127])

    for kind, name in enumerate(("plain", "zstd", "lz4")):
        block = bytes([kind]) + varint(len(stored[kind])) + varint(len(body)) + stored[kind]
        data = b"..." + block + bytes(40) + struct.pack("<IB", 3, 1) + b"BLK1"
        with open_source(data) as source:
            [position, _] = read_view(source, views.Blocks, 0).place_footer()
            assert position == len(data) - 9
            footer = read_view(source, views.Footer, position)
            view = read_view(source, views.Block, footer.place_first()[0])
        found = parsed(package, "blocks", data).footer.first
        assert bytes(getattr(view, name)) == body == getattr(found, name)
        assert view.len_plain.value == found.len_plain.value == len(body)
        bad = bytes([kind]) + varint(len(stored[kind])) + varint(len(body) + 1) + stored[kind]
        if kind == 2:
            with pytest.raises(FormatError, match="lz4: less than 301 bytes"):
                views.Block(bad, 0, 0)
    bomb = pa.compress(bytes(1001), "zstd", asbytes=True)
    with pytest.raises(FormatError, match="zstd: more than 1000 bytes"):
        views.Block(bytes([1]) + varint(len(bomb)) + varint(9) + bomb, 0, 0)


def test_the_package_is_the_same_from_any_folder(package: Package, tmp_path: Path) -> None:
    """By any path of the specs, and in any order of sets."""
    other = shutil.copytree(package.specs, tmp_path / "x" / "a folder")
    every, made = [f"{name}.ksy" for name in SPECS], list[dict[str, bytes]]()
    for names, at in (([package.specs], tmp_path), (["."], other), (every[::-1], other)):
        out = tmp_path / f"out{len(made)}"
        command = [sys.executable, "-P", "-m", "ksykit", "generate", *names, "-o", out]
        env = {**os.environ, "PYTHONHASHSEED": str(len(made))}
        subprocess.run(command, cwd=at, env=env, check=True, capture_output=True)
        made.append({str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*.py")})
    assert made[0] == made[1] == made[2] and len(made[0]) > len(SPECS)


def test_the_rest_is_written_where_a_part_is_not_supported(package: Package) -> None:
    missing = [re.sub(r"(parts\.ksy):\d+:\d+", r"\1", line) for line in package.missing]
    views = {line.split(": ")[2] for line in missing if "parts.ksy: views: " in line}
    assert views == {
        *("/types/odd/seq/0", "/seq/0", "/types/tested/seq/0", "/types/good/instances/at")
    }
    assert "specs/parts.ksy: views: /seq/0: needs a odd" in missing
    line = "specs/parts.ksy: structs: /types/sums: _root.last is not a path of fields"
    assert line in missing
    tested = package.load("parsers.parts").Parts.Tested
    with pytest.raises(ValidationExprError):
        tested(KaitaiStream(io.BytesIO(b"\3")))
    with pytest.raises(FormatError, match="is 3, which is not valid"):
        package.load("structs.parts").Tested.from_bytes(b"\3")
    good = package.load("views.parts")
    assert good.Sized(b"AB", 0, 0).magic == b"AB"
    assert good.Word(b"ab\0", 0, 0).text == "ab" and good.Good(b"a", 0, 0).a == 97
    assert not hasattr(good, "Parts") and not hasattr(good.Good, "at")
    assert package.load("structs.parts").Good.pack(a=1) == b"\1"
    assert parsed(package, "parts", b"\xe0ab\0").last.text == "ab"
    data = struct.pack(">Q", 2**60) + b"old\0"
    ended = package.load("structs.parts").Ended.from_bytes(data)
    assert (ended.n.n, ended.text) == (2**60, "old") and to_bytes(ended) == data
    ended.text = "newer"
    assert to_bytes(ended) == data[:8] + b"newer\0"
    with pytest.raises(SpecError):
        with_judge(load_specs(package.specs))
