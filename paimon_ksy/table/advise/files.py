"""The data files of a sample: a few, spread over partitions and time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.index.options import INDEXABLE_FORMATS
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.prune import PartitionFilter
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.store import Table

_SAMPLE = 2, 32  # minimum and maximum number of files
_VALUES = 8_000_000  # values in the sample, if the caller passes no number of files
_ROWS = 1 << 16, 1 << 20  # minimum and maximum rows of a file
_REMEMBERED = 1024


@dataclass(frozen=True)
class Sample:
    """The data files to measure.

    Attributes:
        files: The files.
        size: The size of all files of the table that indexes could help.
        most_rows: The maximum number of rows to measure in a file.
        notes: Notes on the sample for readers of the advice.
    """

    files: list[DataFile]
    size: Size
    most_rows: int
    notes: tuple[str, ...] = ()


def sample_files(
    table: Table,
    snapshot: Any,
    partitions: PartitionFilter | None,
    count: int | None,
    num_columns: int,
) -> Sample:
    """Return a sample of a snapshot's data files.

    Args:
        table: The table.
        snapshot: The snapshot.
        partitions: Selects the partitions; None for all.
        count: The number of files; None for enough files to have about eight million values.
        num_columns: The number of columns to measure.
    """

    def most(size: Size) -> int:
        if count is not None:
            return count
        rows = max(1, size.rows // max(1, size.files))
        return max(_SAMPLE[0], min(_SAMPLE[1], _VALUES // (rows * num_columns)))

    files, notes = _useful_files(table, snapshot, partitions)
    chosen, size = choose_files(files, most)
    if not chosen:
        some = "" if partitions is None else " in these partitions"
        notes = (*notes, f"there is no Parquet, ORC or Avro file with rows{some} to measure")
    most_rows = _ROWS[1]
    if count is None:
        most_rows = max(_ROWS[0], min(_ROWS[1], 2 * _VALUES // (most(size) * num_columns)))
    return Sample(chosen, size, most_rows, notes)


def _useful_files(
    table: Table, snapshot: Any, partitions: PartitionFilter | None
) -> tuple[Iterable[DataFile], tuple[str, ...]]:
    """Return the files whose indexes readers use, now or after a compaction, and notes."""
    live = table.files(snapshot, partitions)
    reading = Reading.of(table.schema)
    if reading.streams:
        return (file for file in live if reading.sees(file)), ()
    files = list(live)
    sections = list(reading.sections(files))
    alone = [section.files[0] for section in sections if section.merge is None]
    merged = [file for section in sections if section.merge for file in section.files]
    notes: tuple[str, ...] = ()
    if merged:
        reason = next(section.merge for section in sections if section.merge)
        text = (
            f"pypaimon reads {len(merged):,} of {len(merged) + len(alone):,} files whole ({reason})"
        )
        if not alone and reading.data_evolution:
            raise PaimonKsyError(f"{text}, so indexes cannot help", path=table.location)
        what = "the other files, and for these after" if alone else "these files after"
        notes = (f"{text}; the advice holds for {what} a compaction",)
    elif files and not alone:
        text = f"{len(files):,} files wait for a compaction, and readers ignore them until then"
        notes = (f"{text}; the advice holds for these files after it",)
    return alone or merged or files, notes


def choose_files(
    files: Iterable[DataFile], most: Callable[[Size], int]
) -> tuple[list[DataFile], Size]:
    """Return some of the files, spread over partitions and time by their rows, and the size of all.

    The choice is the same for the same files. If there are very many files, about a thousand are
    candidates: those with the smallest hash codes of their names.

    Args:
        files: The files.
        most: Returns the number of files to choose, given the size of all.
    """
    size = Size()
    kept: list[tuple[bytes, DataFile]] = []
    for file in files:
        size += Size.of((file,))
        if file.num_rows and file.format in INDEXABLE_FORMATS:
            kept.append((blake2b(file.name.encode(), digest_size=8).digest(), file))
        if len(kept) >= 2 * _REMEMBERED:
            kept = sorted(kept, key=lambda item: item[0])[:_REMEMBERED]
    candidates = sorted((file for _, file in kept), key=_place)
    count = min(most(size), len(candidates))
    ends = list(itertools.accumulate(file.num_rows for file in candidates))
    chosen: dict[int, DataFile] = {}
    at = 0
    for step in range(count):
        wanted = (step + 0.5) / count * ends[-1]
        while ends[at] <= wanted:
            at += 1
        chosen[at] = candidates[at]
    left = [n for n in range(len(candidates)) if n not in chosen]
    for n in sorted(left, key=lambda n: (-candidates[n].num_rows, n))[: count - len(chosen)]:
        chosen[n] = candidates[n]
    return [chosen[n] for n in sorted(chosen)], size


def _place(file: DataFile) -> tuple[Any, ...]:
    """Return a key that sorts files by partition and time."""
    partition = tuple((value is None, str(value)) for value in file.partition)
    return partition, file.bucket, file.creation_millis or 0, file.min_sequence_number, file.name
