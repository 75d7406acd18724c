# Generated from specs/range_bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of range_bitmap_index as arrays.

Range bitmap of a Paimon file index.
"""

from __future__ import annotations

from typing import Any

from ..arrays import Reader, fresh, wide
from ..parsers.bit_slice_index import BitSliceIndex
from .bit_slice_index import parse_bit_slice_index


def slices(x: Any) -> Any:
    """The `slices` of a `range_bitmap_index`.

    Like the parser's property of a `range_bitmap_index`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_slices")
    if found is not None:
        return found
    if x._io is None:
        return x._m_slices
    r = Reader.of_stream(x._io, x.head_start.at + x.len_head + x.len_dictionary)
    found = fresh(BitSliceIndex, x, None)
    parse_bit_slice_index(found, r)
    x._a_slices = found
    x.__dict__.setdefault("_m_slices", found)
    return found


def extent_dictionary(x: Any) -> tuple[Any, Any]:
    """Where the `dictionary` of a `range_bitmap_index` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `dictionary` is not looked at.
    """
    return x.head_start.at + wide(x.len_head), None


def extent_slices(x: Any) -> tuple[Any, Any]:
    """Where the `slices` of a `range_bitmap_index` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `slices` is not looked at.
    """
    return x.head_start.at + wide(x.len_head) + wide(x.len_dictionary), None
