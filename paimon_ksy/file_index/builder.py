"""Build file indexes from Arrow tables, byte for byte like Java's `DataFileIndexWriter`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from ksykit.runtime.arrays import Buffer
from ksykit.runtime.objects import to_bytes

from paimon_ksy.errors import (
    OptionError,
    PaimonKsyError,
    SchemaError,
    UnsupportedError,
    none_of,
    with_article,
)
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.index_type import Builder
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, parse_options
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs.file_index import (
    make_file_index,
    make_file_index_column,
    make_file_index_entry,
    make_file_index_head,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.java import MAX_INT, modified_utf8
from paimon_ksy.java.hash_map import JavaMap
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema, checked_schema

Body: TypeAlias = Sequence[Buffer]
"""An index as consecutive parts, so that large ones are not copied again."""

Kept: TypeAlias = Sequence[tuple[IndexSpec, Body | None]]
"""Indexes to copy into a new file, with their bodies; the body of an EMPTY one is None."""

Refuse: TypeAlias = Callable[[IndexSpec, PaimonKsyError], Kept]
"""Called for an index that cannot be built, with the reason; returns what to write instead."""

REFUSALS = (UnsupportedError, OptionError, SchemaError)
"""The errors for a column that cannot be indexed, although its file and other columns are sound."""


@dataclass(frozen=True)
class _Checked:
    """An index to build, whose options were checked against its column."""

    spec: IndexSpec
    builder: Builder


def build_file_index(
    table: pa.Table | pa.RecordBatch | pa.RecordBatchReader,
    schema: Schema | None,
    options: Mapping[str, str] | FileIndexOptions,
    *,
    on_progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """Build the file index of a data file.

    All options and types are checked before the work begins.

    Args:
        table: The rows of the data file.
        schema: The Paimon types of the columns; None derives them from the Arrow types.
        options: The table's options, such as `{"file-index.bitmap.columns": "status, m[key]"}`;
            those that are not about file indexes are ignored.
        on_progress: Called with the number of rows indexed so far and the total; a row counts once
            for each index.

    Returns:
        The bytes of the index file, equal to those that Java's `DataFileIndexWriter` writes.

    Raises:
        OptionError: An option is unknown, or has an invalid value, or no column is listed.
        UnsupportedError: An index type does not support a column.
        SchemaError: A column does not exist, or has values of another type.
    """
    return b"".join(index_parts(table, schema, options, on_progress=on_progress)[0])


def index_parts(
    table: pa.Table | pa.RecordBatch | pa.RecordBatchReader,
    schema: Schema | None,
    options: Mapping[str, str] | FileIndexOptions,
    *,
    on_progress: Callable[[int, int], None] | None = None,
    kept: Kept = (),
    refuse: Refuse | None = None,
) -> tuple[list[Buffer], Mapping[str, int]]:
    """Build a file index like `build_file_index`, as consecutive parts.

    Args:
        table: The rows of the data file.
        schema: The Paimon types of the columns.
        options: The table's options.
        on_progress: Called with the number of rows indexed so far and the total.
        kept: Indexes to copy unchanged.
        refuse: Called for a column that cannot be indexed. It returns what to write instead of the
            index, which may be nothing. Without it, such a column raises its error.

    Returns:
        The parts, and the number of bytes for each index type.

    Raises:
        OptionError, UnsupportedError, SchemaError: Like `build_file_index`.
    """
    if not isinstance(options, FileIndexOptions):
        check_names(name for name in options if re.match("file.*index", name, re.IGNORECASE))
        options = parse_options(options)
        if not options.indexes:
            raise OptionError("no option lists columns: set file-index.TYPE.columns")
    if not isinstance(table, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        raise SchemaError(
            f"{with_article(type(table))} is not an Arrow table: make one with pa.table(..)"
        )
    schema = Schema.from_arrow(table.schema) if schema is None else checked_schema(schema)
    if isinstance(table, pa.RecordBatchReader):
        _checked(schema, options)
        table = table.read_all()
    indexes = _checked(schema, options)
    total = table.num_rows * len(indexes)
    bodies: dict[tuple[str, str], Body | None] = {}
    sizes = Counter[str]()
    specs = [spec for spec, _ in kept]
    for done, index in enumerate(indexes, 1):
        try:
            body = bodies[index.spec.name, index.spec.index_type] = _body(table, index)
        except REFUSALS as error:
            if refuse is None:
                raise
            instead = refuse(index.spec, error)
            kept = [*kept, *instead]
            specs += [spec for spec, _ in instead]
        else:
            sizes[index.spec.index_type] += sum(map(len, body or ()))
            specs.append(index.spec)
        if on_progress is not None:
            on_progress(table.num_rows * done, total)
    bodies |= {(spec.name, spec.index_type): body for spec, body in kept}
    # In the order of the options, unless others are added, because Java's order depends on it.
    order = options if len(specs) == len(indexes) and not kept else FileIndexOptions.of(specs)
    parts = _assembled(
        (name, [(index_type, bodies[name, index_type]) for index_type in index_types])
        for name, index_types in java_order(order)
    )
    return parts, sizes


def check_names(options: Iterable[str]) -> None:
    """Check that these are options of file indexes.

    Raises:
        OptionError: One is not; the message has the name that is most like it.
    """
    names = [f"file-index.{name}.columns" for name in INDEX_TYPES]
    names += ["file-index.in-manifest-threshold", "file-index.read.enabled"]
    for option in options:
        first, *rest = option.split(".")
        is_known = option in names or len(rest) == 3 or rest[1:] == ["columns"]
        if first != "file-index" or not is_known:
            choices = none_of(option, "there are file-index.TYPE.COLUMN.OPTION and", names)
            raise OptionError(f"{option!r} is not an option of file indexes{choices}")


def check_options(schema: Schema, options: FileIndexOptions) -> None:
    """Raise the errors that `build_file_index` would raise for these options, before any work."""
    _checked(schema, options)


def marked(index: bytes | None, mark: bytes) -> bytes:
    """Return the file index with the bytes `mark` at the end of its head.

    Readers ignore these bytes, where later versions of the format may have fields. None means a
    file without indexes. Raises CorruptFileError.
    """
    if index is None:
        return assemble([], redundant=mark)
    with FileIndex.open(index) as opened:
        read = opened.source.read
        columns = [
            (
                name,
                [
                    (kind, None if place.is_empty else [read(place.ofs_body, place.len_body)])
                    for kind, place in places.items()
                ],
            )
            for name, places in opened.places.items()
        ]
    return assemble(columns, redundant=mark)


def assemble(
    columns: Iterable[tuple[str, Iterable[tuple[str, Body | None]]]], *, redundant: bytes = b""
) -> bytes:
    """Return a file index with bodies that are already built; a None body is EMPTY.

    The columns are in the order of the file, and the head ends with redundant bytes.

    Raises PaimonKsyError if a name, or the file, would be too long.
    """
    return b"".join(_assembled(columns, redundant))


def _assembled(
    columns: Iterable[tuple[str, Iterable[tuple[str, Body | None]]]], redundant: bytes = b""
) -> list[Buffer]:
    parts: list[Buffer] = []
    sizes: list[tuple[str, list[tuple[str, int | None]]]] = []
    for name, indexes in columns:
        of_column: list[tuple[str, int | None]] = []
        for index_type, body in indexes:
            of_column.append((index_type, None if body is None else sum(map(len, body))))
            parts.extend(body or ())
        sizes.append((name, of_column))
    shape = tuple((n, tuple((kind, size is None) for kind, size in of)) for n, of in sizes)
    head_size = _head_size(shape, len(redundant))
    size = head_size + sum(map(len, parts))
    if size > MAX_INT:
        raise UnsupportedError(
            f"the file would take {size} bytes, and Java reads one of at most {MAX_INT}: "
            "index fewer columns or rows in one file"
        )
    return [_head(sizes, head_size, redundant), *parts]


@lru_cache(maxsize=64)
def _head_size(
    shape: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...], len_redundant: int
) -> int:
    """Return the size of a head, which is equal for all data files with the same indexes."""
    sizes = [(name, [(kind, None if empty else 0) for kind, empty in of]) for name, of in shape]
    return len(_head(sizes, 0, bytes(len_redundant)))


def _head(
    sizes: Sequence[tuple[str, Sequence[tuple[str, int | None]]]], place: int, redundant: bytes
) -> bytes:
    """Return the head for indexes of these sizes (None if EMPTY), which start at byte `place`."""
    columns = []
    for name, of_column in sizes:
        entries = []
        for index_type, size in of_column:
            entries.append(
                make_file_index_entry(
                    index_type=make_java_utf8(value=modified_utf8.encode(index_type)),
                    ofs_body=None if size is None else place,
                    len_body=size,
                )
            )
            place += size or 0
        encoded = make_java_utf8(value=modified_utf8.encode(name))
        columns.append(make_file_index_column(name=encoded, indexes=entries))
    made = make_file_index(head=make_file_index_head(columns=columns, redundant=redundant))
    return bytes(to_bytes(made))


def _checked(schema: Schema, options: FileIndexOptions) -> list[_Checked]:
    """Check the indexes to build, and return them."""
    columns = {field.name: field.type for field in schema}
    indexes = []
    for spec in options.indexes:
        if spec.index_type not in INDEX_TYPES:
            choices = none_of(spec.index_type, "there are", INDEX_TYPES)
            raise OptionError(f"no index type {spec.index_type!r}{choices}")
        data_type = columns.get(spec.column)
        if data_type is None:
            choices = none_of(spec.column, "there are", columns)
            raise OptionError(f"no column {spec.column!r} to index{choices}")
        try:
            modified_utf8.encode(spec.name)
            if spec.key is not None:
                data_type = _value_type(data_type)
            indexes.append(_Checked(spec, _builder(spec, data_type)))
        except PaimonKsyError as error:
            raise _of_column(spec, error) from None
    return indexes


def _builder(spec: IndexSpec, data_type: DataType) -> Builder:
    try:
        return INDEX_TYPES[spec.index_type].new_builder(data_type, spec.options)
    except UnsupportedError as error:
        others = ", ".join(
            repr(kind.name) for kind in INDEX_TYPES.values() if kind.takes(data_type)
        )
        hint = f"these can: {others}" if others else "no index type supports it"
        raise UnsupportedError(f"{error}; {hint}") from None


def _value_type(data_type: DataType) -> DataType:
    if data_type.root != "MAP":
        raise OptionError(f"it is {with_article(data_type)} and has no keys: only a MAP has keys")
    key, value = (part.type for part in data_type.fields)
    if not key.is_string:
        raise UnsupportedError(
            f"keys of {with_article(data_type)} cannot be indexed: only strings can"
        )
    return value


def _of_column(spec: IndexSpec, error: PaimonKsyError) -> PaimonKsyError:
    return type(error)(f"column {spec.name!r}: {error}")


def _body(table: pa.Table | pa.RecordBatch, index: _Checked) -> Body | None:
    spec = index.spec
    if table.schema.get_field_index(spec.column) < 0:
        raise SchemaError(f"the data have no column {spec.column!r}, or two of that name")
    column = table.column(spec.column)
    try:
        if spec.key is not None:
            if not len(column):
                return None  # Java's MapFileIndexMaintainer leaves it EMPTY
            column = values_of_key(column, spec.key)
        return index.builder.build(column)
    except PaimonKsyError as error:
        raise _of_column(spec, error) from None


def values_of_key(column: pa.Array | pa.ChunkedArray, key: str) -> pa.ChunkedArray:
    """Return the value at `key` in each row's map; null if the map lacks the key.

    Raises:
        SchemaError: The column does not contain maps with string keys, or a map has the key twice.
    """
    if not pa.types.is_map(column.type):
        raise SchemaError(f"an Arrow column of type {column.type} has no keys: pass a map")
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    sought = pa.scalar(key).cast(column.type.key_type)
    if (pc.max(pc.list_value_length(pc.map_lookup(column, sought, "all"))).as_py() or 0) > 1:
        raise SchemaError("a map has this key twice: make the keys of each map unique")
    return pc.map_lookup(column, sought, "first")


def java_order(options: FileIndexOptions) -> list[tuple[str, list[str]]]:
    """Return the columns with their index types, in the order in which Java writes them.

    It simulates the maps of `DataFileIndexWriter`: its maintainers by index type and column, and
    the result of `serializeMaintainers`.
    """
    maintainers: JavaMap[str, JavaMap[str, JavaMap[str, str]]] = JavaMap()
    for spec in options.indexes:
        columns = maintainers.compute_if_absent(spec.index_type, JavaMap)
        names = dict(columns).get(spec.column)
        if names is None:
            names = JavaMap()
            columns.put(spec.column, names)
        names.put(spec.key or "", spec.name)
    result: JavaMap[str, JavaMap[str, None]] = JavaMap()
    for index_type, columns in maintainers:
        for _, names in columns:
            by_name: JavaMap[str, None] = JavaMap()
            for _, name in names:
                by_name.put(name, None)
            for name, _ in by_name:
                result.compute_if_absent(name, JavaMap).put(index_type, None)
    return [(name, [index_type for index_type, _ in types]) for name, types in result]
