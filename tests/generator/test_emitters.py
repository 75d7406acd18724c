"""What is generated from small specs of the test's own does what Kaitai's compiler does.

No committed output has a part in it: bytes are made by hand, with `struct`, and read and written by
the parsers, writers and views of a temporary package.
"""

from __future__ import annotations

import importlib
import io
import itertools
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from kaitaistruct import KaitaiStream, KaitaiStructError, ValidationFailedError

from paimon_ksy.generator.compiler import CompilerMissing, compiler_path
from paimon_ksy.runtime import errors, fields, objects, streams
from tests.conftest import skip_or_fail
from tools.ksy.__main__ import generate

SPECS = {
    "spot": """\
meta:
  id: spot
  title: A position that is remembered
  license: Apache-2.0
  ks-version: '0.11'
doc: Takes no bytes.
params:
  - id: at
    type: s8
    doc: Offset in the stream.
""",
    "label": """\
meta:
  id: label
  title: A value of one of several types
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: The type is a parameter.
params:
  - id: kind
    type: u1
    doc: A number of the enum.
seq:
  - id: short
    type: u2
    if: type == sort::number
    valid:
      max: 40000
  - id: real
    type: f4
    if: type == sort::real
  - id: len_text
    type: u2be
    if: type == sort::text
  - id: text
    size: len_text
    -pk-encoding: utf-8
    if: type == sort::text
instances:
  type:
    value: kind
    enum: sort
enums:
  sort:
    1: number
    2: real
    3: text
""",
    "crate": """\
meta:
  id: crate
  title: A head, records, and what they place
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - spot
    - label
  endian: le
-pk-view: true
-pk-head: version
doc: Little-endian, unlike the formats of this project.
params:
  - id: kind
    type: u1
    doc: That of labels.
seq:
  - id: magic
    contents: [0x43, 0x52]
  - id: version
    type: u1
    valid: 3
  - id: num_rows
    type: u4be
    valid:
      max: 1000000
  - id: num_items
    type: u2
    valid:
      max: 900
  - id: mood
    type: s1
    enum: mood
    valid:
      any-of: [mood::calm, mood::wild]
  - id: has_spare
    type: u1
  - id: spare
    type: s8
    if: has_spare != 0
    valid:
      min: -7
  - id: ofs_tail
    type: s2be
    if: has_spare != 0 and spare > 0
  - id: items_start
    type: spot(_io.pos)
    doc: Where items start.
instances:
  is_mirrored:
    value: ofs_tail < 0
    if: has_spare != 0 and spare > 0
  shelf:
    pos: items_start.at
    type: shelf(num_items, kind)
types:
  shelf:
    -pk-view: true
    -pk-tail: boxes_start
    params:
      - id: num_items
        type: u2
      - id: kind
        type: u1
    seq:
      - id: items
        type: item(kind)
        repeat: expr
        repeat-expr: num_items
      - id: boxes_start
        type: spot(_io.pos)
        doc: Where offsets of boxes are counted from.
  item:
    params:
      - id: kind
        type: u1
    seq:
      - id: key
        type: label(kind)
      - id: ofs_box
        type: s4
      - id: len_box
        type: s2
    instances:
      is_alone:
        value: ofs_box < 0
      row:
        value: -1 - ofs_box
        if: is_alone
        -pk-inverse:
          ofs_box: -1 - row
      box:
        pos: _parent.as<shelf>.boxes_start.at + ofs_box
        size: len_box
        type: box
        if: not is_alone
  box:
    -pk-view: true
    seq:
      - id: num_cells
        type: u1
        valid:
          max: 200
        -pk-value: count(cells)
      - id: shade
        type: s2be
      - id: cells
        type: u2be
        repeat: expr
        repeat-expr: num_cells
enums:
  mood:
    -1: calm
    4: wild
""",
}
KINDS = {1: "number", 2: "real", 3: "text"}
PACKAGES = itertools.count()


# Bytes by hand ------------------------------------------------------------------------------------


@dataclass
class Item:
    """`cells` are those of its box; without them it stands alone in `row`."""

    key: Any
    row: int | None = None
    cells: list[int] = field(default_factory=list)

    @property
    def shade(self) -> int:
        """A number in the box, that differs from that of its cells."""
        return len(self.cells) - 300


