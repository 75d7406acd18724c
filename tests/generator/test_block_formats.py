"""Formats of blocks are a spec each: files that pypaimon writes are read, and written again."""

from __future__ import annotations

import importlib
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.generator.generate import write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError
from ksykit.generator.structs import struct_modules
from ksykit.generator.world import World
from ksykit.runtime import objects
from ksykit.runtime.codecs import decode
from ksykit.runtime.errors import FormatError
from ksykit.runtime.types import type_of
from ksykit.testing.drawing import draw_object
from pypaimon.globalindex.bitmap.bitmap_index_writer import BitmapIndexWriter
from pypaimon.globalindex.btree.btree_index_writer import BTreeIndexWriter
from pypaimon.globalindex.key_serializer import create_serializer
from pypaimon.schema.data_types import AtomicType

from kit_support.agreement import check_come_back, check_readers, view_of
from kit_support.bounds import bounded
from kit_support.compiled import need_compiler, with_judge
from kit_support.examples import examples
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.structs.global_bitmap_index import GlobalBitmapIndex

SPECS = Path(__file__).parent / "specs"
COMPUTED = {
    "ofs_bloom_filter", "len_bloom_filter", "ofs_directory", "len_directory", "ofs_null_rows",
    "len_null_rows", "ofs_non_null_rows", "len_non_null_rows", "len_handle", "ofs_data", "len_data",
    "len_key", "ofs_rows", "len_rows", "num_rows", "num_blocks", "ofs_body", "len_body", "crc",
    "crc32", "ofs_block", "len_block", "len_posting",
}  # fmt: skip
"""Offsets, lengths, counts and checksums: a writer computes them all."""


class LocalFiles:
    """The files of pypaimon's writers."""

    def check_or_mkdirs(self, path: str) -> None:
        Path(path).mkdir(exist_ok=True)

    def new_output_stream(self, path: str) -> Any:
        return Path(path).open("wb")


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], ModuleType]]:
    """Imports a module of what is generated from the specs.

    A worker may set it up twice, and writers are looked up by the name of a package, once.
    """
    need_compiler()
    folder = tmp_path_factory.mktemp("blocks")
    shutil.copytree(SPECS, folder / "specs")
    for name, body in (FORMS | READ | UNBOUND).items():
        head = f"meta: {{id: {name}, title: x, endian: le, encoding: UTF-8}}\n-kit-view: true\n"
        (folder / "specs" / f"{name}.ksy").write_text(head + body)
    package = f"block_formats_{folder.name}"
    write_files(with_judge(load_specs(folder / "specs"), []), folder / package)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield lambda module: importlib.import_module(f"{package}.{module}")
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[name]


def without(doc: Any, computed: set[str]) -> Any:
    """JSON without what a writer computes."""
    if isinstance(doc, dict):
        return {k: without(value, computed) for k, value in doc.items() if k not in computed}
    return [without(one, computed) for one in doc] if isinstance(doc, list) else doc


def written(writer: Any, folder: Path, keys: list[Any]) -> bytes:
    """The file of one of pypaimon's writers, in rows 0, 1000, 2000 and so on."""
    for row, key in enumerate(keys):
        writer.write(key, row * 1000)
    writer.finish()
    [path] = folder.iterdir()
    return path.read_bytes()


def strings() -> Any:
    return create_serializer(AtomicType("STRING"))


# Forms of specs, each with drawn objects ----------------------------------------------------------

