"""Whether a file index is sound: all of it is read, and may be compared with the data.

Without the data it can be told that each bitmap is well formed, that rows are those of the file,
and that each row has one value, or null. With them it can be told that it is the right one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.data_files.orc.shifted import is_shifted, is_stored_as, stored_as
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.evaluation.key_ranges import StoredKeys, sortable
from paimon_ksy.file_index.bitmap import check as bitmap_check
from paimon_ksy.file_index.bitmap import reader as bitmap
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.bloom_filter.reader import BloomFilterReader, hashes_of, places_of
from paimon_ksy.file_index.bsi.reader import BsiReader
from paimon_ksy.file_index.builder import build_file_index, values_of_key
from paimon_ksy.file_index.container import READERS, CorruptErrors, FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.file_index.range_bitmap import check as range_bitmap_check
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.file_index.share import Share, alone
from paimon_ksy.generated.codecs import bit_slice_index
from paimon_ksy.generated.codecs.bloom_filter_index import extent_bits
from paimon_ksy.messages.findings import NOTE, Finding
from paimon_ksy.roaring.bit_slices import numbers_between
from paimon_ksy.roaring.bitmap_32 import Words, rows_of, words_of_bits
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

_Rows = NDArray[np.int32] | NDArray[np.int64]

NO_OPTIONS = FileIndexOptions()

_ROWS_AT_ONCE = 1 << 16  # what is made of them stays in the processor's caches


class ShiftedError(PaimonKsyError):
    """An index has timestamps as they were written, and the ORC file has those that Java made of
    them: both are sound (see `orc_shifted`).

    `column` is the one that is indexed.
    """

    code = "shifted"
    remedy = "nothing needs repair: queries for such times test the rows of the file, like a scan"

    def __init__(self, column: str) -> None:
        super().__init__(
            "Java's ORC writer shifted some timestamps before 1970: the index contains the "
            "original values, readers of the file get the shifted ones",
            column=column,
        )

    def finding(self, path: str, which: str = "") -> Finding:
        """Return the note over the index at `path`; `which` says which one of several it is."""
        message = which + self.message
        return Finding(NOTE, "timestamps", path, self.column, None, message, self.remedy or "")


@dataclass(frozen=True)
class Content:
    """An index row by row: the keys as they are stored, and of each row the place of its key.

    A place of -1 is null. The keys of a BSI are its numbers, in no list: then `keys` is None, and
    `places` are the numbers, `nulls` the rows without one.
    """

    keys: StoredKeys | None
    places: _Rows
    nulls: NDArray[np.bool_]

    def differs(self, other: Content) -> _Rows:
        """The rows that are not the same in both."""
        if self.keys is None or other.keys is None:
            apart = self.places != other.places
        else:
            known = {key: place for place, key in enumerate(other.keys)}
            mine = np.array([*(known.get(key, -2) for key in self.keys), -1], np.int64)
            apart = mine[self.places] != other.places
        found: _Rows = np.flatnonzero((self.nulls != other.nulls) | (apart & ~self.nulls))
        return found


def check_index(
    opened: FileIndex,
    num_rows: int,
    schema: Schema,
    options: FileIndexOptions = NO_OPTIONS,
    data: Callable[[], pa.Table] | None = None,
    names: Collection[str] | None = None,
    share: Share = alone,
    *,
    file_format: str = "",
) -> Iterator[PaimonKsyError]:
    """What is wrong with a file index of a data file with so many rows, one error for each index.

    `schema` is the one that the data file was written with. All of the index is read. With `data`,
    which gives the indexed columns, it is compared row by row; if it is not right it is built again
    with the `options` that there are, to tell which byte is not. A bloom filter has to let all
    values through. `data` may raise. Of indexed columns just those with these `names` are looked at
    if they are given. `share` does parts of what takes long. A sound index of an ORC file
    (`file_format`) may have other timestamps than the file: that is a ShiftedError.
    """
    known = {(spec.name, spec.index_type): spec for spec in options.indexes}
    if names is None or opened.columns[:1] == (*names,)[:1]:
        yield from _check_end(opened)
    for name, kind, entry in entries_of(opened):
        if names is not None and name not in names:
            continue
        spec = known.get((name, kind)) or spec_named(kind, name)
        rows = data() if data is not None and kind in READERS and name in schema else None
        error = index_error(opened, spec, entry, num_rows, schema, rows, share, file_format)
        if error is not None:
            yield error


def index_error(
    opened: FileIndex,
    spec: IndexSpec,
    entry: Any,
    num_rows: int,
    schema: Schema,
    rows: pa.Table | None = None,
    share: Share = alone,
    file_format: str = "",
) -> PaimonKsyError | None:
    """Return what is wrong with one index, as `check_index` says it; None if it is sound.

    `entry` is the index's entry in the head. `rows` has its column, if that is to be compared.
    """
    if rows is not None and _is_right(opened, spec, entry, num_rows, schema, rows, share):
        return None
    right = None if rows is None else _built(opened, entry, spec, rows, schema)
    if right is not None and right == _body(opened, entry):
        return None
    try:
        with CorruptErrors(opened.source, spec.name):
            _check_one(opened, spec, entry, num_rows, schema)
    except CorruptFileError as error:
        return _placed(error, opened, entry, right)
    except PaimonKsyError as error:
        return error
    if rows is None:
        return None
    try:
        with CorruptErrors(opened.source, spec.name):
            _compare(opened, entry, spec, num_rows, rows, schema, file_format)
    except PaimonKsyError as error:
        return error
    return None


def _check_end(opened: FileIndex) -> Iterator[PaimonKsyError]:
    """That no bytes follow what the head names."""
    size, there = opened.source.size, [entry for _, _, entry in entries_of(opened)]
    if any(entry.ofs_body + entry.len_body >= size for entry in there if not entry.is_empty):
        return
    head = opened.head  # which may name an index twice
    entries = (entry for column in head.head.columns for entry in column.indexes)
    ends = (int(entry.ofs_body + entry.len_body) for entry in entries if not entry.is_empty)
    end = max(ends, default=int(head.len_head))
    if int(head.len_head) <= end < size:
        yield CorruptFileError(f"{size - end} bytes follow the last index", offset=end)


def _check_one(
    opened: FileIndex, spec: IndexSpec, entry: Any, num_rows: int, schema: Schema
) -> Content | None:
    """Reads all of an index, and gives what is row by row in it; None of a bloom filter or none."""
    if entry.is_empty and spec.key is None and num_rows:
        raise CorruptFileError(
            f"it is EMPTY, so readers skip the file, which has {num_rows} rows", offset=0
        )
    check_extent(opened, entry)
    reader = _reader(opened, spec.name, spec.index_type, entry, schema)
    return None if reader is None else _check(reader, num_rows, entry)


def _is_right(
    opened: FileIndex,
    spec: IndexSpec,
    entry: Any,
    num_rows: int,
    schema: Schema,
    rows: pa.Table,
    share: Share,
) -> bool:
    """Whether an index is sound, and known to have what is in the data: most indexes are."""
    column = _column(rows, spec)
    try:
        with CorruptErrors(opened.source, spec.name):
            if spec.index_type == "bitmap" and not entry.is_empty:
                check_extent(opened, entry)
                reader = _reader(opened, spec.name, spec.index_type, entry, schema)
                end = int(entry.ofs_body + entry.len_body)
                return bitmap_check.is_right(
                    reader, opened.source, end, column, schema[spec.name], share
                )
            if spec.index_type == "range-bitmap" and not entry.is_empty:
                check_extent(opened, entry)
                reader = _reader(opened, spec.name, spec.index_type, entry, schema)
                if range_bitmap_check.is_right(reader, column, schema[spec.name], share):
                    return True
            found = _check_one(opened, spec, entry, num_rows, schema)
        return found is not None and _has_data(found, column, schema[spec.name])
    except PaimonKsyError:
        return False


def _column(rows: pa.Table, spec: IndexSpec) -> pa.ChunkedArray:
    column = rows.column(spec.column)
    return column if spec.key is None else values_of_key(column, spec.key)


def _has_data(found: Content, column: pa.ChunkedArray, data_type: DataType) -> bool:
    """Whether the keys are the values of the column; False too if that is not told so quickly."""
    from paimon_ksy.columns.postings import stored_codes, stored_numbers

    if len(column) != len(found.places):
        return False
    if found.keys is not None and not len(found.keys):
        return bool(found.nulls.all()) and column.null_count == len(column)
    if isinstance(found.keys, list):
        codes, values = stored_codes(column, data_type)
        place_of = {key: place for place, key in enumerate(found.keys)}
        # The code after the last is that of null, as the place before the first is.
        due = [*(place_of.get(value, -2) for value in values.to_pylist()), -1]
        return bool(np.array_equal(np.array(due, found.places.dtype).take(codes), found.places))
    numbers, rows = stored_numbers(column, data_type)
    places = found.places
    if rows is None:
        if found.nulls.any():
            return False
    else:
        if len(rows) != len(places) - np.count_nonzero(found.nulls) or found.nulls[rows].any():
            return False
        places = places[rows]
    there = places if found.keys is None else found.keys.take(places)
    return bool(np.array_equal(sortable(numbers), there))


def _placed(
    error: CorruptFileError, opened: FileIndex, entry: Any, right: bytes | None
) -> CorruptFileError:
    """The error at a byte of the index: the first that is not as it is built of the data, if known.

    Else where reading stopped, or the start of the index if that is somewhere else.
    """
    start, end = int(entry.ofs_body), int(entry.ofs_body + entry.len_body)
    if error.offset is None or not start <= error.offset < end:
        error.offset = min(max(start, 0), opened.source.size)
    there = _body(opened, entry)
    if right is not None and there is not None and len(right) == len(there):
        error.offset = start + _first_difference(there, right)
    return error


def _first_difference(there: bytes, right: bytes) -> int:
    pairs = enumerate(zip(there, right, strict=False))
    return next((at for at, (mine, other) in pairs if mine != other), 0)


def _with_version(spec: IndexSpec, version: str | None) -> IndexSpec:
    return spec if version is None else replace(spec, options={**spec.options, "version": version})


def _built(
    opened: FileIndex, entry: Any, spec: IndexSpec, rows: pa.Table, schema: Schema
) -> bytes | None:
    """The bytes of the index as it is built of the data; of a bitmap in the version that it has.

    None if that is not known: bloom filters have sizes of their own.
    """
    versions: list[str | None] = [None]
    if spec.index_type == "bloom-filter":
        return None
    if spec.index_type == "bitmap" and not entry.is_empty:
        versions = ["2", "1"]
        with suppress(PaimonKsyError), CorruptErrors(opened.source):
            versions.sort(key=str(bitmap.version(opened.source, entry.ofs_body)).__ne__)
    found = None
    for version in versions:
        with suppress(PaimonKsyError):
            options = FileIndexOptions((_with_version(spec, version),))
            with FileIndex.open(build_file_index(rows, schema, options)) as wanted:
                [(_, _, other)] = entries_of(wanted)
                found = _body(wanted, other)
            if found is not None and len(found) == (0 if entry.is_empty else entry.len_body):
                return found
    return found


def _body(opened: FileIndex, entry: Any) -> bytes | None:
    """The bytes of an index; none if it is EMPTY, None if it does not lie in the file."""
    if entry.is_empty:
        return b""
    with suppress(PaimonKsyError):
        check_extent(opened, entry)
        return bytes(opened.source.read(entry.ofs_body, entry.len_body))
    return None


def entries_of(opened: FileIndex) -> Iterator[tuple[str, str, Any]]:
    """Yield of each index the column's name, the type, and the entry in the head."""
    for name, entries in opened.places.items():
        for kind, entry in entries.items():
            yield name, kind, entry


