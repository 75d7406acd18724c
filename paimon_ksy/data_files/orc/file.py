"""Read ORC files with the values that Java's reader returns, and as little of them as possible.

Stripes without a selected row are skipped except for one narrow column, which shows where the
stripe ends, since pyarrow does not. All stripes after the last selected row are skipped, too.

Arrow reads timestamps as 64 bits of nanoseconds, and those before 1677 or after 2262 silently
overflow: 9999-12-31 becomes a day in 1816. So a second reader reads their seconds, as LONGs. A
zoned timestamp has the value that Java reads in UTC: unless `orc.timestamp-ltz.legacy.type` is
false, it depends on the time zones of both the writer and the reader.

Of a writer outside UTC, Arrow reads some times before 1970 otherwise than Java: it takes the sign
and the offset of another moment, so those are computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.orc as orc

from paimon_ksy.data_files.data_file import (
    NO_TYPES,
    DataFile,
    Picker,
    Positions,
    ReadStats,
    Types,
    rows_only,
)
from paimon_ksy.data_files.orc.footers import OrcFooters
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.generated.views.orc_metadata import OrcMetadata
from paimon_ksy.io.source import Source
from paimon_ksy.types.arrays import filled, to_arrow_array, to_numpy
from paimon_ksy.types.arrow import from_arrow, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.nested import converted, leaves
from paimon_ksy.types.timestamps import Whole, of_parts

_SECOND = 10**9
_SECONDS, _NANOS = divmod(1 << 64, _SECOND)
"""The time that is lost when 64 bits of nanoseconds overflow."""
_MOST_MOVED = 2 * 86_400
"""More seconds than time zones can move a timestamp."""
_UTC = frozenset(("", "UTC", "GMT", "Etc/UTC", "Etc/GMT", "Z"))
_UNDER_A_MILLI = 999_999
_1900 = -2_208_988_800
_IN_WINTER, _IN_SUMMER = 1_736_899_200, 1_752_537_600
"""Moments in January and July 2025: in one of them, a zone has its standard offset."""


class OrcFile(DataFile):
    """An open ORC file.

    Raises:
        CorruptFileError: The file footer is corrupt; `batches` raises it for a stripe footer.
    """

    format = "ORC"

    def __init__(self, source: Source, **_: Any) -> None:
        """Read the footer."""
        super().__init__(source)
        self._footers = OrcFooters(source)
        self._reader = orc.ORCFile(source.file)
        self.schema = self._reader.schema.remove_metadata()
        self.num_rows = self._reader.nrows

    def batches(
        self,
        names: Sequence[str],
        types: Types = NO_TYPES,
        positions: Positions = None,
        stats: ReadStats | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield columns, stripe by stripe; see `DataFile.batches`."""
        stats = stats or ReadStats()
        reader, names = self._reader, [name for name in names if name in self.schema.names]
        if not names:
            yield rows_only(reader.nrows if positions is None else len(positions))
            return
        picker = Picker(positions)
        narrow = min(names, key=lambda name: _width(self.schema.field(name).type))
        for stripe in range(reader.nstripes):
            if picker.is_done:
                stats.groups_skipped += reader.nstripes - stripe
                break
            zone = self._footers.writer_zone(stripe)
            if positions is not None and reader.nstripes > 1:
                count = reader.read_stripe(stripe, columns=[narrow]).num_rows
                if not picker.hits(count):
                    picker.skip(count)
                    stats.groups_skipped += 1
                    continue
            stats.groups_read += 1
            yield picker.pick(self._stripe(stripe, zone, names, types))

    @cached_property
    def _seconds(self) -> Any:
        return orc.ORCFile(self._footers.with_longs().file)

    def _stripe(self, stripe: int, zone: str, names: Sequence[str], types: Types) -> pa.RecordBatch:
        """Return columns of a stripe of a writer in a zone, as these types if they are known."""
        arrow_types = {name: self.schema.field(name).type for name in names}
        timed = [name for name in names if "timestamp" in str(arrow_types[name])]
        longs = self._seconds.read_stripe(stripe, columns=timed) if timed else None
        try:
            batch = self._reader.read_stripe(stripe, columns=list(names))
        except pa.ArrowInvalid as error:
            if longs is None or "out of range" not in str(error):
                raise
            raise UnsupportedError(
                "contains timestamps before 1677-09-21 or after 2262-04-11, which this version of "
                "pyarrow refuses to read",
                remedy="leave these columns out, or install pyarrow 19",
            ) from error
        arrays = []
        for name in names:
            column, kind, seconds = batch.column(name), types.get(name), iter(())
            if longs is not None and name in timed:
                kind = kind or from_arrow(arrow_types[name])
                seconds = iter(leaves(longs.column(name), kind))
            if kind is not None:
                column = converted(column, kind, partial(_as_in_java, seconds, zone), name)
            arrays.append(column)
        return pa.RecordBatch.from_arrays(arrays, list(names))


