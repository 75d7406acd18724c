# Generated from specs/range_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of range_bitmap_index.

Range bitmap of a Paimon file index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Measure, Number, Object, Type
from ksykit.runtime.json_values import S4BE, U1

from ..parsers.range_bitmap_index import RangeBitmapIndex

RANGE_BITMAP_INDEX_TYPE = Type(
    RangeBitmapIndex,
    "range_bitmap_index",
    Number(
        "len_head",
        S4BE,
        least=13,
        value=lambda s: s._position("head_end") - s._position("head_start"),
    ),
    Object("head_start", "position", args={"at": "_io.pos"}, looked=True, measured=True),
    Number("version", U1, equal=1),
    Number("num_rows", S4BE, least=0),
    Number("num_values", S4BE, least=0),
    Object(
        "min", "typed_value", args={"column_type": "column_type"}, when=lambda s: s.num_values > 0
    ),
    Object(
        "max", "typed_value", args={"column_type": "column_type"}, when=lambda s: s.num_values > 0
    ),
    Number(
        "len_dictionary",
        S4BE,
        least=17,
        value=lambda s: s._position("slices") - s._position("dictionary"),
        when=lambda s: s.column_type != 0,
    ),
    Object("head_end", "position", args={"at": "_io.pos"}, measured=True),
    Object(
        "dictionary",
        "chunked_dictionary",
        args={"column_type": "column_type"},
        looked=True,
        at=lambda s: s.head_start.at + s.len_head,
        measured=True,
    ),
    Object(
        "slices",
        "bit_slice_index",
        at=lambda s: s.head_start.at + s.len_head + s.len_dictionary,
        measured=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "len_head": Measure("position", "dictionary", lambda s, n: n - s.head_start.at),
        "len_dictionary": Measure(
            "position", "slices", lambda s, n: n - (s.head_start.at + s.len_head)
        ),
    },
)

make_range_bitmap_index = RANGE_BITMAP_INDEX_TYPE.make
