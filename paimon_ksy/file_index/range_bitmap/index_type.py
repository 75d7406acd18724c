"""The `IndexType` record of the range bitmap index."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.types.data_type import DataType

_late = partial(LateFunction, __package__)


def _is_taken(data_type: DataType) -> bool:
    from paimon_ksy.file_index.range_bitmap.reader import stored_type

    return stored_type(data_type) is not None


INDEX_TYPE = IndexType(
    name="range-bitmap",
    takes=_is_taken,
    options=("chunk-size",),
    reader=_late("reader.RangeBitmapReader", 4),
    num_rows=_late("reader.num_rows"),
    can_sort=True,
    has_values=True,
    has_bounds=True,
    builder=_late("writer.RangeBitmapBuilder.of"),
    check=_late("check.check"),
    inspect=_late("inspect.inspect"),
    spec="range_bitmap_index",
    preference=2,
)