@dataclass
class Crate:
    kind: int
    num_rows: int
    mood: int
    spare: int | None
    ofs_tail: int | None
    items: list[Item]

    def head(self) -> bytes:
        data = b"CR\x03" + struct.pack(">I", self.num_rows)
        data += struct.pack("<HbB", len(self.items), self.mood, self.spare is not None)
        if self.spare is not None:
            data += struct.pack("<q", self.spare)
        return data if self.ofs_tail is None else data + struct.pack(">h", self.ofs_tail)

    def places(self) -> list[tuple[int, int]]:
        """Of each item `ofs_box` and `len_box`."""
        found, at = [], 0
        for item in self.items:
            size = 3 + 2 * len(item.cells)
            found.append((at, size) if item.row is None else (-1 - item.row, -1))
            at += size if item.row is None else 0
        return found

    def item(self, number: int) -> bytes:
        key = self.items[number].key
        text = struct.pack(">H", len(key)) + key if self.kind == 3 else b""
        start = text or struct.pack("<H" if self.kind == 1 else "<f", key)
        return start + struct.pack("<ih", *self.places()[number])

    def boxes(self) -> list[bytes]:
        return [
            struct.pack(f">Bh{len(item.cells)}H", len(item.cells), item.shade, *item.cells)
            for item in self.items
            if item.row is None
        ]

    def shelf(self) -> bytes:
        return b"".join(map(self.item, range(len(self.items))))

    def data(self) -> bytes:
        return self.head() + self.shelf() + b"".join(self.boxes())


def some_crate(seed: int) -> Crate:
    rng = random.Random(seed)
    kind = seed % 3 + 1
    make: Callable[[], Any] = {
        1: lambda: rng.choice([0, 1, 40_000, rng.randrange(40_001)]),
        2: lambda: rng.choice([0.0, -0.0, 1.5, -2.25, float("inf"), 2.0**-140]),
        3: lambda: rng.choice([b"", b"a", "gr\u00fc\u00df".encode(), b"\xff", b"x" * 300]),
    }[kind]
    items = [
        Item(make(), rng.randrange(1000))
        if rng.random() < 0.4
        else Item(make(), cells=[rng.randrange(1 << 16) for _ in range(rng.randrange(4))])
        for _ in range(rng.choice([0, 1, 2, 5, 40]))
    ]
    spare = rng.choice([None, -7, 0, 1, 2**62])
    tail = rng.choice([-300, -1, 0, 258]) if spare is not None and spare > 0 else None
    return Crate(kind, rng.choice([0, 258, 1_000_000]), rng.choice([-1, 4]), spare, tail, items)


SEEDS = range(9)


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], ModuleType]]:
    """Imports a module of what is generated from the specs above."""
    try:
        compiler_path()
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")
    folder = tmp_path_factory.mktemp("emitters")
    specs, package = folder / "specs", f"crates_{next(PACKAGES)}"
    specs.mkdir()
    for name, text in SPECS.items():
        (specs / f"{name}.ksy").write_text(text)
    generate(specs, folder / package)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield lambda module: importlib.import_module(f"{package}.{module}")


def parse(load: Callable[[str], ModuleType], data: bytes, kind: int) -> Any:
    return load("parsers.crate").Crate(kind, KaitaiStream(io.BytesIO(data)))


# What is read -------------------------------------------------------------------------------------


def label(key: Any) -> Any:
    return next(getattr(key, name) for name in ("short", "real", "text") if hasattr(key, name))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("before", [0, 11])
@pytest.mark.parametrize("arrays", [False, True])
def test_views(arrays: bool, before: int, seed: int, load: Callable[[str], ModuleType]) -> None:
    crate = some_crate(seed)
    views, data = load("views.crate"), crate.data()
    for d, start in ((b"x" * before + data, 0), (data, before)):  # a window has its own start
        head = views.Crate(d, start, before - start, crate.kind)
        check_head(head, crate, before)
        pos, size = head.place_shelf()
        assert (pos, size) == (before + len(crate.head()), None)
        shelf = views.Shelf(d, start, pos - start, head.num_items, crate.kind, arrays=arrays)
        assert isinstance(shelf.items_ofs_box, np.ndarray) is arrays
        check_shelf(shelf, crate, before)
        if arrays and crate.items:
            starts, sizes = shelf.place_items_box(np.arange(len(crate.items)))
            end = before + len(crate.head()) + len(crate.shelf())
            assert list(zip((starts - end).tolist(), sizes.tolist(), strict=True)) == crate.places()


