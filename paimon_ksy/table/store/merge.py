"""Data files whose rows can only be read together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PaimonKsyError, UnsupportedError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store.errors import REMEDY_UNSUPPORTED, TranslatedErrors, pypaimon_module
from paimon_ksy.table.store.from_pypaimon import pypaimon_row
from paimon_ksy.table.store.merge_rules import use_java_rules
from paimon_ksy.table.store.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class MergedFiles:
    """Data files of a bucket whose rows pypaimon can only read together.

    It can be pickled. pypaimon does no planning: its split is made from the files when they are
    read.
    """

    table: Any = field(repr=False)
    files: tuple[DataFile, ...] = field(repr=False)
    storage: Storage = field(repr=False)

    def read(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield rows with these columns, and maybe with more, as pypaimon merges them.

        Raises:
            PaimonKsyError: A file cannot be read, or its rows cannot be merged.
        """
        _check_rows()
        self._refuse_references(columns)
        for file in self.files:
            self.storage.check(file.path)
            if file.deletion_vector is not None:
                self.storage.check(file.deletion_vector.path)
        with TranslatedErrors(f"{self.files[0].path} and {len(self.files) - 1} more"):
            split = _split(self.table, self.files)
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
            yield from _own(read.to_arrow_batch_reader([split]), frozenset(ordering))

    def _refuse_references(self, columns: Sequence[str]) -> None:
        """Refuse columns of references to files and URLs, which pypaimon would read instead."""
        options = self.table.options
        found = options.blob_descriptor_fields() | options.blob_view_fields()
        if refused := sorted((found | options.video_frame_fields()) & set(columns)):
            raise UnsupportedError(
                f"column {refused[0]!r} contains references to files outside the table, which "
                "is unsupported: leave the column out, or read it with pypaimon"
            )

    def _read(self, columns: Sequence[str]) -> list[str]:
        """Return the columns, plus one of each Avro file, so that pypaimon reads the file's rows.

        Files of tables with primary keys always have columns that are read.
        """
        names = list(columns)
        for file in () if self.table.primary_keys else self.files:
            if not file.name.endswith(".avro"):
                continue
            fields = self.table.schema_manager.get_schema(file.schema_id).fields
            written = {f.id for f in fields if f.name in (file.write_columns or (f.name,))}
            own = [
                field.name
                for field in self.table.fields
                if field.id in written and field.name not in self.table.partition_keys
            ]
            if not own:
                raise PaimonKsyError(
                    "contains none of the columns that the table still has", path=file.path
                )
            if not set(own) & set(names):
                names.append(own[0])
        return names


def merged_files(
    table: Table, travel: Mapping[str, str | None] | None
) -> Callable[[Sequence[DataFile]], MergedFiles]:
    """Return a function that makes `MergedFiles` of the data files of a bucket.

    Args:
        table: The table.
        travel: pypaimon's options to read a snapshot in the schema that it had; None for the
            table's current schema.
    """
    # pypaimon's native reader would not use `merge_rules`.
    source = table.pypaimon.copy({"read.native.enabled": "false", **(travel or {})})
    return lambda files: MergedFiles(source, tuple(files), table.storage)


def _split(table: Any, files: Sequence[DataFile]) -> Any:
    """Return a pypaimon split that merges all these files.

    As in Java, deletion vectors apply only if they are enabled.
    """
    place_of = pypaimon_module("table.source.deletion_file").DeletionFile
    vectors: list[Any] = [None] * len(files)
    if table.options.deletion_vectors_enabled():
        for at, file in enumerate(files):
            if (place := file.deletion_vector) is not None:
                vectors[at] = place_of(place.path, place.offset, place.length, place.cardinality)
    return pypaimon_module("read.split").DataSplit(
        files=[_meta(table, file) for file in files],
        partition=pypaimon_row(files[0].partition_row, table.partition_keys_fields),
        bucket=files[0].bucket,
        raw_convertible=False,
        data_deletion_files=vectors if any(vectors) else None,
    )