UNBOUND = {
    "nested": """\
seq:
  - {id: is_more, type: u1}
  - {id: more, type: nested, if: is_more == 1}
""",
    "many": """\
seq:
  - {id: n, type: u4}
  - {id: nothing, type: nothing, size: 0, repeat: expr, repeat-expr: n}
types:
  nothing: {}
""",
}
FORMS = {
    "footer_of_offsets": """\
seq:
  - {id: magic, contents: AB}
instances:
  footer: {pos: _io.size - 12, type: footer}
  index: {pos: footer.handle.ofs, size: footer.handle.len, type: index}
types:
  handle: {seq: [{id: ofs, type: u4}, {id: len, type: u2}]}
  footer: {seq: [{id: handle, type: handle}, {id: num, type: u2}, {id: magic, contents: [1,2,3,4]}]}
  index: {seq: [{id: n, type: u1}, {id: entries, type: entry, repeat: expr, repeat-expr: n}]}
  entry:
    seq: [{id: ofs, type: u4}, {id: len, type: u4}]
    instances: {block: {io: _root._io, pos: ofs, size: len, type: block}}
  block: {seq: [{id: x, size-eos: true}]}
""",
    "lengths_from_the_end": """\
seq:
  - {id: magic, contents: PAR1}
instances:
  magic_end: {pos: _io.size - 4, type: magic_end}
  len_meta: {pos: _io.size - 8, type: number}
  metadata: {pos: _io.size - 8 - len_meta.value, size: len_meta.value, type: meta}
types:
  magic_end: {seq: [{id: magic, contents: PAR1}]}
  number: {seq: [{id: value, type: u4}]}
  meta: {seq: [{id: k, type: u1}, {id: rest, size-eos: true}]}
""",
    "counts_from_the_end": """\
seq:
  - {id: magic, contents: AB}
instances:
  counts: {pos: _io.size - 12, type: counts}
  crc: {pos: _io.size - 4, type: u4, -kit-value: crc32(table)}
  table: {pos: counts.ofs, type: table(counts.num)}
types:
  counts: {seq: [{id: ofs, type: u4}, {id: num, type: u4}]}
  table:
    params: [{id: num, type: u4}]
    seq: [{id: rows, type: u8, repeat: expr, repeat-expr: num}]
""",
    "linear_sizes": """\
seq:
  - {id: length, type: u4}
  - {id: num, type: u2}
  - {id: body, size: length - 8}
  - {id: more, size: num * 4 + 1}
  - {id: half, type: s2}
  - {id: list, type: u2, repeat: expr, repeat-expr: (half - 3) / 2}
  - {id: wide, type: u4}
  - {id: win, type: w, size: wide - len_w}
instances: {len_w: {value: 5}}
types: {w: {seq: [{id: a, type: u2}, {id: r, size-eos: true}]}}
""",
    "texts": """\
seq:
  - {id: n, type: u1}
  - {id: s, type: str, size: n}
  - {id: z, type: strz}
  - {id: t, type: str, terminator: 10, include: true}
  - {id: p, type: str, size: 12, pad-right: 32}
  - {id: q, size: 9, terminator: 0, pad-right: 64}
  - {id: u, type: strz, size: 8, encoding: UTF-16LE, terminator: 1}
  - {id: list, type: strz, repeat: expr, repeat-expr: n}
  - {id: m, type: str, size-eos: true, encoding: latin-1}
""",
    "processes": """\
seq:
  - {id: len_a, type: u4}
  - {id: a, size: len_a, process: zlib}
  - {id: len_b, type: u4}
  - {id: b, size: len_b, process: zstd, type: proc_b}
  - {id: raw, type: u4}
  - {id: len_c, type: u4}
  - {id: c, size: len_c, process: xor(7)}
  - {id: d, size: 5, process: rol(3)}
types:
  proc_b: {seq: [{id: n, type: u1}, {id: s, size: n}, {id: rest, size-eos: true}]}
""",
    "switches": """\
seq:
  - {id: kind, type: u1}
  - id: body
    type: {switch-on: kind, cases: {1: u2, 2: sw_a, 3: sw_b(kind), 4: f4, 5: strz}}
  - {id: n, type: u2}
  - id: sized
    size: n
    type: {switch-on: kind, cases: {1: sw_a, 2: sw_c}}
  - {id: num, type: u1}
  - id: many
    type: {switch-on: kind, cases: {1: u1, 2: sw_a, _: u4}}
    repeat: expr
    repeat-expr: num
types:
  sw_a: {seq: [{id: x, type: u1}]}
  sw_b: {params: [{id: k, type: u1}], seq: [{id: y, type: u4, if: k == 3}]}
  sw_c: {seq: [{id: z, size-eos: true}]}
""",
    "repeats": """\
seq:
  - {id: n, type: u1}
  - {id: sizes, type: u1, repeat: expr, repeat-expr: n}
  - {id: parts, size: 'sizes[_index]', repeat: expr, repeat-expr: n}
  - {id: fixed, size: 4, repeat: expr, repeat-expr: 2}
  - {id: boxes, size: 6, type: rep_box, repeat: expr, repeat-expr: n}
  - {id: u, type: u2, repeat: until, repeat-until: _ == 0}
  - {id: last, size: 3, repeat: eos}
types:
  rep_box: {seq: [{id: a, type: u2}]}
""",
    "checksums": """\
seq:
  - {id: len, type: u4}
  - {id: block, size: len}
  - {id: compression, type: u1}
  - {id: crc, type: u4, -kit-value: 'crc32(block, compression)'}
  - {id: crcc, type: u4, -kit-value: 'crc32c(block, compression)'}
""",
    "spare_bits": """\
seq:
  - {id: a, type: b3}
  - {id: n, type: u1}
  - {id: le1, type: b5le}
  - {id: le2, type: b11le}
  - {id: be1, type: b11}
  - {id: m, type: u1}
  - {id: box, type: bits_box, size: 2}
  - {id: rest, type: bits_box}
types:
  bits_box: {seq: [{id: b, type: b9}]}
""",
}