def test_views_of_the_first_and_the_last_fields(load: Callable[[str], ModuleType]) -> None:
    views = load("views.crate")
    head = views.CrateHead(b"--" + some_crate(1).data()[:3], 5, 2, 1)
    assert (bytes(head.magic), head.version, head.end) == (b"CR", 3, 10)
    with pytest.raises(errors.FormatError):
        views.CrateHead(b"CR\4", 0, 0, 1)
    assert views.ShelfTail(b"1234567", 20, 7, 900, 1).boxes_start == 27


def check_head(head: Any, crate: Crate, before: int) -> None:
    end = before + len(crate.head())
    assert (bytes(head.magic), head.version, head.kind) == (b"CR", 3, crate.kind)
    assert (head.num_rows, head.num_items) == (crate.num_rows, len(crate.items))
    assert (head.mood, bool(head.has_spare)) == (crate.mood, crate.spare is not None)
    assert (head.spare, head.ofs_tail) == (crate.spare, crate.ofs_tail)
    assert (head.items_start, head.end) == (end, end)
    assert crate.ofs_tail is None or head.is_mirrored is (crate.ofs_tail < 0)


def check_shelf(shelf: Any, crate: Crate, before: int) -> None:
    end = before + len(crate.head()) + len(crate.shelf())
    assert (shelf.boxes_start, shelf.end) == (end, end)
    assert list(shelf.items_key) == [item.key for item in crate.items]
    assert list(zip(shelf.items_ofs_box, shelf.items_len_box, strict=True)) == crate.places()
    for i, item in enumerate(crate.items):
        assert bool(shelf.items_is_alone(i)) is (item.row is not None)
        if item.row is None:
            ofs, size = crate.places()[i]
            assert shelf.place_items_box(i) == (end + ofs, size)
        else:
            assert shelf.items_row(i) == item.row


@pytest.mark.parametrize("seed", SEEDS)
def test_columns(seed: int, load: Callable[[str], ModuleType]) -> None:
    crate = some_crate(seed)
    data, layout = crate.data(), load("views.crate").ITEM[crate.kind]
    start, count = len(crate.head()), len(crate.items)
    end, key, ofs_box, len_box = layout.read(data, 0, start, count, arrays=True)
    assert end == start + len(crate.shelf())
    assert layout.sizes([key]).tolist() == [len(crate.item(i)) for i in range(count)]
    assert list(key) == [item.key for item in crate.items]
    assert list(zip(ofs_box.tolist(), len_box.tolist(), strict=True)) == crate.places()
    made = layout.pack(key=key, ofs_box=ofs_box, len_box=len_box)
    assert made.data == crate.shelf() and list(made) == list(map(crate.item, range(count)))
    assert load("writers.crate").ofs_box_of_row(np.array([0, 6])).tolist() == [-1, -7]

    shelf = load("views.crate").Shelf(data, 0, start, count, crate.kind, arrays=True)
    starts, sizes = shelf.place_items_box(slice(None))
    for i, item in enumerate(crate.items):
        if item.row is None:
            box = load("views.crate").Box(data, 0, int(starts[i]))
            assert (box.num_cells, box.shade) == (len(item.cells), item.shade)
            assert list(box.cells) == item.cells
            assert box.end == starts[i] + sizes[i]


# What is written ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_writers(seed: int, load: Callable[[str], ModuleType]) -> None:
    """With all counts, lengths and offsets left out."""
    crate = some_crate(seed)
    made = load("writers.crate")
    name = {1: "short", 2: "real", 3: "text"}[crate.kind]
    items = []
    for item in crate.items:
        key = load("writers.label").make_label(**{name: item.key})
        if item.row is None:
            box = made.make_box(shade=item.shade, cells=item.cells)
            items.append(made.make_item(key=key, box=box))
        else:
            items.append(made.make_item(key=key, row=item.row, len_box=-1))
    fields: dict[str, Any] = {"has_spare": int(crate.spare is not None)}
    fields |= {} if crate.spare is None else {"spare": crate.spare}
    fields |= {} if crate.ofs_tail is None else {"ofs_tail": crate.ofs_tail}
    built = made.make_crate(
        kind=crate.kind,
        version=3,
        num_rows=crate.num_rows,
        mood=crate.mood,
        shelf=made.make_shelf(items=items),
        **fields,
    )
    assert objects.to_bytes(built) == crate.data()


# Damage -------------------------------------------------------------------------------------------