def _meta(table: Any, file: DataFile) -> Any:
    """Return pypaimon's DataFileMeta of a data file, with the fields that reading it needs."""
    none = pypaimon_module("manifest.schema.simple_stats").SimpleStats.empty_stats()
    smallest, largest = (_key(table, row) for row in file.key_rows)
    return pypaimon_module("manifest.schema.data_file_meta").DataFileMeta(
        file_name=file.name,
        file_size=file.size,
        row_count=file.num_rows,
        min_key=smallest,
        max_key=largest,
        key_stats=none,
        value_stats=none,
        min_sequence_number=file.min_sequence_number,
        max_sequence_number=file.max_sequence_number,
        schema_id=file.schema_id,
        level=file.level,
        extra_files=list(file.extra_files),
        delete_row_count=file.delete_row_count,
        embedded_index=file.embedded_index,
        file_source=file.source,
        value_stats_cols=[],
        external_path=file.external_path,
        first_row_id=file.first_row_id,
        write_cols=None if file.write_columns is None else list(file.write_columns),
        # The path was searched for, since folders may have other names than pypaimon gives them.
        file_path=file.path,
    )


def _key(table: Any, row: bytes) -> Any:
    """Return pypaimon's row of a primary key; None in a table without keys."""
    return pypaimon_row(row, table.trimmed_primary_keys_fields) if row else None


_ORDERING: ContextVar[frozenset[str] | None] = ContextVar("_ORDERING", default=None)
"""The columns that order rows, while pypaimon makes rows for this package. None while it makes them
for other callers, who get its usual rows."""


def _own(batches: Iterable[pa.RecordBatch], ordering: frozenset[str]) -> Iterator[pa.RecordBatch]:
    """Yield the same batches, each created while `_ORDERING` is set."""
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


_YEARS = datetime.min, datetime.max
"""The years in which Python, and so Polars when it makes rows, supports dates."""


@cache  # once for each process
def _check_rows() -> None:
    """Have pypaimon make rows of our batches by `_mergeable`.

    It makes them with Polars, which truncates nanoseconds. Over dates outside of Python's years,
    Polars panics, with a hundred lines on standard error.
    """
    readers = pypaimon_module("read.reader.iface.record_batch_reader")
    convert = readers._polars_arrow_table

    def checked(batch: pa.RecordBatch) -> Any:
        ordering = _ORDERING.get()
        return convert(batch if ordering is None else _mergeable(batch, ordering))

    readers._polars_arrow_table = checked


def _mergeable(batch: pa.RecordBatch, ordering: frozenset[str]) -> pa.RecordBatch:
    """Return the batch in a form that pypaimon can make rows of, with nanoseconds as numbers.

    Raises:
        UnsupportedError: Values would not be merged as in Java. `TranslatedErrors` names the file,
            which is unknown here.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column, name in zip(batch.columns, batch.schema.names, strict=True):
        if not _is_in_years(column):
            raise _unmergeable(f"column {name!r} contains dates before the year 1 or after 9999")
        if name in ordering and pa.types.is_floating(column.type):
            is_odd = pc.or_(pc.is_nan(column), pc.equal(pc.divide(1.0, column), -math.inf))
            if pc.any(is_odd).as_py():
                raise _unmergeable(
                    f"column {name.removeprefix('_KEY_')!r}, which orders rows to merge, "
                    "contains NaN or -0.0; versions of Paimon order these differently"
                )
        if _is_in_nanoseconds(column.type):
            column = column.view(pa.int64())
        elif any(map(_is_in_nanoseconds, _parts(column.type))):
            raise _unmergeable(f"column {name!r} has nanoseconds in a nested type")
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _unmergeable(why: str) -> UnsupportedError:
    return UnsupportedError(f"pypaimon cannot read it: {why}", remedy=REMEDY_UNSUPPORTED)


def _is_in_nanoseconds(kind: pa.DataType) -> bool:
    return bool(str(kind).startswith("timestamp[ns"))


def _parts(kind: pa.DataType) -> Iterator[pa.DataType]:
    """Yield the types inside a nested type, at any depth."""
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
    if getattr(column.type, "unit", None) == "ns":  # nanoseconds cover fewer years
        return True
    ends = pc.min_max(column)
    if not ends["min"].is_valid:
        return True
    least, greatest = (pa.scalar(year).cast(column.type, safe=False) for year in _YEARS)
    within = pc.and_(pc.greater_equal(ends["min"], least), pc.less_equal(ends["max"], greatest))
    return bool(within.as_py())