def _as_in_java(
    seconds: Iterator[pa.Array], zone: str, column: pa.Array, kind: DataType
) -> pa.Array:
    """Return values that are not nested, CHARs without the spaces with which ORC pads them."""
    stored = next(seconds, None)
    if kind.root == "CHAR":
        return pc.ascii_rtrim(column, characters=" ")  # by bytes, which may not be UTF-8
    if not kind.is_timestamp or stored is None:
        return column
    nulls = to_numpy(column.is_null())
    nanos = to_numpy(filled(column.view(pa.int64()), 0))
    about = to_numpy(filled(stored, 0)) + OrcMetadata.epoch
    about[nulls] = 0
    overflows = np.rint((about * float(_SECOND) - nanos) / (1 << 64)).astype(np.int64)
    rest = nanos % _SECOND + overflows * _NANOS
    whole = nanos // _SECOND + overflows * _SECONDS + rest // _SECOND
    if (np.abs(whole - about) > _MOST_MOVED).any():
        raise ValueError("its timestamps differ from the seconds of these")
    rest %= _SECOND
    if zone not in _UTC and column.type.tz is None:  # instants are not shifted
        whole = _before_1970(whole, rest, about, zone)
    return of_parts(whole, rest, to_arrow(kind), nulls)


def _before_1970(whole: Whole, nanos: Whole, about: Whole, zone: str) -> Whole:
    """Return the local seconds of timestamps, those before 1970 by the rules of Java's reader.

    Java takes the second before if the stored one is before 1970 in UTC, and there is at least a
    millisecond after it; Arrow's reader decides by the local second. Java looks up the offset of
    the resulting second, and Arrow that of the stored one. Before 1900, Java's offsets are today's.

    Args:
        whole: The local seconds that Arrow's reader returns.
        nanos: The nanoseconds after each.
        about: The stored seconds, as if the writer had been in UTC.
        zone: The writer's time zone.
    """
    [base, winter, summer] = _offsets(np.array([OrcMetadata.epoch, _IN_WINTER, _IN_SUMMER]), zone)
    instants = about - base
    early = instants < _MOST_MOVED
    seconds = instants[early]
    seconds -= (seconds < 0) & (nanos[early] > _UNDER_A_MILLI)
    offsets = np.where(seconds < _1900, min(winter, summer), _offsets(seconds, zone))
    whole = whole.copy()
    whole[early] = seconds + offsets
    return whole


def _offsets(seconds: Whole, zone: str) -> Whole:
    """Return the offsets of a zone from UTC at these moments, in seconds."""
    moments = to_arrow_array(seconds, pa.int64()).view(pa.timestamp("s", zone))
    return to_numpy(pc.local_timestamp(moments).view(pa.int64())) - seconds


def _width(arrow_type: pa.DataType) -> int:
    """Return the bits of a value; a large number for values of variable width."""
    try:
        return int(arrow_type.bit_width)
    except ValueError:
        return 1 << 20