def test_positions_beyond_32_bits_do_not_wrap(load: Callable[[str], ModuleType]) -> None:
    crate = Crate(1, 5, 4, None, None, [Item(7, 3)])
    items = (
        load("views.crate")
        .ITEM[1]
        .pack(key=np.array([7, 8], np.uint16), ofs_box=[2**31 - 1, -(2**31)], len_box=[4, 5])
    )
    data = crate.data()[: len(crate.head())] + items.data
    shelf = load("views.crate").Shelf(data, 0, len(crate.head()), 2, 1, arrays=True)
    starts, sizes = shelf.place_items_box(slice(None))
    assert starts[0] == shelf.boxes_start + 2**31 - 1
    assert sizes.tolist() == [4, 5]
    assert shelf.items_row(slice(None))[1] == 2**31 - 1


@pytest.mark.parametrize(
    "path", [(), ("shelf",), ("shelf", "items", 0), ("shelf", "items", 0, "key")]
)
def test_keys_that_are_no_fields_are_refused(
    path: tuple[Any, ...], load: Callable[[str], ModuleType]
) -> None:
    crate = Crate(1, 5, 4, 1, -2, [Item(7, 3), Item(8, cells=[1, 2])])
    data = crate.data()
    document = objects.parts_to_json([(0, parse(load, data, 1))], data)
    assert objects.parts_from_json(document, load("writers").type_named) == data
    node = document["parts"][0]
    for step in path:
        node = node[step]
    node["colour"] = 1
    with pytest.raises(errors.FormatError, match="no field colour"):
        objects.parts_from_json(document, load("writers").type_named)


def test_what_contradicts_itself_is_not_written(load: Callable[[str], ModuleType]) -> None:
    crate = Crate(3, 5, 4, None, None, [Item(b"abc", 3)])
    made = load("writers.crate")
    make_label, error = load("writers.label").make_label, errors.FormatError
    key = make_label(text=b"abc")
    box = made.make_box(shade=0, cells=[])

    def written(*items: Any) -> bytes:
        shelf = made.make_shelf(items=list(items))
        fields = {"version": 3, "num_rows": 5, "mood": 4, "has_spare": 0}
        data: bytes = objects.to_bytes(made.make_crate(kind=3, shelf=shelf, **fields))
        return data

    assert written(made.make_item(key=key, row=3, len_box=-1)) == crate.data()
    with pytest.raises(error, match="condition does not hold"):  # it stands alone: no box
        written(made.make_item(key=key, row=3, len_box=3, box=box))
    with pytest.raises(error):
        written(made.make_item(key=make_label(text=b"abc", len_text=5), row=3, len_box=-1))
    document = objects.parts_to_json([(0, parse(load, crate.data(), 3))], crate.data())
    document["parts"][0]["shelf"]["items"][0]["key"]["len_text"] = 5
    with pytest.raises(error):
        objects.parts_from_json(document, load("writers").type_named)


def test_what_is_not_valid_is_refused(load: Callable[[str], ModuleType]) -> None:
    crate = Crate(1, 5, 4, 1, -2, [Item(7, 3)])
    views = load("views.crate")
    for at, byte, start in (
        (0, 0x44, 0),
        (2, 4, 2),
        (3, 1, 3),
        (9, 5, 9),
        (8, 4, 7),
        (18, 0x80, 11),
    ):
        data = bytearray(crate.data())
        data[at] = byte
        with pytest.raises(KaitaiStructError) as refused:
            parse(load, bytes(data), 1)
        with pytest.raises(errors.FormatError) as error:
            views.Crate(bytes(data), 0, 0, 1)
        assert isinstance(refused.value, ValidationFailedError)
        assert error.value.field == f"crate{refused.value.src_path}"
        assert error.value.offset == start
        reading = streams.Reading(bytes(data), frozenset())
        with pytest.raises(errors.FormatError):
            fields.read_object(reading, 0, load("writers").type_named("crate"), {"kind": 1})
        with pytest.raises(KaitaiStructError):
            parse(load, bytes(data), 1)
    with pytest.raises(errors.FormatError, match=r"short cannot be 40001"):
        views.ITEM[1].read(struct.pack("<Hih", 40_001, 0, 0), 0, 0, 1)
    assert views.Box(b"\xc8" + b"\0" * 402, 0, 0).end == 403
    with pytest.raises(errors.FormatError, match="201"):
        views.Box(b"\xc9" + b"\0" * 404, 0, 0)
    many = Crate(1, 5, 4, None, None, [Item(i, i) for i in range(901)])
    with pytest.raises(errors.FormatError, match="num_items cannot be 901"):
        views.Crate(many.data(), 0, 0, 1)
