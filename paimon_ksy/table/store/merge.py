"""Data files whose rows are to be had only together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PaimonKsyError, UnsupportedError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, Snapshot
from paimon_ksy.table.store.errors import TranslatedErrors, pypaimon_module
from paimon_ksy.table.store.from_pypaimon import partition_of
from paimon_ksy.table.store.merge_rules import use_java_rules
from paimon_ksy.table.store.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class MergedFiles:
    """Data files whose rows are to be had only together, by pypaimon. It can be pickled."""

    table: Any = field(repr=False)
    split: Any = field(repr=False)
    storage: Storage = field(repr=False)

    def read(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield rows with these columns, and maybe with more, as pypaimon merges them.

        Raises:
            PaimonKsyError: A file cannot be read, or its rows cannot be merged.
        """
        _check_rows()
        self._refuse_references(columns)
        for file in self.split.files:
            self.storage.check(file.physical_path())
        for vectors in self.split.data_deletion_files or ():
            if vectors is not None:
                self.storage.check(vectors.dv_index_path)
        where = self.split.files[0].file_path
        with TranslatedErrors(f"{where} and {len(self.split.files) - 1} more"):
            read = self.table.new_read_builder().with_projection(self._read(columns)).new_read()
            create = read._build_split_read

            def by_java_rules(*arguments: Any, **named: Any) -> Any:
                made = create(*arguments, **named)
                if hasattr(made, "_build_merge_function"):
                    use_java_rules(made)
                return made

            read._build_split_read = by_java_rules
            ordering = {f"_KEY_{name}" for name in self.table.primary_keys}
            ordering.update(self.table.options.sequence_field())
            yield from _own(read.to_arrow_batch_reader([self.split]), frozenset(ordering))

    def _refuse_references(self, columns: Sequence[str]) -> None:
        """Refuse columns whose values name files, and URLs, that pypaimon would read instead."""
        options = self.table.options
        found = options.blob_descriptor_fields() | options.blob_view_fields()
        if refused := sorted((found | options.video_frame_fields()) & set(columns)):
            raise UnsupportedError(
                f"column {refused[0]!r} contains references to files outside the table, which "
                "is unsupported: leave the column out, or read it with pypaimon"
            )

    def _read(self, columns: Sequence[str]) -> list[str]:
        """Return the columns with one of each Avro file, without which pypaimon reads no row of it.

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
                raise PaimonKsyError(
                    "contains none of the columns that the table still has", path=file.file_path
                )
            if not set(own) & set(names):
                names.append(own[0])
        return names


def merged_files(
    table: Table,
    snapshot: Snapshot,
    groups: Iterable[Iterable[DataFile]],
    travel: Mapping[str, str] | None,
) -> Iterator[list[MergedFiles]]:
    """Yield, for each group of files, those that pypaimon reads as one.

    Args:
        table: The table.
        snapshot: The snapshot that the files are of.
        groups: Data files of one bucket each.
        travel: pypaimon's options that lead to the snapshot in the schema it had; None takes the
            table's current schema.

    Raises:
        PaimonKsyError: pypaimon does not see one of the files.
    """
    if travel is None:
        source = table.pypaimon.copy_without_time_travel({"scan.snapshot-id": str(snapshot.id)})
    else:
        source = table.pypaimon.copy(dict(travel))
    with table.metadata.reading(f"plan of snapshot {snapshot.id}"):
        splits = source.new_read_builder().new_scan().plan().splits()
    of_bucket: dict[Any, list[Any]] = {}
    for split in splits:
        of_bucket.setdefault((partition_of(split, table.schema), split.bucket), []).append(split)
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
            raise PaimonKsyError("must be merged, but pypaimon does not find it", path=path)
        if any(value != value for value in some.partition):
            kept = [_joined(kept)]  # a NaN is no key to pypaimon: there each file stands alone
        for split in kept:
            for meta in split.files:
                # Where folders have other names than pypaimon gives them, they were looked for.
                meta.file_path = files[meta.file_name].path
        yield [MergedFiles(source, split, table.storage) for split in kept]


_ORDERING: ContextVar[frozenset[str] | None] = ContextVar("_ORDERING", default=None)
"""Columns by which rows are ordered, while pypaimon makes rows for us; None while it makes rows for
others, who get them as they are used to."""


def _own(batches: Iterable[pa.RecordBatch], ordering: frozenset[str]) -> Iterator[pa.RecordBatch]:
    """Yield the same batches, each made while `_ORDERING` is set."""
    left = iter(batches)
    while True:
        before = _ORDERING.set(ordering)
        try:
            batch = next(left, None)
        finally:
            _ORDERING.reset(before)
        if batch is None:
            return
        yield batch


def _joined(splits: Sequence[Any]) -> Any:
    """Return one split of pypaimon with the files of all, to be merged."""
    first = splits[0]
    files: list[Any] = []
    deletions: list[Any] = []
    for split in splits:
        files += split.files
        deletions += split.data_deletion_files or [None] * len(split.files)
    return type(first)(
        files=files,
        partition=first.partition,
        bucket=first.bucket,
        raw_convertible=False,
        data_deletion_files=deletions if any(deletions) else None,
        snapshot_id=first.snapshot_id,
        is_streaming=first.is_streaming,
        bucket_path=first.bucket_path,
        total_buckets=first.total_buckets,
    )


_YEARS = datetime.min, datetime.max
"""What Python, and so polars when it makes rows, has dates of."""


def _check_rows() -> None:
    """Have pypaimon make rows of our batches by `_mergeable`.

    It makes them by polars, which panics over dates outside of Python's years, with a hundred lines
    on standard error, and cuts nanoseconds off.
    """
    readers = pypaimon_module("read.reader.iface.record_batch_reader")
    convert = readers._polars_arrow_table
    if getattr(convert, "checks_rows", False):
        return

    def checked(batch: pa.RecordBatch) -> Any:
        ordering = _ORDERING.get()
        return convert(batch if ordering is None else _mergeable(batch, ordering))

    checked.checks_rows = True  # type: ignore[attr-defined]
    readers._polars_arrow_table = checked


def _mergeable(batch: pa.RecordBatch, ordering: frozenset[str]) -> pa.RecordBatch:
    """Return the batch as pypaimon can make rows of it, with nanoseconds as numbers.

    Raises:
        NotImplementedError: Values would not be merged as Java does. `TranslatedErrors` makes it
            an UnsupportedError that names the file, which is unknown here.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column, name in zip(batch.columns, batch.schema.names, strict=True):
        if not _is_in_years(column):
            raise NotImplementedError(
                f"column {name!r} contains dates before the year 1 or after 9999"
            )
        if name in ordering and pa.types.is_floating(column.type):
            is_odd = pc.or_(pc.is_nan(column), pc.equal(pc.divide(1.0, column), -math.inf))
            if pc.any(is_odd).as_py():
                raise NotImplementedError(
                    f"column {name.removeprefix('_KEY_')!r}, which orders rows to merge, "
                    "contains NaN or -0.0; versions of Paimon order these differently"
                )
        if _is_in_nanoseconds(column.type):
            column = column.view(pa.int64())
        elif any(map(_is_in_nanoseconds, _parts(column.type))):
            raise NotImplementedError(f"column {name!r} has nanoseconds in a nested type")
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _is_in_nanoseconds(kind: pa.DataType) -> bool:
    return bool(str(kind).startswith("timestamp[ns"))


def _parts(kind: pa.DataType) -> Iterator[pa.DataType]:
    """Yield the types that a nested type is made of, however deep."""
    for at in range(kind.num_fields):
        part = kind.field(at).type
        yield part
        yield from _parts(part)


def _is_in_years(column: pa.Array) -> bool:
    """Return whether all dates and timestamps of a column are in Python's years."""
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
