"""Selected rows of an Avro file.

Blocks without a selected row are not decoded. Nothing after the last selected row is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.table.formats.open_file import OpenedFile, Picker, ReadStats
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.types.schema import Field


def read_avro(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    stats: ReadStats,
) -> Iterator[pa.RecordBatch]:
    """Yield columns of an Avro file, block by block; see `reader.read` for the arguments."""
    from paimon_ksy.data_files import avro

    with OpenedFile(storage, file, stats) as opened:
        picker = Picker(positions)
        for count, read in avro.read_blocks(opened.file, [field.name for field in wanted]):
            if picker.is_done:
                break
            if picker.hits(count):
                stats.groups_read += 1
                yield picker.pick(read())
            else:
                stats.groups_skipped += 1
                picker.skip(count)