def _reader(opened: FileIndex, name: str, kind: str, entry: Any, schema: Schema) -> Any:
    """None for an index that has no bytes, or of another kind."""
    if kind not in READERS or name not in schema:
        return None
    if entry.is_empty:
        return None
    sized = {"length": entry.len_body} if kind == "bloom-filter" else {}
    return READERS[kind](opened.source, entry.ofs_body, name, schema[name], **sized)


def check_extent(opened: FileIndex, entry: Any) -> None:
    """Raise CorruptFileError if the index does not lie in the file."""
    if entry.is_empty:
        return
    end, size = entry.ofs_body + entry.len_body, opened.source.size
    if entry.ofs_body < 0 or entry.len_body < 0 or end > size:
        raise CorruptFileError(
            f"the index takes bytes {entry.ofs_body} to {end}, but the file has {size}",
            offset=min(max(entry.ofs_body, 0), size),
        )


# In itself --------------------------------------------------------------------------------------


def _check(reader: Any, num_rows: int, entry: Any) -> Content | None:
    place = int(entry.ofs_body)
    if reader.num_rows is not None and reader.num_rows != num_rows:
        raise CorruptFileError(
            f"it counts {reader.num_rows} rows, but the data file has {num_rows}: it is the "
            "index of another file",
            offset=place,
        )
    if isinstance(reader, BitmapReader):
        return _check_bitmap(reader, place, place + int(entry.len_body))
    if isinstance(reader, BsiReader):
        return _check_bsi(reader, place, place + entry.len_body)
    if isinstance(reader, RangeBitmapReader):
        return _check_range_bitmap(reader, place)
    if isinstance(reader, BloomFilterReader):
        if reader.index.num_hashes < 1:
            raise CorruptFileError(f"{reader.index.num_hashes} hash functions", offset=place)
        start, size = map(int, extent_bits(reader.index))
        if size != place + entry.len_body - start:
            raise CorruptFileError(f"its bits take {size} bytes", offset=place)
        reader.may_hold(np.zeros(1, np.uint64))
    return None


