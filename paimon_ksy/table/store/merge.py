"""Data files whose rows can only be read together: pypaimon merges what we read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from paimon_ksy.errors import PaimonKsyError, UnsupportedError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.columns import cast_to
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store.errors import REMEDY_UNSUPPORTED, TranslatedErrors, pypaimon_module
from paimon_ksy.table.store.from_pypaimon import pypaimon_row
from paimon_ksy.table.store.merge_rules import use_java_rules
from paimon_ksy.table.store.table import Table
from paimon_ksy.table_index.deletion_vector_file import read_vector
from paimon_ksy.types.parse import type_from_json

if TYPE_CHECKING:
    import pyarrow as pa

RowsOf: TypeAlias = "Callable[[DataFile, Sequence[str]], Iterator[pa.RecordBatch]]"
"""Reads columns of a file, in the names and types of the table's schema."""


_REMEDY_UNKNOWN = (
    "`paimon-ksy table audit TABLE --deep` shows whether it is corrupt; if not, query it with Java"
)


@dataclass(frozen=True)
class MergedFiles:
    """Data files of a bucket whose rows pypaimon can only read together.

    It can be pickled. pypaimon does no planning: its split is made from the files when they are
    read.
    """

    table: Any = field(repr=False)
    files: tuple[DataFile, ...] = field(repr=False)
    storage: Storage = field(repr=False)

    def read(self, columns: Sequence[str], rows_of: RowsOf) -> Iterator[pa.RecordBatch]:
        """Yield rows with these columns, and maybe with more, as pypaimon merges them.

        Dates and times of a table with a primary key are numbers, and nanoseconds are WIDE.

        Raises:
            PaimonKsyError: A file cannot be read, or its rows cannot be merged.
        """
        self._refuse_references(columns)
        for file in self.files:
            self.storage.roots.check_file(file.path)
            if file.deletion_vector is not None:
                self.storage.roots.check_file(file.deletion_vector.path)
        files = f"{self.files[0].path} and {len(self.files) - 1} more"
        with TranslatedErrors(files, _REMEDY_UNKNOWN):
            split = _split(self.table, self.files)
            fields = {field.name: field for field in self.table.fields}
            read_type = [fields[name] for name in self._read(columns)]
            read = self.table.new_read_builder().with_read_type(read_type).new_read()
            create, types = read._build_split_read, read._output_arrow_schema()

            def reading_ours(*arguments: Any, **named: Any) -> Any:
                made = create(*arguments, **named)
                _read_ours(made, {file.name: file for file in self.files}, rows_of, types)
                made._genarate_deletion_file_readers = partial(self._use_vectors, made)
                return made

            read._build_split_read = reading_ours
            if self.table.primary_keys:
                merged = _row_types(types)
                read._output_arrow_schema = lambda: merged
            yield from read.to_arrow_batch_reader([split])

    def _use_vectors(self, read: Any) -> None:
        """Have pypaimon apply deletion vectors that we read: it supports only 32-bit vectors.

        As in Java, deletion vectors apply only if they are enabled.
        """
        is_on = self.table.options.deletion_vectors_enabled()
        deleted = [file for file in self.files if is_on and file.deletion_vector is not None]
        read.deletion_file_readers = {file.name: partial(self._vector, file) for file in deleted}

    def _vector(self, file: DataFile) -> Any:
        """Return a data file's deletion vector as pypaimon's."""
        place = file.deletion_vector
        assert place is not None
        with self.storage.open(place.path) as source:
            vector = read_vector(source, place.offset, place.length, place.cardinality)
        bitmaps = pypaimon_module("utils.roaring_bitmap").RoaringBitmap
        rows = bitmaps.deserialize(vector.rows(file.num_rows).serialize())
        return pypaimon_module("deletionvectors.bitmap_deletion_vector").BitmapDeletionVector(rows)

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
    schema = source.table_schema  # converts all its types, also those of other columns
    schema.fields = [f for f in schema.fields if type_from_json(f.type.to_dict()).is_known]
    return lambda files: MergedFiles(source, tuple(files), table.storage)


