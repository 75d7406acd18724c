"""Data files whose rows are to be had only together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.store.library import Reading, pypaimon_module
from paimon_ksy.table.store.table import Table
from paimon_ksy.table.store.values import DataFile

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class MergedFiles:
    """Data files whose rows are to be had only together, by pypaimon. It can be pickled."""

    table: Any = field(repr=False)
    split: Any = field(repr=False)

    def read(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Rows of these columns, as pypaimon merges them, and maybe of some more.

        Raises PaimonKsyError.
        """
        _refuse_years()
        where = self.split.files[0].file_path
        with Reading(f"{where} and {len(self.split.files) - 1} more"):
            builder = self.table.new_read_builder().with_projection(self._read(columns))
            yield from builder.new_read().to_arrow_batch_reader([self.split])

    def _read(self, columns: Sequence[str]) -> list[str]:
        """With a column of each Avro file: pypaimon reads no row where it reads no column.

        Files of primary keys always have some that are read.
        """
        names = list(columns)
        for file in () if self.table.primary_keys else self.split.files:
            if not file.file_name.endswith(".avro"):
                continue
            fields = self.table.schema_manager.get_schema(file.schema_id).fields
            written = {f.id for f in fields if f.name in (file.write_cols or (f.name,))}
            own = [
                field.name
                for field in self.table.fields
                if field.id in written and field.name not in self.table.partition_keys
            ]
            if not own:
                raise PaimonKsyError(f"{file.file_path}: has no column that is left of the table")
            if not set(own) & set(names):
                names.append(own[0])
        return names


def merged_files(
    table: Table,
    snapshot: Any,
    groups: Iterable[Iterable[DataFile]],
    travel: Mapping[str, str] | None,
) -> Iterator[list[MergedFiles]]:
    """For each group of files, which are of one bucket, those that pypaimon reads as one.

    `travel` has pypaimon's options that lead to the snapshot in the schema it had; None takes
    the table's current one. Raises PaimonKsyError if pypaimon does not see one of the files.
    """
    if travel is None:
        source = table.pypaimon.copy_without_time_travel({"scan.snapshot-id": str(snapshot.id)})
    else:
        source = table.pypaimon.copy(dict(travel))
    with table.reading(f"plan of snapshot {snapshot.id}"):
        splits = source.new_read_builder().new_scan().plan().splits()
    of_bucket: dict[Any, list[Any]] = {}
    for split in splits:
        of_bucket.setdefault((table.partition_of(split), split.bucket), []).append(split)
    for group in groups:
        files = {file.name: file for file in group}
        some = next(iter(files.values()))
        found = [
            split.filter_file(lambda meta, names=files: meta.file_name in names)
            for split in of_bucket.get((some.partition, some.bucket), ())
        ]
        kept = [split for split in found if split is not None]
        missing = files.keys() - {meta.file_name for split in kept for meta in split.files}
        if missing:
            path = files[min(missing)].path
            raise PaimonKsyError(f"{path}: has to be merged, and pypaimon does not see it")
        yield [MergedFiles(source, split) for split in kept]


_YEARS = datetime.min, datetime.max
"""What Python, and so polars when it makes rows, has dates of."""


def _refuse_years() -> None:
    """Have pypaimon raise over dates and timestamps outside of Python's years.

    It makes rows by polars, which panics over them, with a hundred lines on standard error.
    """
    readers = pypaimon_module("read.reader.iface.record_batch_reader")
    convert = readers._polars_arrow_table
    if getattr(convert, "refuses_years", False):
        return

    def checked(batch: pa.RecordBatch) -> Any:
        for column, name in zip(batch.columns, batch.schema.names, strict=True):
            if not _is_in_years(column):
                raise NotImplementedError(
                    f"column {name!r} has dates before the year 1 or after 9999"
                )
        return convert(batch)

    checked.refuses_years = True  # type: ignore[attr-defined]
    readers._polars_arrow_table = checked


def _is_in_years(column: pa.Array) -> bool:
    """Whether all dates and timestamps of a column are in Python's years."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_date32(column.type) or pa.types.is_timestamp(column.type)):
        return True
    if getattr(column.type, "unit", None) == "ns":  # which has fewer years
        return True
    ends = pc.min_max(column)
    if not ends["min"].is_valid:
        return True
    least, greatest = (pa.scalar(year).cast(column.type, safe=False) for year in _YEARS)
    within = pc.and_(pc.greater_equal(ends["min"], least), pc.less_equal(ends["max"], greatest))
    return bool(within.as_py())