def _check_bitmap(reader: BitmapReader, place: int, end: int) -> Content:
    keys, parts = reader.postings(end)
    if len(keys) != reader.num_values:
        raise CorruptFileError(
            f"its head counts {reader.num_values} values, but {len(keys)} are stored", offset=place
        )
    if reader.version == 1 and (again := _stored_again(keys)) is not None:
        raise CorruptFileError(f"it stores the value {again!r} twice", offset=place)
    told = np.zeros(reader.num_rows, np.uint32)  # the place and 1, so that 0 is none
    count = 0
    for places, rows, start in parts:
        if len(rows) and int(rows.max()) >= reader.num_rows:
            message = f"row {rows.max()} is out of range in a file of {reader.num_rows} rows"
            raise CorruptFileError(message, offset=start)
        told[rows] = places + 1
        count += len(rows)
    nulls = told == 0
    if count != len(nulls) - np.count_nonzero(nulls):
        raise _second_value(reader, end)
    due = _marked(reader.nulls, reader.num_rows)
    if not np.array_equal(nulls, due):
        row = int(np.flatnonzero(nulls != due)[0])
        what = "has neither a value nor null" if nulls[row] else "has a value and is null"
        raise CorruptFileError(f"row {row} {what}", offset=place)
    told -= 1
    return Content(keys, told.view(np.int32), nulls)