NO_VIEW = {"spare_bits", "checked_instance"}

READ = {
    "sizes_by_place": """\
seq:
  - {id: box, type: place_box, size: 16}
types:
  place_box:
    seq:
      - {id: name, type: strz}
      - {id: body, size: _io.size - _io.pos - 2}
      - {id: num, type: u2}
""",
    "terminated_objects": """\
seq:
  - {id: num, type: u1}
  - {id: lines, type: line, terminator: 10, repeat: expr, repeat-expr: num}
  - {id: rest, type: line, terminator: 10, include: true, repeat: eos}
types:
  line: {seq: [{id: text, size-eos: true}]}
""",
    "switches_on_text": """\
seq:
  - {id: opcodes, type: opcode, repeat: eos}
types:
  opcode:
    seq:
      - {id: code, type: str, size: 1}
      - {id: flag, size: 1}
      - {id: body, type: {switch-on: code, cases: {'"I"': u1, '"S"': strz}}}
      - {id: more, type: {switch-on: flag, cases: {'[0]': u2}}}
""",
    "checked_instance": """\
seq:
  - {id: a, type: u1}
  - {id: b, type: u2, if: mark == 80}
  - {id: mark_again, type: u1, valid: 80}
instances:
  mark: {pos: 1, type: u1, valid: 80}
""",
    "switches_on_the_end": """\
seq:
  - {id: box, type: end_box, size: 6}
types:
  end_box:
    instances:
      kind: {pos: _io.size - 1, type: u1}
      body:
        pos: 0
        size: _io.size - 1
        type: {switch-on: kind % 4, cases: {0: end_far, 1: end_one, 2: end_byte}}
  end_byte: {seq: [{id: value, type: u1}]}
  end_one: {instances: {x: {pos: 1, type: u2}, y: {pos: 3, type: end_byte}}}
  end_far:
    seq: [{id: ofs, type: u1}]
    instances: {far: {io: _root._io, pos: ofs, type: end_one}}
""",
    "encoded_elsewhere": """\
seq:
  - {id: len_a, type: u4}
  - {id: a, size: len_a, process: zlib, type: far_box}
types:
  far_box:
    seq: [{id: ofs, type: u4}, {id: num, type: u1}]
    instances:
      far: {io: _root._io, pos: ofs, type: far_one(num)}
  far_one:
    params: [{id: num, type: u1}]
    seq: [{id: x, size: 1, type: far_byte}, {id: y, type: u1}]
    instances:
      more: {io: _root._io, pos: num, size: 2}
  far_byte: {seq: [{id: value, type: u1}]}
""",
    "instances_beyond": """\
seq:
  - {id: ofs, type: u1}
  - {id: num, type: u1}
instances:
  far: {pos: ofs, type: u4, repeat: expr, repeat-expr: num}
  last: {pos: _io.size - 6, size: 6}
""",
}
"""Forms whose fields depend on one another in ways that are not drawn."""

