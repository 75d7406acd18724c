"""The bitmap global index of Paimon 1.4: a bitmap index as in a file index, without a container.

Source: `BitmapGlobalIndex`, `FileIndexWriterWrapper` (paimon-common, release 1.4.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pyarrow as pa
from ksykit.runtime.errors import FormatError

from paimon_ksy.columns.stored_values import floats_of, value_of
from paimon_ksy.errors import CorruptFileError, SchemaError, UnsupportedError, counted
from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.bitmap.check import check as read_content
from paimon_ksy.file_index.bitmap.inspect import BitmapReport
from paimon_ksy.file_index.bitmap.inspect import inspect as inspect_body
from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs import type_named
from paimon_ksy.global_index import check as shared
from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader, Postings
from paimon_ksy.global_index.report import KeysContent
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FilePart, Subject
from paimon_ksy.io.file_kind import BUILD_AGAIN, NAMED, kind_of
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import keyed
from paimon_ksy.types.arrow import arrow_values, to_arrow
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.parse import STORED_FORMS
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.file_index.content import Content
    from paimon_ksy.inspection.entry_point import Entry

_TYPE = INDEX_TYPES["bitmap"]
_MOST_ROWS = 1 << 26
"""The most rows to check if only the file states their number: 0.3 GB of memory."""
_OTHER_TYPE = "pass the indexed column alone, with the type that it had: --schema 'COLUMN TYPE'"


# Answers ----------------------------------------------------------------------------------------


def open_index(files: Sequence[GlobalIndexFile]) -> GlobalIndexReader | None:
    """Open the only file of a row range; None if it lacks rows.

    Its rows are numbered one after another. If some were deleted before it was built, Java writes
    fewer, so that it is unknown which these are.
    """
    [file, *others] = files
    [field, *more] = file.fields
    is_whole = file.num_rows == file.range_length
    return (
        OldBitmapIndex(file) if is_whole and _TYPE.takes(field.type) and not others + more else None
    )


class OldBitmapIndex:
    """The only file of a row range, which is opened at its first use.

    Attributes:
        num_rows: The length of the row range.
    """

    def __init__(self, file: GlobalIndexFile) -> None:
        self.num_rows = file.range_length
        self._file, self._field = file, file.fields[0]

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which the leaf may be true; None if they cannot be determined.

        Raises:
            CorruptFileError: The file is corrupt.
        """
        if leaf.column != self._field.name:
            return None
        with suppress(UnsupportedError), CorruptErrors(self._source, self._field.name, BUILD_AGAIN):
            return self._reader.answer(leaf)
        return None

    @cached_property
    def _source(self) -> Source:
        return self._file.open()

    @cached_property
    def _reader(self) -> BitmapReader:
        reader = _read(self._source, self._field)
        if reader.num_rows != self.num_rows:
            raise _other_count(reader.num_rows, self.num_rows)
        return reader


def _read(source: Source, field: Field) -> BitmapReader:
    """Open a file.

    Raises:
        FormatError: It is malformed.
        UnsupportedError: It has the magic number of later versions.
    """
    if kind_of(source) is NAMED["bitmap"]:
        message = "has no metadata in the index manifest, but the magic number of Paimon 2.0"
        raise UnsupportedError(message, path=source.name)
    return BitmapReader(source, 0, field.name, field.type)


def _other_count(rows: int, stated: int) -> FormatError:
    message = f"it has {counted(rows, 'row')}, but {stated:,} according to the index manifest"
    return FormatError(message, 0)


def version(source: Source, fields: Sequence[Field]) -> tuple[int, str]:
    """Return the version of a file, and what misreads it (see `GlobalIndexType`)."""
    with CorruptErrors(source, None, BUILD_AGAIN):
        return BitmapParts(source, 0, 0).version, MISREAD_BY


MISREAD_BY = "Java 2.0 and pypaimon-rust 0.4 fail, and pypaimon 2.1 reads the data instead"


# Checks -----------------------------------------------------------------------------------------


def _postings(subject: Subject) -> Iterator[Postings]:
    if subject.schema is None:
        _check_any_type(subject)
        return
    [field] = subject.schema.fields
    reader = _read(subject.source, field)
    stated = subject.num_rows if subject.cardinality is None else subject.cardinality
    first, last = subject.row_range or (0, reader.num_rows - 1)
    for count in (stated, last - first + 1):
        if count not in (None, reader.num_rows):
            raise _other_count(reader.num_rows, count)
    if reader.num_rows > _MOST_ROWS and stated is None:
        message = f"it counts {counted(reader.num_rows, 'row')}, and the index manifest is unknown"
        raise UnsupportedError(message, path=subject.path)
    content = read_content(reader, 0, subject.source.size)
    column = _keys(content, field.type)
    keys = () if column is None else (column,)
    order = np.argsort(content.places, kind="stable")
    counts = np.bincount(content.places + 1, minlength=reader.num_values + 1)
    num_nulls = int(counts[0])
    if num_nulls:
        yield Postings(tuple(pa.nulls(1) for _ in keys), counts[:1], order[:num_nulls])
    yield Postings(keys, counts[1:], order[num_nulls:])