def _stored_again(keys: StoredKeys) -> Any:
    """Return a key that stands among the keys more than once; None if all differ."""
    if isinstance(keys, list):
        return next((key for key, times in Counter(keys).items() if times > 1), None)
    ordered = np.sort(keys)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[same[0]]) if len(same) else None


def _second_value(reader: BitmapReader, end: int) -> CorruptFileError:
    _, parts = reader.postings(end)
    told = np.zeros(reader.num_rows, np.bool_)
    for _, rows, start in parts:
        there, times = np.unique(rows, return_counts=True)
        again = there[(times > 1) | told[there]]
        told[there] = True
        if len(again):
            return CorruptFileError(f"row {again[0]} has a second value", offset=start)
    raise AssertionError("each row has one value at most")


def _check_bsi(reader: BsiReader, place: int, end: int) -> Content:
    numbers = np.zeros(reader.num_rows, np.int64)
    nulls = np.ones(reader.num_rows, np.bool_)
    for part, sign in ((reader.positive, 1), (reader.negative, -1)):
        if not part.head.has_rows:
            continue
        held = _marked(part.rows, reader.num_rows)
        starts = [start for start, _ in part.slice_extents]
        found = _numbers(part.slice_words(), held, starts)
        if len(found) and int(found.max()) > part.head.max - part.head.min:
            raise CorruptFileError("a number above the greatest", offset=place)
        both = held & ~nulls
        if both.any():
            message = f"row {np.flatnonzero(both)[0]} is both below zero and not"
            raise CorruptFileError(message, offset=place)
        nulls &= ~held
        np.copyto(numbers, found, where=held, casting="unsafe")
        if part.head.min:  # another writer's: Java starts at 0
            np.add(numbers, int(part.head.min), out=numbers, where=held)
        if sign < 0:
            np.negative(numbers, out=numbers, where=held)
    if reader.negative.end != end:
        raise CorruptFileError(f"it ends at byte {reader.negative.end}, not {end}", offset=place)
    return Content(None, numbers, nulls)


