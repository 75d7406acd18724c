"""Data files whose rows can only be read together: pypaimon merges what we read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import Call, Remedy, UnsupportedError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.store.errors import (
    REMEDY_FORMAT,
    REMEDY_UNSUPPORTED,
    pypaimon_module,
    translated_errors,
)
from paimon_ksy.table.store.options import check_references
from paimon_ksy.table.store.table import Table
from paimon_ksy.types.arrays import to_arrow_array
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.nested import numbers
from paimon_ksy.types.parse import type_from_json
from paimon_ksy.types.timestamps import WIDE

RowsOf: TypeAlias = "Callable[[DataFile, Sequence[str]], Iterator[pa.RecordBatch]]"
"""Reads columns of a file, in the names and types of the table's schema."""

_REMEDY_UNKNOWN = Remedy(
    Call("table audit", "--deep"), " shows whether it is corrupt; if not, query it with Java"
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
    sums: Mapping[str, pa.DataType] = field(default_factory=dict, repr=False)

    def read(self, columns: Sequence[str], rows_of: RowsOf) -> Iterator[pa.RecordBatch]:
        """Yield rows with these columns, and maybe with more, as pypaimon merges them.

        Dates and times of a table with a primary key are numbers, and nanoseconds are WIDE.

        Raises:
            PaimonKsyError: A file cannot be read, or its rows cannot be merged.
        """
        check_references(self.table.options.options.to_map(), columns)
        for file in self.files:
            self.storage.roots.check_file(file.path)
            if file.deletion_vector is not None:
                self.storage.roots.check_file(file.deletion_vector.path)
        files = f"{self.files[0].path} and {len(self.files) - 1} more"
        with translated_errors(files, _REMEDY_UNKNOWN):
            split = self._split()
            fields = {field.name: field for field in self.table.fields}
            read_type = [fields[name] for name in columns]
            read = self.table.new_read_builder().with_read_type(read_type).new_read()
            create, types = read._build_split_read, read._output_arrow_schema()

            def reading_ours(*arguments: Any, **named: Any) -> Any:
                split_read = create(*arguments, **named)
                split_read.file_reader_supplier = self._keyed_reader(split_read, rows_of)
                return split_read

            read._build_split_read = reading_ours
            merged = pa.schema([f.with_type(_numbers(pa.nulls(0, f.type)).type) for f in types])
            read._output_arrow_schema = lambda: merged
            for batch in read.to_arrow_batch_reader([split]):
                yield _with_sums(batch, self.sums)

    def _keyed_reader(self, split_read: Any, rows_of: RowsOf) -> Callable[..., Any]:
        """Return a supplier of rows that pypaimon merges by their keys, as Java does."""
        options = self.table.options
        keys, values = list(split_read.trimmed_primary_key), split_read.read_fields
        names = [*keys, *(field.name for field in values[len(keys) :])]
        extremes = _check_aggregation(self.table, split_read.value_fields)
        ordering = {*keys, *options.sequence_field(), *extremes}
        drops = options.merge_engine().value in _DROPPING_DELETES and options.ignore_delete()

        def supply(file: Any, *_: Any, **__: Any) -> Any:
            own = self._by_name[file.file_name]
            if own.format not in _FORMATS:
                message = f"pypaimon cannot merge it: its format is {own.format}"
                raise UnsupportedError(message, path=own.path, remedy=REMEDY_FORMAT)
            batches = self._live(own, rows_of(own, list(dict.fromkeys(names))))
            if drops:
                adds = to_arrow_array(_ADDING, pa.int8())
                batches = (b.filter(pc.is_in(b.column("_VALUE_KIND"), adds)) for b in batches)
            return _reader(_mergeable(batch, names, ordering) for batch in batches)

        return supply

    @cached_property
    def _by_name(self) -> dict[str, DataFile]:
        return {file.name: file for file in self.files}

    def _live(self, file: DataFile, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows of a file that no deletion vector deletes, if vectors are enabled."""
        vector, place, start = None, file.deletion_vector, 0
        if place is not None and self.table.options.deletion_vectors_enabled():  # as in Java
            from paimon_ksy.table_index.deletion_vector_file import read_vector

            with self.storage.open(place.path) as source:
                vector = read_vector(source, place.offset, place.length, place.cardinality)
        for batch in batches:
            stop = start + batch.num_rows
            # A vector may have rows that the file does not have: Java ignores them.
            yield batch if vector is None else batch.filter(~vector.mask(start, stop))
            start = stop

    def _split(self) -> Any:
        """Return a pypaimon split that merges all the files."""
        row = self.files[0].partition_row
        return pypaimon_module("read.split").DataSplit(
            files=[_meta(self.table, file) for file in self.files],
            partition=_pypaimon_row(row, self.table.partition_keys_fields),
            bucket=self.files[0].bucket,
            raw_convertible=False,
        )


def merged_files(table: Table, schema: TableSchema) -> Callable[[Sequence[DataFile]], MergedFiles]:
    """Return a function that makes `MergedFiles` of the data files of a bucket.

    The merged rows have the schema; its options are the table's.
    """
    opened = table.opened
    document = opened.document
    if schema.id != document["id"]:
        document = table.schemas.document(schema.id)
    # pypaimon's native reader would not use our rows.
    options = {**schema.options, "read.native.enabled": "false"}
    sums = _summed_longs(document, options)
    document = {**document, "fields": [_widened(each, sums) for each in document["fields"]]}
    source = opened.with_schema(document, options).pypaimon
    return lambda files: MergedFiles(source, tuple(files), table.storage, sums)


def _summed_longs(document: Mapping[str, Any], options: Mapping[str, str]) -> dict[str, Any]:
    """Return the Arrow types of the columns whose sums Java adds as `long`, without a check.

    A sum may then have more digits than its DECIMAL; pypaimon would drop it, and begin again with
    the next row. So pypaimon gets a wider type. Source: `DecimalUtils.add`.
    """
    if options.get("merge-engine") != "aggregation":
        return {}
    names = [each["name"] for each in document["fields"]]
    kinds = [type_from_json(each["type"]) for each in document["fields"]]
    return {
        name: to_arrow(kind)
        for name, kind in zip(names, kinds, strict=True)
        if kind.root == "DECIMAL"
        and (kind.precision or 10) <= _MOST_DIGITS_OF_LONG
        and _aggregate_function(name, options)[1] == "sum"
    }


def _widened(field: Mapping[str, Any], sums: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = sums.get(field["name"])
    return field if kind is None else {**field, "type": f"DECIMAL({_WIDEST}, {kind.scale})"}


def _with_sums(batch: pa.RecordBatch, sums: Mapping[str, pa.DataType]) -> pa.RecordBatch:
    """Return a batch with its sums in their own types, of which a sum may have too many digits.

    Raises:
        ArithmeticError: A sum does not fit a `long`; Java drops it.
    """
    for at, name in enumerate(batch.schema.names):
        if name in sums:
            column, kind = batch.column(at), sums[name]
            most = pa.scalar(Decimal(2**63 - 1).scaleb(-kind.scale), column.type)
            if pc.any(pc.greater(pc.abs(column), most)).as_py():
                raise ArithmeticError(f"decimal overflow: the sum of column {name!r}")
            own = pa.Array.from_buffers(kind, len(column), column.buffers(), offset=column.offset)
            batch = batch.set_column(at, name, own)
    return batch


def _meta(table: Any, file: DataFile) -> Any:
    """Return pypaimon's DataFileMeta of a data file, with the fields that reading it needs."""
    none = pypaimon_module("manifest.schema.simple_stats").SimpleStats.empty_stats()
    keys = table.trimmed_primary_keys_fields  # without a key, rows are empty
    smallest, largest = (_pypaimon_row(row, keys) if row else None for row in file.key_rows)
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


def _pypaimon_row(row: bytes, fields: Sequence[Any]) -> Any:
    deserializer = pypaimon_module("table.row.generic_row").GenericRowDeserializer
    return deserializer.from_bytes(row, list(fields))


_FORMATS = ("parquet", "orc", "avro")
"""The formats of which pypaimon merges what we read; it reads others itself."""


_DROPPING_DELETES = ("deduplicate", "first-row")
"""The engines that with `ignore-delete` see no deletions; pypaimon refuses it for others."""

_ADDING = (0, 2)
"""The numbers in `_VALUE_KIND` of rows that are added: INSERT and UPDATE_AFTER."""


_AS_IN_JAVA = {
    *("first_value", "first_non_null_value", "last_value", "last_non_null_value"),
    *("bool_and", "bool_or", "max", "min", "sum", "product", "collect"),
}
"""The aggregate functions that pypaimon computes as Java does."""


def _check_aggregation(table: Any, columns: Sequence[Any]) -> set[str]:
    """Check that pypaimon aggregates columns as Java does, and return those by max or min.

    Raises:
        UnsupportedError: It aggregates one in another way; the error names the option.
    """
    options = table.options.options.to_map()
    if table.options.merge_engine().value != "aggregation":
        return set()
    extremes = set()
    for column in columns:
        if column.name in {*table.primary_keys, *table.options.sequence_field()}:
            continue
        option, function = _aggregate_function(column.name, options)
        root = type_from_json(column.type.to_dict()).root
        is_same = function in _AS_IN_JAVA
        if function in ("sum", "product"):
            is_same = root != "FLOAT"  # which Java rounds after each row
        elif function in ("max", "min"):
            is_same = root not in ("ROW", "ARRAY", "MAP", "MULTISET", "VECTOR", "VARIANT")
            extremes.add(column.name)
        elif function == "collect":
            distinct = options.get(f"fields.{column.name}.distinct", "false")
            is_same = distinct.strip().lower() == "false"
        if not is_same:
            raise UnsupportedError(
                f"column {column.name!r} has option {option} = {function}, by which pypaimon "
                f"aggregates {column.type} in another way than Java",
                remedy=REMEDY_UNSUPPORTED,
            )
    return extremes


def _aggregate_function(column: str, options: Mapping[str, str]) -> tuple[str, str]:
    """Return the aggregate function of a column, after the option that names it."""
    option = f"fields.{column}.aggregate-function"
    if option not in options and _DEFAULT_FUNCTION in options:
        option = _DEFAULT_FUNCTION
    return option, options.get(option, "last_non_null_value")


_DEFAULT_FUNCTION = "fields.default-aggregate-function"
_MOST_DIGITS_OF_LONG, _WIDEST = 18, 38


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
    whole = numbers(column)
    return whole.cast(WIDE) if str(column.type).startswith("timestamp[ns") else whole


def _unmergeable(why: str) -> UnsupportedError:
    return UnsupportedError(f"pypaimon cannot merge it: {why}", remedy=REMEDY_UNSUPPORTED)
