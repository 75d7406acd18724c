"""What advice on indexes has to know of single data files, which an engine's workers find out.

`profile` looks at the values of columns: how many there are, where they are, what could be asked
of them. `measure` builds indexes of the columns, and asks the indexes, the smallest and largest
values, and the data themselves what is asked of the table. Only figures come back.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.bloom_filter import is_taken
from paimon_ksy.bloom_filter_writer import BloomFilterBuilder
from paimon_ksy.build import assemble, build_file_index, values_of_key
from paimon_ksy.data_file import RESTORE
from paimon_ksy.errors import (
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    SchemaError,
    UnsupportedError,
)
from paimon_ksy.file_index import FileIndex
from paimon_ksy.filter import Bounds, mask, may_match
from paimon_ksy.options import FileIndexOptions, IndexSpec
from paimon_ksy.predicate import Predicate
from paimon_ksy.selection import Selection
from paimon_ksy.table.evolve import file_column
from paimon_ksy.table.rewrite import read_rows
from paimon_ksy.table.rows import stored
from paimon_ksy.table.storage import Storage
from paimon_ksy.table.store import DataFile, TableSchema
from paimon_ksy.table.tasks import columns_of, tested_names
from paimon_ksy.table.top import plain_value
from paimon_ksy.types import DataType, parse_type, to_arrow

Key = tuple[str, str]
"""An index: the column, in the table's terms, or a key `m[key]` of it; and the index type."""

PAGE_ROWS = 20_000
"""Rows of a page of Parquet, at most, as Java's writers make them."""

PAGE_BYTES = 1 << 20
"""Bytes of a page of Parquet, about, before they are compressed; Arrow's writer knows no other
bound, so there columns that are no longer have one page in a row group."""

SKETCH = 512
"""Distinct values of a file that are told, those with the smallest hash codes: of all files they
are the same ones, so that what is in several files is seen."""

_QUANTILES = 200
_LONG_VALUE = 200  # characters or bytes of a value that is told
_LARGE = 1 << 30  # bytes of texts, of which Arrow's offsets hold twice as many
_MANY = 1 << 28
_TEXT = parse_type("STRING")


@dataclass(frozen=True)
class Job:
    """What workers know of a table, and how many rows of a file they look at, at most."""

    storage: Storage
    table: TableSchema
    schemas: Mapping[int, TableSchema]
    most_rows: int


# Parts of a file --------------------------------------------------------------------------------


class Kept(NamedTuple):
    """What has to be read: of files, row groups (or none), their bytes, pages, theirs, rows; and
    bytes of the index that it took to know."""

    files: int = 0
    groups: int = 0
    bytes: int = 0
    pages: int = 0
    page_bytes: int = 0
    rows: int = 0
    index_bytes: int = 0

    def plus(self, other: Kept) -> Kept:
        """Both together."""
        return Kept(*map(sum, zip(self, other, strict=True)))