def _check_range_bitmap(reader: RangeBitmapReader, place: int) -> Content:
    if not reader.num_values:
        nulls = np.ones(reader.num_rows, np.bool_)
        return Content([], np.full(reader.num_rows, -1, np.int32), nulls)
    keys = reader.dictionary.all_keys()
    if [keys[0], keys[-1]] != list(reader.bounds):
        raise CorruptFileError("its bounds are not those of the dictionary", offset=place)
    held = _marked(reader.rows, reader.num_rows)
    starts, _ = bit_slice_index.extent_bitmap(reader.slices.slices)
    codes = _numbers(reader.slice_words(), held, starts.tolist())
    most = int(codes.max()) if len(codes) else 0
    if most >= reader.num_values:
        message = f"a row with value {most} of a dictionary of {reader.num_values}"
        raise CorruptFileError(message, offset=place)
    nulls = ~held
    places = codes.view(np.int32)
    if nulls.any():
        places = np.where(nulls, np.int32(-1), places)
    return Content(keys, places, nulls)


def _marked(rows: BitMap, num_rows: int) -> NDArray[np.bool_]:
    """Whether each row is one of them."""
    if len(rows) == num_rows:
        return np.ones(num_rows, np.bool_)
    marks = np.zeros(num_rows, np.bool_)
    marks[_array(rows)] = True
    return marks


