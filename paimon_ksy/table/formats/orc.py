"""Selected rows of an ORC file, reading as little else as possible.

Stripes without a selected row are skipped except for one narrow column, which shows where the
stripe ends, since pyarrow does not. All stripes after the last selected row are skipped, too. A
zoned timestamp has the value that Java reads in UTC: unless `orc.timestamp-ltz.legacy.type` is
false, it depends on the time zones of both the writer and the reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.data_files.orc.stripes import Stripes
from paimon_ksy.table.formats.open_file import OpenedFile, Picker, ReadStats, rows_only
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.types.schema import Field


def read_orc(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    stats: ReadStats,
) -> Iterator[pa.RecordBatch]:
    """Yield columns of an ORC file, stripe by stripe; see `reader.read` for the arguments.

    Raises:
        CorruptFileError: A footer is broken.
    """
    with OpenedFile(storage, file, stats) as opened:
        stripes = Stripes(opened.source)
        reader, own = stripes.file, stripes.schema
        kinds = {field.name: field.type for field in wanted if field.name in own.names}
        picker = Picker(positions)
        if not kinds:
            yield rows_only(reader.nrows if positions is None else len(positions))
            return
        narrow = min(kinds, key=lambda name: _width(own.field(name).type))
        for stripe in range(reader.nstripes):
            if picker.is_done:
                stats.groups_skipped += reader.nstripes - stripe
                break
            if positions is not None and reader.nstripes > 1:
                count = stripes.count(stripe, narrow)
                if not picker.hits(count):
                    picker.skip(count)
                    stats.groups_skipped += 1
                    continue
            stats.groups_read += 1
            yield picker.pick(stripes.read(stripe, list(kinds), kinds))


def _width(arrow_type: pa.DataType) -> int:
    """Return the bits of a value; a large number for values of variable width."""
    try:
        return int(arrow_type.bit_width)
    except ValueError:
        return 1 << 20
