"""The record of the bit-slice index."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.file_index.index_type import IndexType

_late = partial(LateFunction, __package__)


INDEX_TYPE = IndexType(
    name="bsi",
    takes=_late("reader.is_taken"),
    is_typed=False,
    reader=_late("reader.BsiReader", 4),
    num_rows=_late("reader.num_rows"),
    can_sort=True,
    has_values=True,
    builder=_late("writer.BsiBuilder", 1),
    check=_late("check.check"),
    inspect=_late("inspect.inspect"),
    spec="bsi_index",
    preference=3,
    loses_rows=lambda data_type: data_type.is_cut,  # indexes store microseconds
)