def _numbers(
    slices: Iterable[Words], held: NDArray[np.bool_], starts: Sequence[int]
) -> NDArray[Any]:
    """Of each row the number whose bits the slices, which start at these bytes, have."""
    others = ~words_of_bits(held)
    there = []
    for words, start in zip(slices, starts, strict=True):
        if (words & others).any():
            row = next(iter(rows_of(words & others)))
            raise CorruptFileError(
                f"a bit is set for row {row}, which does not exist", offset=start
            )
        there.append(words)
    parts = [
        numbers_between(there, at, min(at + _ROWS_AT_ONCE, len(held)))
        for at in range(0, len(held), _ROWS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty(0, np.uint32)


# With the data ----------------------------------------------------------------------------------


def spec_named(kind: str, name: str) -> IndexSpec:
    """An index of this type by the name that a file index gives to its column."""
    start = name.find("[")
    if start >= 0 and name.endswith("]"):
        return IndexSpec(kind, name[:start], name[start + 1 : -1])
    return IndexSpec(kind, name)


def _compare(
    opened: FileIndex,
    entry: Any,
    spec: IndexSpec,
    num_rows: int,
    rows: pa.Table,
    schema: Schema,
    file_format: str,
) -> None:
    if spec.index_type == "bloom-filter":
        if not entry.is_empty:
            reader = _reader(opened, spec.name, spec.index_type, entry, schema)
            _compare_bloom_filter(reader, rows, spec, schema, file_format)
            return
    elif spec.index_type == "bitmap" and not entry.is_empty:
        spec = _with_version(spec, str(bitmap.version(opened.source, entry.ofs_body)))
    built = build_file_index(rows, schema, FileIndexOptions((spec,)))
    with FileIndex.open(built) as wanted:
        [(_, _, other)] = entries_of(wanted)
        if entry.is_empty or other.is_empty:
            if entry.is_empty != other.is_empty:
                raise CorruptFileError("it is EMPTY, but the data contains values")
            return
        there = bytes(opened.source.read(entry.ofs_body, entry.len_body))
        right = bytes(wanted.source.read(other.ofs_body, other.len_body))
        if there == right:
            return
        mine = _check_one(opened, spec, entry, num_rows, schema)
        data = _check_one(wanted, spec, other, num_rows, schema)
        assert mine is not None
        assert data is not None
        apart = mine.differs(data)
        if schema[spec.name].root == "CHAR":
            # Java indexes what it was given, of which ORC keeps no spaces at the end.
            apart = apart[[_unpadded(mine, row) != _unpadded(data, row) for row in apart.tolist()]]
        if not len(apart):
            return
        if is_shifted(schema[spec.name], file_format):
            shifted = _shifted(mine, data, apart, schema[spec.name])
            if shifted.all():
                raise ShiftedError(spec.name)
            apart = apart[~shifted]
    row = int(apart[0])
    at = _first_difference(there, right)
    raise CorruptFileError(
        f"{len(apart)} of {len(mine.places)} rows differ from the data; the first is row "
        f"{row}, with {_at(mine, row)} instead of {_at(data, row)}",
        offset=entry.ofs_body + (at if len(there) == len(right) else 0),
    )


def _shifted(mine: Content, data: Content, rows: _Rows, data_type: DataType) -> NDArray[np.bool_]:
    """Of rows in which both differ whether Java stores what is in one as what is in the other."""

    def numbers(of: Content) -> NDArray[np.int64]:
        places = of.places[rows]
        found = places if of.keys is None else np.asarray(of.keys).take(places)
        return np.asarray(found, np.int64)

    has_values = ~(mine.nulls[rows] | data.nulls[rows])
    return has_values & is_stored_as(numbers(mine), numbers(data), _per_second(data_type))


def _per_second(data_type: DataType) -> int:
    """Ticks of a second, as indexes store timestamps."""
    return 1000 if (data_type.precision or 0) <= 3 else 10**6


def _unpadded(of: Content, row: int) -> bytes | None:
    if of.nulls[row] or of.keys is None:
        return None
    return bytes(np.asarray(of.keys, object)[int(of.places[row])]).rstrip(b" ")


def _at(of: Content, row: int) -> str:
    place = int(of.places[row])
    if of.nulls[row]:
        return "null"
    return repr(place if of.keys is None else np.asarray(of.keys, object)[place])


def _compare_bloom_filter(
    reader: BloomFilterReader, rows: pa.Table, spec: IndexSpec, schema: Schema, file_format: str
) -> None:
    from paimon_ksy.columns.postings import stored_numbers
    from paimon_ksy.file_index.bloom_filter.writer import BloomFilterBuilder

    column = _column(rows, spec)
    start, _ = extent_bits(reader.index)
    builder = BloomFilterBuilder.of(schema[spec.name], {})
    lost = 0
    byte = None
    for hashes in builder.hashes(column):
        missed = hashes[~reader.may_hold(hashes)]
        lost += len(missed)
        if len(missed) and byte is None:
            byte = next(
                start + (int(places[0]) >> 3)
                for places in places_of(
                    missed[:1].copy(), reader.index.num_hashes, reader.index.num_bits
                )
                if not reader.is_set(places[:1])[0]
            )
    if lost and schema[spec.name].root == "CHAR":  # as above
        kind = schema[spec.name]
        hashes_of_each = (
            hashes_of([value], kind) for value in column.unique().to_pylist() if value
        )
        lost = sum(
            found is not None and not reader.may_hold(found).any() for found in hashes_of_each
        )
    if lost and is_shifted(schema[spec.name], file_format):
        kind = schema[spec.name]
        numbers, _ = stored_numbers(column, kind)
        unknown = [
            number
            for number in np.unique(numbers).tolist()
            if not any(
                (found := hashes_of([tick * 10**9 // _per_second(kind)], kind)) is not None
                and reader.may_hold(found).any()
                for tick in (number, *stored_as(number, _per_second(kind)))
            )
        ]
        if not unknown:
            raise ShiftedError(spec.name)
        lost = len(unknown)
    if lost:
        raise CorruptFileError(
            f"the filter excludes {lost} values that the data contains", offset=byte
        )


def _array(rows: BitMap) -> NDArray[np.uint32]:
    return np.frombuffer(rows.to_array(), np.uint32)
