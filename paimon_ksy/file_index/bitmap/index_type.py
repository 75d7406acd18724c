"""The record of the bitmap index."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.types.data_type import column_type

_late = partial(LateFunction, __package__)


INDEX_TYPE = IndexType(
    name="bitmap",
    takes=lambda data_type: column_type(data_type) is not None,
    options=("version", "index-block-size"),
    versions=("2", "1"),
    stored_options=_late("parts.stored_options"),
    reader=_late("reader.BitmapReader", 4),
    num_rows=_late("parts.num_rows"),
    builder=_late("writer.BitmapBuilder.of"),
    check=_late("check.check"),
    inspect=_late("inspect.inspect"),
    spec="bitmap_index",
    fields=_late("byte_map.fields"),
    preference=1,
    loses_rows=lambda data_type: data_type.is_cut,  # indexes store microseconds
)
