"""Whether a file index is sound: all of it is read, and may be compared with the data.

Without the data it can be told that each bitmap is well formed, that rows are those of the file,
and that each row has one value, or null. With them it can be told that it is the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy import bitmap
from paimon_ksy.bit_slices import extreme_number
from paimon_ksy.bitmap import BitmapReader
from paimon_ksy.bloom_filter import BloomFilterReader, places_of
from paimon_ksy.bsi import BsiPart, BsiReader
from paimon_ksy.build import build_file_index, values_of_key
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.file_index import READERS, CorruptErrors, FileIndex
from paimon_ksy.generated.codecs.bloom_filter_index import extent_bits
from paimon_ksy.options import FileIndexOptions, IndexSpec
from paimon_ksy.range_bitmap import RangeBitmapReader
from paimon_ksy.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

_Rows = NDArray[np.int64]

NO_OPTIONS = FileIndexOptions()


@dataclass(frozen=True)
class Content:
    """An index row by row: the keys as they are stored, and of each row the place of its key.

    A place of -1 is null. The keys of a BSI are its numbers, in no list: then `keys` is None, and
    `places` are the numbers, `nulls` the rows without one.
    """

    keys: list[Any] | None
    places: _Rows
    nulls: NDArray[np.bool_]

    def values(self) -> list[Any]:
        """Of each row its key, None if it is null."""
        keys = self.places.tolist() if self.keys is None else [self.keys[i] for i in self.places]
        return [None if null else key for key, null in zip(keys, self.nulls.tolist(), strict=True)]

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
) -> Iterator[PaimonKsyError]:
    """What is wrong with a file index of a data file with so many rows, one error for each index.

    `schema` is the one that the data file was written with. All of the index is read. With `data`,
    which gives the indexed columns, each index is built again, with the `options` that there are;
    if the bytes are others, it is compared row by row. A bloom filter has to let all values
    through. `data` may raise.
    """
    known = {(spec.name, spec.index_type): spec for spec in options.indexes}
    for name, kind, entry in _entries(opened):
        spec = known.get((name, kind)) or _spec(kind, name)
        rows = data() if data is not None and kind in READERS and name in schema else None
        right = None if rows is None else _built(opened, entry, spec, rows, schema)
        if right is not None and right == _body(opened, entry):
            continue
        try:
            with CorruptErrors(opened.source, name):
                _check_one(opened, spec, entry, num_rows, schema)
        except CorruptFileError as error:
            yield _placed(error, opened, entry, right)
            continue
        except PaimonKsyError as error:
            yield error
            continue
        if rows is None:
            continue
        try:
            with CorruptErrors(opened.source, name):
                _compare(opened, entry, spec, rows, schema)
        except PaimonKsyError as error:
            yield error


def _check_one(
    opened: FileIndex, spec: IndexSpec, entry: Any, num_rows: int, schema: Schema
) -> None:
    _check_extent(opened, entry)
    reader = _reader(opened, spec.name, spec.index_type, entry, schema)
    if reader is not None:
        _check(reader, num_rows, entry)


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
                [(_, _, other)] = _entries(wanted)
                found = _body(wanted, other)
            if found is not None and len(found) == (0 if entry.is_empty else entry.len_body):
                return found
    return found


def _body(opened: FileIndex, entry: Any) -> bytes | None:
    """The bytes of an index; none if it is EMPTY, None if it does not lie in the file."""
    if entry.is_empty:
        return b""
    with suppress(PaimonKsyError):
        _check_extent(opened, entry)
        return bytes(opened.source.read(entry.ofs_body, entry.len_body))
    return None


def _entries(opened: FileIndex) -> Iterator[tuple[str, str, Any]]:
    for name, entries in opened.indexes.items():
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


def _check_extent(opened: FileIndex, entry: Any) -> None:
    if entry.is_empty:
        return
    end, size = entry.ofs_body + entry.len_body, opened.source.size
    if entry.ofs_body < 0 or entry.len_body < 0 or end > size:
        raise CorruptFileError(
            f"the index takes bytes {entry.ofs_body} to {end} of a file of {size}",
            offset=min(max(entry.ofs_body, 0), size),
        )


# In itself --------------------------------------------------------------------------------------


def _check(reader: Any, num_rows: int, entry: Any) -> None:
    place = int(entry.ofs_body)
    if reader.num_rows is not None and reader.num_rows != num_rows:
        raise CorruptFileError(
            f"it counts {reader.num_rows} rows and the data file has {num_rows}: it is the index "
            "of another file",
            offset=place,
        )
    if isinstance(reader, BitmapReader):
        _check_bitmap(reader, place)
    elif isinstance(reader, BsiReader):
        _check_bsi(reader, place, place + entry.len_body)
    elif isinstance(reader, RangeBitmapReader):
        _check_range_bitmap(reader, place)
    elif isinstance(reader, BloomFilterReader):
        if reader.index.num_hashes < 1:
            raise CorruptFileError(f"{reader.index.num_hashes} hash functions", offset=place)
        start, size = map(int, extent_bits(reader.index))
        if size != place + entry.len_body - start:
            raise CorruptFileError(f"its bits take {size} bytes", offset=place)
        reader.may_hold(np.zeros(1, np.uint64))


def _check_bitmap(reader: BitmapReader, place: int) -> None:
    told = BitMap(reader.nulls)
    count = 0
    for keys, _, alone, others in reader.postings():
        count += len(keys)
        single = BitMap(alone.astype(np.uint32))
        if len(single) < len(alone) or told.intersect(single):
            raise CorruptFileError("two values for one row", offset=place)
        told |= single
        for _, start, rows in others:
            if told.intersect(rows):
                raise CorruptFileError(f"a second value for row {(told & rows)[0]}", offset=start)
            told |= rows
    if count != reader.num_values:
        raise CorruptFileError(f"{count} values and {reader.num_values} told", offset=place)
    if len(told) != reader.num_rows:
        told.flip_inplace(0, reader.num_rows)
        raise CorruptFileError(f"row {told[0]} has neither a value nor null", offset=place)


def _check_bsi(reader: BsiReader, place: int, end: int) -> None:
    for part in (reader.positive, reader.negative):
        if part.head.has_rows:
            slices = part.slice_rows()
            _check_slices(part.rows, slices, [start for start, _ in part.slice_extents])
            if _greatest(part.rows, slices) > part.head.max - part.head.min:
                raise CorruptFileError("a number above the greatest", offset=place)
    if reader.positive.rows.intersect(reader.negative.rows):
        row = (reader.positive.rows & reader.negative.rows)[0]
        raise CorruptFileError(f"row {row} is both below zero and not", offset=place)
    if reader.negative.end != end:
        raise CorruptFileError(f"it ends at byte {reader.negative.end}, not {end}", offset=place)


def _check_range_bitmap(reader: RangeBitmapReader, place: int) -> None:
    if not reader.num_values:
        return
    dictionary, last = reader.dictionary, reader.num_values - 1
    dictionary.check(reader.num_values)
    ends = [key for code in (0, last) for _, key in dictionary.keys(code, code + 1)]
    if ends != list(reader.bounds):
        raise CorruptFileError("its bounds are not those of the dictionary", offset=place)
    slices = reader.slice_rows()
    _check_slices(reader.rows, slices, [place] * len(slices))
    most = _greatest(reader.rows, slices)
    if most >= reader.num_values:
        message = f"a row with value {most} of a dictionary of {reader.num_values}"
        raise CorruptFileError(message, offset=place)


def _greatest(rows: BitMap, slices: list[BitMap]) -> int:
    return extreme_number(rows, len(slices), lambda bits: [slices[i] for i in bits], greatest=True)


def _check_slices(rows: BitMap, slices: list[BitMap], starts: list[int]) -> None:
    for bits, start in zip(slices, starts, strict=True):
        if not bits.issubset(rows):
            raise CorruptFileError(f"a bit of row {(bits - rows)[0]}, which has none", offset=start)


# With the data ----------------------------------------------------------------------------------


def _spec(kind: str, name: str) -> IndexSpec:
    start = name.find("[")
    if start >= 0 and name.endswith("]"):
        return IndexSpec(kind, name[:start], name[start + 1 : -1])
    return IndexSpec(kind, name)


def _compare(
    opened: FileIndex, entry: Any, spec: IndexSpec, rows: pa.Table, schema: Schema
) -> None:
    if spec.index_type == "bloom-filter":
        if not entry.is_empty:
            _compare_bloom_filter(
                _reader(opened, spec.name, spec.index_type, entry, schema), rows, spec, schema
            )
            return
    elif spec.index_type == "bitmap" and not entry.is_empty:
        spec = _with_version(spec, str(bitmap.version(opened.source, entry.ofs_body)))
    built = build_file_index(rows, schema, FileIndexOptions((spec,)))
    with FileIndex.open(built) as wanted:
        [(_, _, other)] = _entries(wanted)
        if entry.is_empty or other.is_empty:
            if entry.is_empty != other.is_empty:
                raise CorruptFileError("it is EMPTY, and the data have values")
            return
        there = bytes(opened.source.read(entry.ofs_body, entry.len_body))
        right = bytes(wanted.source.read(other.ofs_body, other.len_body))
        if there == right:
            return
        mine = content(_reader(opened, spec.name, spec.index_type, entry, schema))
        data = content(_reader(wanted, spec.name, spec.index_type, other, schema))
        apart = mine.differs(data)
        if not len(apart):
            return
    row = int(apart[0])
    at = _first_difference(there, right)
    raise CorruptFileError(
        f"{len(apart)} of {len(mine.places)} rows have other values than the data, the first is "
        f"row {row}: {_at(mine, row)} where {_at(data, row)} is due",
        offset=entry.ofs_body + (at if len(there) == len(right) else 0),
    )


def _at(of: Content, row: int) -> str:
    place = int(of.places[row])
    if of.nulls[row]:
        return "null"
    return repr(place if of.keys is None else of.keys[place])


def _compare_bloom_filter(
    reader: BloomFilterReader, rows: pa.Table, spec: IndexSpec, schema: Schema
) -> None:
    from paimon_ksy.bloom_filter_writer import BloomFilterBuilder

    column = rows.column(spec.column)
    if spec.key is not None:
        column = values_of_key(column, spec.key)
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
    if lost:
        raise CorruptFileError(
            f"the filter keeps out {lost} values that are in the data", offset=byte
        )


def content(reader: Any) -> Content:
    """An index row by row. Raises as `check_index` says."""
    if isinstance(reader, BitmapReader):
        return _content_of_bitmap(reader)
    if isinstance(reader, BsiReader):
        return _content_of_bsi(reader)
    nulls = np.ones(reader.num_rows, np.bool_)
    nulls[_array(reader.rows)] = False
    if not reader.num_values:
        return Content([], np.full(reader.num_rows, -1, np.int64), nulls)
    places = _numbers(reader.slice_rows(), reader.num_rows)
    keys = [key for _, key in reader.dictionary.keys(0, reader.num_values)]
    return Content(keys, np.where(nulls, -1, places), nulls)


def _content_of_bitmap(reader: BitmapReader) -> Content:
    places = np.full(reader.num_rows, -1, np.int64)
    every: list[Any] = []
    for keys, at, alone, others in reader.postings():
        places[alone] = at + len(every)
        for place, _, rows in others:
            places[_array(rows)] = place + len(every)
        every += keys if isinstance(keys, list) else keys.tolist()
    return Content(every, places, places < 0)


def _content_of_bsi(reader: BsiReader) -> Content:
    numbers = np.zeros(reader.num_rows, np.int64)
    nulls = np.ones(reader.num_rows, np.bool_)
    for part, sign in ((reader.positive, 1), (reader.negative, -1)):
        if part.head.has_rows:
            rows = _array(part.rows)
            numbers[rows] = sign * _numbers_of(part, reader.num_rows)[rows]
            nulls[rows] = False
    return Content(None, numbers, nulls)


def _numbers_of(part: BsiPart, num_rows: int) -> _Rows:
    return _numbers(part.slice_rows(), num_rows) + int(part.head.min)


def _numbers(slices: list[BitMap], num_rows: int) -> _Rows:
    numbers = np.zeros(num_rows, np.int64)
    for bit, rows in enumerate(slices):
        numbers[_array(rows)] |= 1 << bit
    return numbers


def _array(rows: BitMap) -> NDArray[np.uint32]:
    return np.frombuffer(rows.to_array(), np.uint32)