def _keys(content: Content, kind: DataType) -> pa.Array | None:
    """Return the keys as values; None if they are cut, and so are not the values."""
    if kind.is_cut:
        return None
    keys = content.keys
    if isinstance(keys, np.ndarray) and kind.root in ("FLOAT", "DOUBLE"):
        keys = floats_of(keys)
    values = [] if keys is None else [value_of(key, kind) for key in keys]
    return arrow_values(values, to_arrow(kind))


def _check_any_type(subject: Subject) -> None:
    """Raise FormatError if a file is not sound for any type of its column."""
    BitmapParts(subject.source, 0, 0)
    if not _sound_types(subject.source):
        raise FormatError("no column type fits it", 0)


def _sound_types(source: Source) -> list[DataType]:
    """Return the types for which a file has no contradictions, one for each stored form.

    What takes long is not tried.
    """
    return [kind for kind in STORED_FORMS if _is_sound(source, kind)]


def _is_sound(source: Source, kind: DataType) -> bool:
    with suppress(CorruptFileError, FormatError, UnsupportedError):
        reader = _read(source, Field("", kind))
        return reader.num_rows > _MOST_ROWS or bool(read_content(reader, 0, source.size))
    return False


postings = partial(shared.checked, _postings)
check = partial(shared.findings, "old-bitmap", _postings)


def check_schema(subject: Subject) -> None:
    """Raise SchemaError if keys are not of the type in the schema."""
    kind = _type_of(subject.schema, subject.path)
    if _is_sound(subject.source, kind) or not (sound := _sound_types(subject.source)):
        return  # if no type fits, other checks report it
    assert subject.schema is not None
    listed = " or ".join(map(str, sound))
    message = f"its type in the schema is {kind}, but the index is sound for {listed}"
    column = subject.schema.fields[0].name
    raise SchemaError(message, path=subject.path, column=column, remedy=_OTHER_TYPE)


# Inspection -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OldBitmapReport(KeysContent):
    """A bitmap index of Paimon 1.4; `misread_by` are the readers that fail."""

    HAS_STRIPS: ClassVar[bool] = True
    body: BitmapReport = field(metadata=keyed(beside=True))
    misread_by: str = MISREAD_BY

    def drawn(self, subject: Subject, most: int | None = None) -> OldBitmapReport:
        """Return it with the rows of the listed values."""
        return replace(self, body=self.body.drawn(subject.source))


def inspect(subject: Subject, top: int | None) -> OldBitmapReport:
    """Return what the index contains, with its `top` values. Raises CorruptFileError."""
    source = subject.source
    with CorruptErrors(source, None, BUILD_AGAIN):
        kind = None if subject.schema is None else _type_of(subject.schema, source.name)
        return OldBitmapReport(inspect_body(source, 0, source.size, "", kind, top))


def parts(source: Source, schema: Schema | None, start: int, end: int) -> list[FilePart]:
    """Return the file as one part: of its first fields, or of all if the type is known."""
    arguments = _arguments(source, schema)
    if arguments is None:
        return [FilePart(0, source.size, type_named("old_global_bitmap_index"), {})]
    kind = type_named(_TYPE.spec)
    params = {name: arguments[name] for name in kind.params}
    return [FilePart(0, source.size, kind, params, fields=_TYPE.fields)]


def describe(entry: Entry, subject: Subject) -> None:
    """Add the index to an entry point of the Web IDE, with the type of its column."""
    arguments = _arguments(subject.source, subject.schema)
    if arguments is None:
        entry.add_field("file", "old_global_bitmap_index")
        entry.notes.append("the type of the column is unknown: pass --schema 'COLUMN TYPE'")
    else:
        entry.add_field("file", f"{_TYPE.spec}({arguments['column_type']})")


def _arguments(source: Source, schema: Schema | None) -> dict[str, int] | None:
    if schema is None or len(schema.fields) != 1:
        return None
    return _TYPE.arguments(schema.fields[0].type, source.size)


def _type_of(schema: Schema | None, path: str) -> DataType:
    kinds = [] if schema is None else [field.type for field in schema.fields]
    if len(kinds) == 1 and _TYPE.takes(kinds[0]):
        return kinds[0]
    message = (
        f"such an index has no keys of the columns in the schema: {', '.join(map(str, kinds))}"
    )
    raise SchemaError(message, path=path, remedy=_OTHER_TYPE)