@dataclass(frozen=True)
class Layout:
    """Row groups and pages of the part of a file that is looked at.

    Each `starts` has the first row of each, and at its end the number of rows. `paged` is the share
    of a row group's bytes that is in columns of several pages, which have `page_rows`. Of other
    formats than Parquet the file is one group of one page, and `has_groups` is false.
    """

    has_groups: bool
    group_starts: NDArray[np.int64]
    group_bytes: NDArray[np.int64]
    paged: NDArray[np.float64]
    page_rows: int = PAGE_ROWS

    @property
    def rows(self) -> int:
        """Rows that are looked at."""
        return int(self.group_starts[-1])

    @property
    def num_groups(self) -> int:
        """Row groups."""
        return len(self.group_bytes)

    @cached_property
    def pages_of_group(self) -> NDArray[np.int64]:
        """How many pages each row group has."""
        if not self.has_groups:
            return np.ones(self.num_groups, np.int64)
        rows: NDArray[np.int64] = np.diff(self.group_starts)
        return np.maximum(-(-rows // self.page_rows), 1)

    @cached_property
    def page_starts(self) -> NDArray[np.int64]:
        """Where pages start: each row group is cut evenly."""
        parts = [
            start + (end - start) * np.arange(pages) // pages
            for start, end, pages in zip(
                self.group_starts[:-1].tolist(),
                self.group_starts[1:].tolist(),
                self.pages_of_group.tolist(),
                strict=True,
            )
        ]
        return np.concatenate([*parts, self.group_starts[-1:]])

    @cached_property
    def group_of_page(self) -> NDArray[np.int64]:
        """The row group of each page."""
        return np.repeat(np.arange(self.num_groups), self.pages_of_group)

    @property
    def all(self) -> Kept:
        """Everything."""
        size = int(self.group_bytes.sum())
        pages = len(self.group_of_page)
        return Kept(1, self.num_groups, size, pages, size, self.rows)

    def pages_of(self, selection: Selection) -> NDArray[np.bool_]:
        """Which pages have selected rows."""
        pages = len(self.group_of_page)
        if selection.rows is None:
            return np.full(pages, selection.kind == "all")
        positions = np.asarray(selection.rows.to_array())
        return np.diff(np.searchsorted(positions, self.page_starts)) > 0

    def kept(self, pages: NDArray[np.bool_], rows: int, index_bytes: int = 0) -> Kept:
        """What these pages come to.

        Where more than half of a row group's pages are wanted it is read as a whole.
        """
        wanted = np.bincount(self.group_of_page, pages, self.num_groups)
        groups = wanted > 0
        share = wanted / self.pages_of_group
        share = np.where(share > 0.5, 1.0, share * self.paged + groups * (1 - self.paged))
        return Kept(
            int(groups.any()),
            int(groups.sum()),
            int(self.group_bytes[groups].sum()),
            int(pages.sum()),
            round(float((share * self.group_bytes).sum())),
            rows,
            index_bytes,
        )


def layout_of(job: Job, file: DataFile) -> Layout:
    """Raises CorruptFileError, PaimonKsyError."""
    import pyarrow.parquet as pq

    rows = min(file.num_rows, job.most_rows)
    if file.format != "parquet":
        size = file.size * rows // max(file.num_rows, 1)
        return Layout(False, np.array([0, rows]), np.array([size]), np.array([0.0]))
    with job.storage.open(file.path) as source:
        try:
            metadata = pq.read_metadata(source.stream._io)
        except Exception as error:  # Arrow raises all kinds
            message = f"cannot be read as Parquet: {str(error).rstrip('.')}"
            raise CorruptFileError(message, path=file.path, remedy=RESTORE) from error
    is_arrow = "arrow" in (metadata.created_by or "")
    starts, sizes, paged, page_rows = [0], [], [], []
    for at in range(metadata.num_row_groups):
        group = metadata.row_group(at)
        chunks = [group.column(number) for number in range(group.num_columns)]
        size = sum(chunk.total_compressed_size for chunk in chunks)
        taken = min(group.num_rows, rows - starts[-1])
        if taken <= 0:
            break
        starts.append(starts[-1] + taken)
        sizes.append(size * taken // group.num_rows)
        long = [c for c in chunks if not is_arrow or c.total_uncompressed_size > PAGE_BYTES]
        paged.append(sum(c.total_compressed_size for c in long) / max(size, 1))
        if is_arrow and long:  # that of the most bytes
            most = max(c.total_uncompressed_size for c in long)
            page_rows.append(max(1, group.num_rows * PAGE_BYTES // most))
    return Layout(
        True,
        np.array(starts),
        np.array(sizes, np.int64),
        np.array(paged),
        max(page_rows, default=PAGE_ROWS),
    )


# Columns ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Coded:
    """A column: its distinct values, and the place among them of each row's value, or -1."""

    type: DataType
    values: pa.Array
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, column: pa.Array, data_type: DataType) -> Coded:
        """A column from `plain`."""
        coded = column.dictionary_encode()
        codes = pc.fill_null(coded.indices, -1).to_numpy().astype(np.int64)
        return cls(data_type, coded.dictionary, codes)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each value."""
        there = self.codes if not self.nulls else self.codes[self.codes >= 0]
        return np.bincount(there, minlength=len(self)).astype(np.int64)

    @cached_property
    def nulls(self) -> int:
        """Rows without a value."""
        return int((self.codes < 0).sum())

    def pairs(self, starts: NDArray[np.int64]) -> int:
        """In how many of the parts that start there a value is, summed over the values."""
        parts = len(starts) - 1
        if parts == 1:
            return len(self)
        there = self.codes >= 0
        part_of = np.repeat(np.arange(parts), np.diff(starts))[there]
        places = self.codes[there] * parts + part_of
        if len(self) * parts > _MANY:
            return len(np.unique(places))
        seen = np.zeros(len(self) * parts, np.bool_)
        seen[places] = True
        return int(seen.sum())


def plain(column: pa.ChunkedArray, data_type: DataType) -> pa.Array:
    """A column of a data file as one array that has an order, without a dictionary.

    Of the Arrow type of the data type, but for binaries of a fixed size, and very long texts.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.type != to_arrow(data_type):
        chunks = [stored(chunk, data_type) for chunk in column.chunks]
        column = pa.chunked_array(chunks, to_arrow(data_type))
    if pa.types.is_fixed_size_binary(column.type) and not pa.types.is_decimal(column.type):
        column = column.cast(pa.binary())
    if (data_type.is_string or data_type.is_binary) and column.nbytes > _LARGE:
        column = column.cast(pa.large_string() if data_type.is_string else pa.large_binary())
    return column.combine_chunks()


def value_at(values: pa.Array, place: int) -> Any:
    """A value as predicates have it."""
    value = values[place]
    if pa.types.is_large_string(value.type):
        value = value.cast(pa.string())
    elif pa.types.is_large_binary(value.type):
        value = value.cast(pa.binary())
    return plain_value(value)


def hash_codes(values: pa.Array, data_type: DataType) -> NDArray[np.uint64]:
    """Hash codes of values without nulls: those of bloom filters, mixed once more (as SplitMix64
    does it), since of small numbers these are not evenly spread."""
    if not is_taken(data_type):
        values, data_type = values.cast(pa.string()), _TEXT
    parts = BloomFilterBuilder.of(data_type, {}).hashes(values)
    codes = np.concatenate([np.empty(0, np.uint64), *parts])
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        codes = (codes ^ codes >> np.uint64(shift)) * np.uint64(factor)
    mixed: NDArray[np.uint64] = codes ^ codes >> np.uint64(31)
    return mixed


def bounds_of_parts(column: pa.Array, starts: NDArray[np.int64]) -> list[Bounds]:
    """The statistics that each of the parts of a column that start there would have."""
    found = []
    for start, end in itertools.pairwise(starts.tolist()):
        part = column.slice(start, end - start)
        least, greatest = _least_and_greatest(part)
        found.append(Bounds(least, greatest, part.null_count, len(part)))
    return found


def _least_and_greatest(column: pa.Array) -> tuple[Any, Any]:
    both = pc.min_max(column)
    ends = (pa.array([both[end]], column.type) for end in ("min", "max"))
    least, greatest = (value_at(end, 0) for end in ends)
    return least, greatest


# Looking at columns -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """Columns of a data file to look at, in the table's terms; with `indexes` its index too."""

    file: DataFile
    names: tuple[str, ...]
    indexes: bool = False


@dataclass(frozen=True)
class Profile:
    """What a column of a data file is like.

    `least` and `greatest` are internal values, None if there is none. `hashes` are the SKETCH
    smallest hash codes of its values, ascending, with the `counts` of their rows and the `values`
    (None where they are long). `quantiles` are values at even distances among the rows in order.
    `in_groups` and `in_pages` are in how many row groups and pages a value is, summed over values.
    """

    rows: int
    nulls: int
    distinct: int
    least: Any
    greatest: Any
    hashes: NDArray[np.uint64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    values: tuple[Any, ...] = field(repr=False)
    quantiles: tuple[Any, ...] = field(repr=False)
    groups: int
    in_groups: int
    pages: int
    in_pages: int
    value_bytes: int


@dataclass(frozen=True)
class Profiled:
    """What a file is like: columns that it has in the table's type, `existing` indexes' bytes."""

    columns: Mapping[str, Profile]
    rows: int
    has_groups: bool
    size: Kept
    existing: Mapping[Key, int] = field(default_factory=dict)


def profile(job: Job, look: Look) -> Profiled:
    """The look at a data file. Raises PaimonKsyError that names the file."""
    file = look.file
    schema = job.schemas[file.schema_id]
    layout = layout_of(job, file)
    names = {}
    for name in look.names:
        column, _ = job.table.columns.split(name)
        found = file_column(job.table, schema, column.name)
        if found is not None and _has(file, found.name) and _same(found.type, column.type):
            names[name] = found.name
    data = _read(job, file, schema, names.values())
    columns = {}
    for name, own in names.items():
        _, key = job.table.columns.split(name)
        column = data[own] if key is None else _of_key(data[own], key, file)
        data_type = job.table.columns[name]
        columns[name] = _profile(plain(column, data_type), data_type, layout)
    existing = _existing(job, file, schema) if look.indexes else {}
    return Profiled(columns, layout.rows, layout.has_groups, layout.all, existing)


def _same(one: DataType, other: DataType) -> bool:
    return one.with_nullable(True) == other.with_nullable(True)


def _has(file: DataFile, name: str) -> bool:
    return file.write_columns is None or name in file.write_columns


def _read(
    job: Job, file: DataFile, schema: TableSchema, names: Iterable[str]
) -> Mapping[str, pa.ChunkedArray]:
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    try:
        rows, _ = read_rows(job.storage, file, schema.columns, wanted, job.most_rows)
    except CorruptFileError as error:
        error.path = error.path or file.path
        raise
    except PaimonKsyError as error:
        raise _naming(error, file) from error
    return {name: rows[name] for name in wanted}


def _naming(error: PaimonKsyError, file: DataFile) -> PaimonKsyError:
    return error if file.name in str(error) else type(error)(f"{file.path}: {error}")


def _of_key(column: pa.ChunkedArray, key: str, file: DataFile) -> pa.ChunkedArray:
    try:
        return values_of_key(column, key)
    except SchemaError as error:
        raise _naming(error, file) from error


def _profile(values: pa.Array, data_type: DataType, layout: Layout) -> Profile:
    column = Coded.of(values, data_type)
    hashes = hash_codes(column.values, data_type)
    some = np.arange(len(hashes))
    if len(hashes) > SKETCH:
        some = np.argpartition(hashes, SKETCH)[:SKETCH]
    some = some[np.argsort(hashes[some])]
    counts = column.counts
    is_long = np.zeros(len(some), np.bool_)
    value_bytes = 0
    quantiles: list[Any] = []
    if data_type.is_string or data_type.is_binary:
        lengths = pc.binary_length(column.values).to_numpy(zero_copy_only=False)
        is_long = lengths[some] > _LONG_VALUE
        value_bytes = int((lengths * counts).sum())
    elif len(column):
        order = pc.sort_indices(column.values).to_numpy()
        ends = np.cumsum(counts[order])
        wanted = (np.arange(_QUANTILES) + 0.5) / _QUANTILES * ends[-1]
        places = order[np.searchsorted(ends, wanted.astype(np.int64), side="right")]
        quantiles = [value_at(column.values, place) for place in places.tolist()]
    told = (
        None if long else value_at(column.values, place)
        for place, long in zip(some.tolist(), is_long.tolist(), strict=True)
    )
    least, greatest = _least_and_greatest(column.values)
    return Profile(
        layout.rows,
        column.nulls,
        len(column),
        least,
        greatest,
        hashes[some],
        counts[some],
        tuple(told),
        tuple(quantiles),
        layout.num_groups,
        column.pairs(layout.group_starts),
        len(layout.group_of_page),
        column.pairs(layout.page_starts),
        value_bytes,
    )


def _existing(job: Job, file: DataFile, schema: TableSchema) -> dict[Key, int]:
    """The indexes that the file has, with their bytes; what the table has no column for is left."""
    names = {field_id: name for name, field_id in job.table.ids.items()}
    found = {}
    with _Existing(job, file, schema) as index:
        for name, entries in index.indexes.items() if index is not None else ():
            column, key = _split(schema, name)
            own = names.get(schema.ids.get(column, -1))
            if own is not None:
                for kind, entry in entries.items():
                    full = own if key is None else f"{own}[{key}]"
                    found[full, kind] = 0 if entry.is_empty else int(entry.len_body)
    return found


def _split(schema: TableSchema, name: str) -> tuple[str, str | None]:
    try:
        column, key = schema.columns.split(name)
    except SchemaError:
        return "", None
    return column.name, key


class _Existing:
    """The index of a data file, open; what is wrong with it is told with its name."""

    def __init__(self, job: Job, file: DataFile, schema: TableSchema) -> None:
        self._job, self._file, self._schema = job, file, schema
        self._opened: FileIndex | None = None

    def __enter__(self) -> FileIndex | None:
        place = self._file.index
        if place is not None:
            try:
                source = self._job.storage.open(place) if isinstance(place, str) else place
                self._opened = FileIndex.open(source, self._schema.columns)
            except CorruptFileError as error:
                self._name(error)
                raise
        return self._opened

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._opened is not None:
            self._opened.close()
        if isinstance(error, CorruptFileError):
            self._name(error)

    def _name(self, error: CorruptFileError) -> None:
        if error.path in (None, "<bytes>"):
            error.path = f"{self._file.path} (its index in the manifest)"


# Measuring indexes ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A predicate of which rows may be in the file, in the file's terms, and by which indexes it is
    to be answered: each combination of them is tried."""

    number: int
    predicate: Predicate
    combinations: tuple[frozenset[Key], ...]


@dataclass(frozen=True)
class Trial:
    """What is tried on a data file: indexes, in its own terms, and predicates on their columns."""

    file: DataFile
    specs: Mapping[Key, IndexSpec]
    asked: tuple[Asked, ...]


@dataclass(frozen=True)
class Answer:
    """What of a file has to be read for a predicate, by what is there to tell.

    `now` is by the index that the file has, `bounds` by the smallest and largest value of the file,
    its row groups and pages, if they are known; `found` by combinations of indexes, each alone and
    with the bounds.
    """

    number: int
    rows: int
    now: Kept
    bounds: Kept
    found: Mapping[frozenset[Key], tuple[Kept, Kept]]


@dataclass(frozen=True)
class Measured:
    """Bytes and seconds of the indexes of a file, why some could not be built, and the answers."""

    rows: int
    sizes: Mapping[Key, int]
    seconds: Mapping[Key, float]
    refused: Mapping[Key, str]
    answers: tuple[Answer, ...]


def measure(job: Job, trial: Trial) -> Measured:
    """Build indexes of a data file and ask them. Raises PaimonKsyError that names the file."""
    file = trial.file
    schema = job.schemas[file.schema_id]
    names = [spec.column for spec in trial.specs.values()]
    for asked in trial.asked:
        names += columns_of(asked.predicate, schema.columns)
    layout = layout_of(job, file)
    data = pa.table(dict(_read(job, file, schema, names)))
    built: dict[Key, _Built] = {}
    refused: dict[Key, str] = {}
    for key, spec in trial.specs.items():
        try:
            built[key] = _Built.of(spec, data, schema)
        except (UnsupportedError, OptionError, SchemaError) as error:
            refused[key] = str(error).removeprefix(f"column {key[0]!r}: ")
    answers: tuple[Answer, ...] = ()
    if trial.asked:
        with _Questions(job, file, schema, layout, data, built) as questions:
            answers = tuple(map(questions.answer, trial.asked))
    return Measured(
        layout.rows,
        {key: len(index.body) for key, index in built.items()},
        {key: index.seconds for key, index in built.items()},
        refused,
        answers,
    )


@dataclass(frozen=True)
class _Built:
    """A file index with one index, and the body of that; empty if it is EMPTY."""

    spec: IndexSpec
    made: bytes
    body: bytes
    is_empty: bool
    seconds: float

    @classmethod
    def of(cls, spec: IndexSpec, data: pa.Table, schema: TableSchema) -> _Built:
        started = time.thread_time()
        made = build_file_index(data, schema.columns, FileIndexOptions((spec,)))
        seconds = time.thread_time() - started
        with FileIndex.open(made) as opened:
            entry = opened.indexes[spec.name][spec.index_type]
            if entry.is_empty:
                return cls(spec, made, b"", True, seconds)
            body = made[entry.ofs_body : entry.ofs_body + entry.len_body]
        return cls(spec, made, body, False, seconds)


class _Questions:
    """Answers what is asked of a file."""

    def __init__(
        self,
        job: Job,
        file: DataFile,
        schema: TableSchema,
        layout: Layout,
        data: pa.Table,
        built: Mapping[Key, _Built],
    ) -> None:
        self._file, self._schema, self._layout, self._built = file, schema, layout, built
        self._data = _as_in_schema(data, schema)
        self._bounds: dict[str, tuple[list[Bounds], ...]] = {}
        self._existing = _Existing(job, file, schema)
        self._index: FileIndex | None = None

    def __enter__(self) -> _Questions:
        self._index = self._existing.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._existing.__exit__(kind, error, trace)

    def answer(self, asked: Asked) -> Answer:
        predicate, layout = asked.predicate, self._layout
        may = self._pages_by_bounds(predicate)
        bounds = layout.kept(may, _rows_of(layout, may))
        found = {}
        for combination in asked.combinations:
            indexes = [self._built[key] for key in sorted(combination & self._built.keys())]
            if not indexes:
                found[combination] = layout.all, bounds
                continue
            with FileIndex.open(_joined(indexes), self._schema.columns) as opened:
                selection = opened.evaluate(predicate, num_rows=layout.rows)
                read = opened.bytes_read
            pages = layout.pages_of(selection)
            rows = _count(selection, layout)
            found[combination] = (
                layout.kept(pages, rows, read),
                layout.kept(pages & may, rows, read),
            )
        matching = mask(predicate, self._data)
        return Answer(
            asked.number,
            int(pc.sum(matching).as_py() or 0),
            self._now(predicate),
            bounds,
            found,
        )

    def _now(self, predicate: Predicate) -> Kept:
        if self._index is None:
            return self._layout.all
        before = self._index.bytes_read
        selection = self._index.evaluate(predicate, num_rows=self._file.num_rows)
        read = 0 if self._file.embedded_index is not None else self._index.bytes_read - before
        return self._layout.kept(
            self._layout.pages_of(selection), _count(selection, self._layout), read
        )

    def _pages_by_bounds(self, predicate: Predicate) -> NDArray[np.bool_]:
        """The pages that can have rows by the smallest and largest values of file, group, page."""
        layout = self._layout
        for name in tested_names(predicate):
            known = name in self._bounds or name not in self._data.schema.names
            if not known and not self._schema.columns[name].fields:
                column = plain(self._data[name], self._schema.columns[name])
                whole = np.array([0, layout.rows])
                starts = whole, layout.group_starts, layout.page_starts
                self._bounds[name] = tuple(bounds_of_parts(column, at) for at in starts)

        def may(level: int, at: int) -> bool:
            def of_column(name: str) -> Bounds | None:
                known = self._bounds.get(name)
                return None if known is None else known[level][at]

            return may_match(predicate, of_column)

        pages = np.zeros(len(layout.group_of_page), np.bool_)
        if layout.rows and may(0, 0):
            groups = [may(1, at) for at in range(layout.num_groups)]
            for page, group in enumerate(layout.group_of_page.tolist()):
                pages[page] = groups[group] and may(2, page)
        return pages


def _as_in_schema(data: pa.Table, schema: TableSchema) -> pa.Table:
    """The columns in the Arrow types of their types, or as dictionaries of these."""
    columns = {}
    for name in data.schema.names:
        column, data_type = data[name], schema.columns[name]
        wanted = to_arrow(data_type)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if kind != wanted:
            chunks = [stored(chunk, data_type) for chunk in column.chunks]
            column = pa.chunked_array(chunks, wanted)
        columns[name] = column
    return pa.table(columns)


def _joined(indexes: Sequence[_Built]) -> bytes:
    """A file index of these."""
    if len(indexes) == 1:
        return indexes[0].made
    columns: dict[str, list[tuple[str, list[bytes] | None]]] = {}
    for index in indexes:
        body = None if index.is_empty else [index.body]
        columns.setdefault(index.spec.name, []).append((index.spec.index_type, body))
    return assemble(columns.items())


def _count(selection: Selection, layout: Layout) -> int:
    if selection.rows is None:
        return layout.rows if selection.kind == "all" else 0
    return int(np.searchsorted(np.asarray(selection.rows.to_array()), layout.rows))


def _rows_of(layout: Layout, pages: NDArray[np.bool_]) -> int:
    return int(np.diff(layout.page_starts)[pages].sum())