def _split(table: Any, files: Sequence[DataFile]) -> Any:
    """Return a pypaimon split that merges all these files."""
    return pypaimon_module("read.split").DataSplit(
        files=[_meta(table, file) for file in files],
        partition=pypaimon_row(files[0].partition_row, table.partition_keys_fields),
        bucket=files[0].bucket,
        raw_convertible=False,
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


_FORMATS = ("parquet", "orc", "avro")
"""The formats of which pypaimon merges what we read; it reads others itself."""


def _read_ours(made: Any, files: Mapping[str, DataFile], rows_of: RowsOf, types: pa.Schema) -> None:
    """Have pypaimon's `SplitRead` merge the rows that we read, as Java merges them.

    `types` is pypaimon's Arrow schema of the merged columns.
    """
    others = made.file_reader_supplier
    is_keyed = hasattr(made, "_build_merge_function")
    if is_keyed:
        use_java_rules(made)
    keys = list(made.trimmed_primary_key) if is_keyed else []
    ordering = {*keys, *made.table.options.sequence_field()}

    def supply(file: Any, *arguments: Any, **named: Any) -> Any:
        own, fields = files[file.file_name], made.read_fields
        if own.format not in _FORMATS or file.is_vector_file(own.name):
            return others(file, *arguments, **named)
        names = [*keys, *(field.name for field in fields[len(keys) :])]
        batches = rows_of(own, list(dict.fromkeys(names)))
        if is_keyed:
            return _reader(_mergeable(batch, names, ordering) for batch in batches)
        schema = types.empty_table().select(names).schema
        return _reader(cast_to(batch, schema, own.path) for batch in batches)

    made.file_reader_supplier = supply


def _reader(batches: Iterator[pa.RecordBatch]) -> Any:
    """Return pypaimon's reader of these batches."""
    base = pypaimon_module("read.reader.iface.record_batch_reader").RecordBatchReader
    functions = {"read_arrow_batch": lambda _: next(batches, None), "close": lambda _: None}
    return type("Batches", (base,), functions)()


def _mergeable(batch: pa.RecordBatch, names: Sequence[str], ordering: Set[str]) -> pa.RecordBatch:
    """Return columns in a form of which pypaimon makes rows, with dates and times as numbers.

    Raises:
        UnsupportedError: Values would not be merged as in Java.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            raise _unmergeable(f"column {name!r} contains bytes that are not text") from None
        if name in ordering and pa.types.is_floating(column.type):
            is_odd = pc.or_(pc.is_nan(column), pc.equal(pc.divide(1.0, column), -math.inf))
            if pc.any(is_odd).as_py():
                raise _unmergeable(
                    f"column {name!r}, which orders rows to merge, contains NaN or -0.0; "
                    "versions of Paimon order these differently"
                )
    columns = [_numbers(batch.column(name)) for name in names]
    return pa.RecordBatch.from_arrays(columns, [str(at) for at in range(len(names))])


def _numbers(column: pa.Array) -> pa.Array:
    """Return a column with dates and times as numbers; nanoseconds are WIDE."""
    from paimon_ksy.types.nested import numbers
    from paimon_ksy.types.timestamps import WIDE

    found = numbers(column)
    return found.cast(WIDE) if str(column.type).startswith("timestamp[ns") else found


def _row_types(schema: pa.Schema) -> pa.Schema:
    """Return the types of the rows that pypaimon merges."""
    import pyarrow as pa

    return pa.schema([f.with_type(_numbers(pa.array([], f.type)).type) for f in schema])


def _unmergeable(why: str) -> UnsupportedError:
    return UnsupportedError(f"pypaimon cannot merge it: {why}", remedy=REMEDY_UNSUPPORTED)
