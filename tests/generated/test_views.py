"""Views of many elements, and places of fields. test_every_type.py compares views with parsers."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
from ksykit.runtime.errors import EndError, FormatError
from ksykit.runtime.objects import layout, to_bytes
from ksykit.runtime.records import MANY, Field, RecordLayout
from pyroaring import BitMap

from kit_support.agreement import check_same
from paimon_ksy.generated.structs.binary_row import BinaryRow
from paimon_ksy.generated.structs.chunked_dictionary import DictionaryKeys
from paimon_ksy.generated.structs.roaring_bitmap_32 import RoaringHeader as RoaringHeaderStruct
from paimon_ksy.generated.views import (
    binary_row,
    chunked_dictionary,
    roaring_bitmap_32,
)
from paimon_ksy.generated.views.bitmap_index_v2 import BITMAP_ENTRY_V2, BitmapBlockV2
from paimon_ksy.generated.views.chunked_dictionary import KeyType
from paimon_ksy.generated.views.roaring_bitmap_32 import RoaringHeader
from paimon_ksy.types.data_type import column_type
from paimon_ksy.types.parse import parse_type
from tests.reference.roaring_bitmap_32 import RoaringBitmap32


@pytest.mark.parametrize("count", [3, MANY, MANY + 1])
@pytest.mark.parametrize("arrays", [False, True])
def test_many_are_arrays(count: int, arrays: bool) -> None:
    bitmap = BitMap(range(0, count << 16, 1 << 16)).serialize()
    header = RoaringHeader(bitmap, 0, 0, arrays=arrays)
    parsed = RoaringBitmap32.RoaringHeader.from_bytes(bitmap)
    check_same(header, parsed)
    is_array = arrays or count > MANY
    assert isinstance(header.ofs_containers, np.ndarray) is is_array
    assert isinstance(header.descriptors_key, np.ndarray) is is_array
    for cut in (0, 7, 8, header.end - 1):
        with pytest.raises(EndError):
            RoaringHeader(bitmap[:cut], 0, 0, arrays=arrays)


@pytest.mark.parametrize("code", [order + letter for order in "<>" for letter in "bBhHiIqQ"])
@pytest.mark.parametrize("more", [(), (Field("after", "x", ">H"),)])
def test_a_length_beyond_the_end_is_refused(code: str, more: tuple[Field, ...]) -> None:
    """Whatever its width: one of 64 bits is more than any place in memory."""
    layout = RecordLayout(Field("size", "x", code), Field("text", "x"), *more)
    for data in (b"\xff" * 9, b"\x7f" * 9):
        for count in (1, 3):
            with pytest.raises(FormatError):
                layout.read(data, 0, 0, count)
        if not more:
            with pytest.raises(FormatError):
                layout.one(data, 0, 0)


def starts(parsed: Any) -> dict[str, int]:
    """Where each field starts that has bytes."""
    return {leaf.path.partition("[")[0]: leaf.start for leaf in reversed(layout(parsed))}


@pytest.mark.parametrize("rows", [[], [5], [1, 70_000], [*range(0, 20_000, 2), 90_000]])
def test_places_of_all_fields(rows: list[int]) -> None:
    data = BitMap(rows).serialize()
    parsed = RoaringHeaderStruct.from_bytes(data)
    places = roaring_bitmap_32.places_roaring_header(
        parsed.cookie, parsed.num_containers_minus_1, parsed.num_containers
    )
    assert starts(parsed).items() <= places._asdict().items()
    assert places.end == len(to_bytes(parsed))


def test_places_of_many() -> None:
    many = roaring_bitmap_32.places_roaring_header(12346, 0, np.arange(3))
    each = [roaring_bitmap_32.places_roaring_header(12346, 0, number) for number in range(3)]
    for name in ("ofs_containers", "end"):
        assert getattr(many, name).tolist() == [getattr(one, name) for one in each]


@pytest.mark.parametrize("num_fields", [1, 56, 57, 130])
def test_places_up_to_a_field_of_unknown_size(num_fields: int) -> None:
    row = BinaryRow.from_bytes(bytes(range(256)) * 5, num_fields=num_fields)
    assert binary_row.places_binary_row(num_fields)._asdict() == starts(row)


def test_places_of_fields_with_a_condition() -> None:
    data = bytes(5 * (4 + 4))
    for kind in KeyType.string.value, column_type(parse_type("INT")):
        keys = DictionaryKeys.from_bytes(data, num_keys=5, column_type=kind)
        places = chunked_dictionary.places_dictionary_keys(5, kind)
        assert starts(keys).items() <= places._asdict().items()


def test_positions_beyond_32_bits_do_not_wrap() -> None:
    offsets = [2**31 - 1, -(2**31)]
    entries = BITMAP_ENTRY_V2[4].pack(key=[7, 8], ofs_bitmap=offsets, len_bitmap=[4, 5])
    block = BitmapBlockV2(b"\0\0\0\2" + entries.data, 0, 0, 1000, 4, arrays=True)
    starts, sizes = block.place_entries_bitmap(slice(None))
    assert starts.tolist() == [1000 + offset for offset in offsets] and sizes.tolist() == [4, 5]
    assert block.entries_row(slice(None))[1] == 2**31 - 1


def test_constants_are_attributes_of_the_class() -> None:
    row = BinaryRow.from_bytes(bytes(16), num_fields=1)
    assert binary_row.BinaryRow.len_field == row.len_field == 8
    assert binary_row.BinaryRow(bytes(16), 0, 0, 1).num_kind_bits == row.num_kind_bits


def views() -> list[type]:
    """The views of all types that stand at a place, not at many."""
    modules = [
        import_module(f"paimon_ksy.generated.views.{each.name}")
        for each in iter_modules(import_module("paimon_ksy.generated.views").__path__)
    ]
    return [
        cls
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type)
        and cls.__module__ == module.__name__
        and "p" in signature(cls).parameters
        and not cls.__name__.endswith("Columns")
    ]


@pytest.mark.parametrize("cls", views(), ids=lambda cls: cls.__name__)
def test_nothing_is_before_the_first_byte(cls: Any) -> None:
    _, _, _, *others = signature(cls).parameters.values()
    arguments = [1 for each in others if each.default is each.empty]
    try:
        empty = cls(b"", 0, 0, *arguments).end == 0
    except FormatError:
        empty = False
    if not empty:
        with pytest.raises(FormatError):
            cls(bytes(64), 0, -5, *arguments)