KEYS: dict[str, list[Any]] = {
    "one": ["a"],
    "of one size": [f"k{i:03}" for i in range(50)],
    "of several sizes": [f"k{i:03}" + "x" * (i % 5) for i in range(0, 200, 2)],
    "several rows of a key": sorted(f"k{i % 7}" for i in range(60)),
    "none": [None],
    "with nulls": ["a", "b", None, "c" * 200, None],
}


@pytest.mark.parametrize("bloom", [False, True])
@pytest.mark.parametrize("case", KEYS)
def test_btree_indexes_are_read_and_written_again(case: str, bloom: bool, tmp_path: Path) -> None:
    writer = BTreeIndexWriter(LocalFiles(), str(tmp_path), strings(), 100, bloom)
    data = written(writer, tmp_path, KEYS[case])
    parsed = type_named("btree_index").read(data)
    blocks = [one.handle.keys.content for one in records_of(parsed.directory.content)]
    records = [record for block in blocks for record in records_of(block)]
    keys = [record.key.decode() for record in records]
    assert keys == sorted({key for key in KEYS[case] if key is not None})
    rows = [leb.value for record in records for leb in record.posting.rows]
    assert rows == [i * 1000 for i, key in enumerate(KEYS[case]) if key is not None]
    check_same(data, parsed, COMPUTED)


def records_of(block: Any) -> Any:
    """The records of a block of either kind."""
    return (block.of_one_size or block.of_several_sizes).records


def check_same(data: bytes, parsed: Any, computed: set[str]) -> None:
    """That the file is written again: as it was read, as JSON, and with all that is computed."""
    type_ = type_of(parsed)
    whole = objects.file_to_json([(0, type_, {})], data)
    assert whole["parts"] == [{"at": 0} | objects.to_json(parsed)] and not whole["gaps"]
    assert objects.to_bytes(parsed) == data
    assert objects.parts_from_json(whole, type_named) == data
    new = objects.from_json(type_, without(objects.to_json(parsed), computed))
    assert objects.to_bytes(new) == data


@pytest.mark.parametrize("case", [case for case in KEYS if case != "none"])
def test_bitmap_global_indexes_are_read_and_written_again(case: str, tmp_path: Path) -> None:
    writer = BitmapIndexWriter(LocalFiles(), str(tmp_path), strings(), 100)
    data = written(writer, tmp_path, KEYS[case])
    parsed = GlobalBitmapIndex.from_bytes(data)
    blocks = [one.body.content for one in parsed.directory.content.blocks]
    keys = [value.key.decode() for block in blocks for value in block.values]
    assert keys == sorted({key for key in KEYS[case] if key is not None})
    # pypaimon writes the first bitmap of a block before the block that precedes it.
    order = {"ofs_rows", "ofs_body"} if len(blocks) > 1 else set()
    check_same(data, parsed, COMPUTED - order)
    content = without(objects.to_json(parsed), COMPUTED)
    new = objects.to_bytes(objects.from_json(GlobalBitmapIndex, content))
    again = GlobalBitmapIndex.from_bytes(new)
    assert without(objects.to_json(again), COMPUTED) == content
    assert len(new) == len(data)


LZO_PLAIN = b"global indexes, " * 8 + bytes(range(64)) + b"global indexes, "
LZO_BLOCK = bytes.fromhex(
    "21676c6f62616c20696e64657865732c20204f3c00002e000102030405060708090a0b0c0d0e0f101112131415"
    "161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f2e3c01"
    "110000"
)
"""As the library lzo 2.10 compresses it (`lzo1x_999_compress`)."""


def test_blocks_of_lzo(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for python-lzo, which answers as version 1.15 did: no wheel has that."""
    monkeypatch.setitem(sys.modules, "lzo", None)
    with pytest.raises(FormatError, match="lzo: import of lzo"):
        decode("lzo", LZO_BLOCK, 0, len(LZO_PLAIN))

    def decompress(data: bytes, header: bool, size: int) -> bytes:
        if header or data != LZO_BLOCK or size < len(LZO_PLAIN):
            raise LookupError("Compressed data violation -5")
        return LZO_PLAIN

    lzo = SimpleNamespace(decompress=decompress, error=LookupError)
    monkeypatch.setitem(sys.modules, "lzo", lzo)
    assert decode("lzo", LZO_BLOCK, 0, len(LZO_PLAIN)) == LZO_PLAIN
    for size, message in (1, "less than 209"), (-1, "violation -5"):
        with pytest.raises(FormatError, match=message):
            decode("lzo", LZO_BLOCK, 0, len(LZO_PLAIN) + size)


@pytest.mark.parametrize("name", FORMS)
@examples(30)
@given(st.data())
def test_forms_come_back(name: str, load: Callable[[str], ModuleType], data: st.DataObject) -> None:
    """A drawn object is written, read by all, and written again; damaged bytes are, or by none."""
    type_ = load("structs").type_named(name)
    drawn = data.draw(st.composite(lambda draw: draw_object(draw, type_, {}, {}))())
    written = check_come_back(drawn)
    bad = bytearray(written)
    bad[data.draw(st.integers(0, len(bad) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    for file in (bytes(bad), written[: data.draw(st.integers(0, len(written)))]):
        check_readers(type_, file, {})


def test_a_computed_number_that_cannot_be_read_is_not_written(
    load: Callable[[str], ModuleType],
) -> None:
    """The file is too short for the checksum, whose table is not there, either."""
    check_readers(load("structs").type_named("counts_from_the_end"), b"AB", {})


def test_forms_have_views(load: Callable[[str], ModuleType]) -> None:
    types = map(load("structs").type_named, FORMS | READ)
    assert {type_.name for type_ in types if view_of(type_) is None} == NO_VIEW


LEFT_OUT = {
    "depends on when it is read": "{x: {pos: _io.pos + 1, type: u1}}",
    "of objects and bytes": (
        "{x: {pos: 0, size: 2, type: {switch-on: n, cases: {1: a}}, repeat: expr, repeat-expr: 2}}"
    ),
    "of encoded bytes": "{x: {io: b._io, pos: 0, type: u1}}",
}
"""Instances that parsers read, and writers cannot write."""


@pytest.mark.parametrize("message", LEFT_OUT)
def test_writers_are_left_out_of_what_they_cannot_know(message: str, tmp_path: Path) -> None:
    (tmp_path / "x.ksy").write_text(
        "meta: {id: x, title: x, endian: le}\n"
        "seq:\n  - {id: n, type: u1}\n  - {id: b, size: 2, process: xor(1), type: a}\n"
        f"instances: {LEFT_OUT[message]}\ntypes: {{a: {{seq: [{{id: v, type: u1}}]}}}}\n"
    )
    with pytest.raises(SpecError, match=message):
        struct_modules(World(load_specs(tmp_path)))


@pytest.mark.parametrize("name", READ)
@examples(60)
@given(st.binary(max_size=24))
def test_any_bytes_are_read_alike(
    name: str, load: Callable[[str], ModuleType], file: bytes
) -> None:
    check_readers(load("structs").type_named(name), file, {})


@pytest.mark.parametrize("level", [6, 9])
@pytest.mark.parametrize("places", [(19, 22), (19, 200), (21, 17), (24, 17)])
def test_what_encoded_bytes_place_elsewhere_comes_back(
    level: int, places: tuple[int, int], load: Callable[[str], ModuleType]
) -> None:
    """Also if they stay as they are, for a writer does not encode them alike."""
    body = zlib.compress(places[0].to_bytes(4, "little") + bytes([places[1]]), level)
    file = len(body).to_bytes(4, "little") + body + b"ABCDEFGH"
    assert check_readers(load("structs").type_named("encoded_elsewhere"), file, {})


@pytest.mark.parametrize(
    ("name", "data"), [("nested", b"\1" * 100_000), ("many", b"\xff\xff\xff\xff")]
)
def test_what_is_without_bound_is_refused(
    name: str, data: bytes, load: Callable[[str], ModuleType]
) -> None:
    with pytest.raises(FormatError, match=r"nested too deeply|repeats nothing"), bounded():
        objects.file_to_json([(0, load("structs").type_named(name), {})], data)
