"""The interface of a format of files: one record, which each format's package fills in.

`inspection.registry` lists the records, and imports them when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.objects import Reading, Type, layout

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.structs import type_named
from paimon_ksy.io.corrupt import MALFORMED
from paimon_ksy.io.file_kind import FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import HIDDEN, Answer, in_answer, keyed

if TYPE_CHECKING:
    from paimon_ksy.types.schema import Schema

MAX_TEXT = 40
"""The longest text of a field to show beside its bytes, in bytes."""
SMALL = 256 * 1024
"""The largest part of a file to parse for its fields, in bytes; larger ones are one field."""


@dataclass(frozen=True)
class Subject:
    """A file, and the facts that the caller knows about it.

    Attributes:
        source: The file.
        schema: The types of its columns; of a global index, its own columns, in their order.
        num_rows: The number of rows in its data file.
        offset: The byte where a part of it starts, from the index manifest.
        length: The length of this part.
        cardinality: The number of rows or hash codes in it, from the index manifest.
        options: The table's options for indexes (`FileIndexOptions`).
        vectors: The places of its deletion vectors (`VectorMeta`), from the index manifest.
        index_type: Its type in the index manifest.
        row_range: The first and the last row that a global index covers.
        metadata: The metadata of a global index in the index manifest.
        source_metadata: The metadata about what a global index was built from.
        of_table: Whether the schema is that of a table: it may lack columns of the file.
        types_from: Where the schema was found, if the caller did not state it.
    """

    source: Source
    schema: Schema | None = None
    num_rows: int | None = None
    offset: int | None = None
    length: int | None = None
    cardinality: int | None = None
    options: Any = None
    vectors: Sequence[Any] | None = None
    index_type: str | None = None
    row_range: tuple[int, int] | None = None
    metadata: bytes | None = None
    source_metadata: bytes | None = None
    of_table: bool = False
    types_from: str | None = None

    @property
    def path(self) -> str:
        """The file's path, for messages."""
        return self.source.name


class FileContent(Answer):
    """What a file contains: the answer of `FileFormat.inspect`.

    Attributes:
        HAS_STRIPS: Whether people see strips in it.
        error: The error that ends it.
    """

    HAS_STRIPS: ClassVar[bool] = False
    error: CorruptFileError | None = None

    @property
    def errors(self) -> Sequence[CorruptFileError]:
        """All errors in it."""
        return () if self.error is None else (self.error,)

    def notes(self, schema: Schema | None) -> Iterable[str]:
        """Yield hints how to see more, such as with another schema."""
        return ()

    def drawn(self, subject: Subject, most: int | None = None) -> FileContent:
        """Return it with what only people see, and with at most so many items of long lists."""
        return self


@dataclass(frozen=True)
class FieldBytes(Answer):
    """A field of a file, with its bytes.

    Attributes:
        start: Its first byte in the file.
        end: The byte after its last.
        path: Its path; None of bytes that belong to no field.
        value: Its value, if it can be read.
        data: Its bytes; of a difference, those from the first line on that differs.
        skipped: The number of its bytes before `data`.
    """

    start: int = field(metadata=keyed("byte"))
    end: int = field(metadata=HIDDEN)
    path: str | None = field(metadata=keyed("field", title=True))
    value: Any = field(default=None, metadata=HIDDEN)
    data: bytes = field(default=b"", metadata=keyed("hex"))
    skipped: int = field(default=0, metadata=HIDDEN)

    @property
    @in_answer("bytes")
    def size(self) -> int:
        """The number of its bytes."""
        return self.end - self.start

    @property
    @in_answer("hex_byte")
    def at(self) -> int:
        """The byte in the file from which `data` is."""
        return self.start + self.skipped

    @property
    @in_answer("value")
    def plain(self) -> Any:
        """Its value for JSON: a number or a text; None of bytes, which are in `data`."""
        if isinstance(self.value, bytes):
            return None
        return self.value if isinstance(self.value, int | float | None) else str(self.value)

    @property
    def text(self) -> str:
        """Its value for people; empty if it is long, or no text."""
        if not isinstance(self.value, bytes):
            return "" if self.value is None else str(self.value)
        text = self.value[:MAX_TEXT].decode("utf-8", "replace")
        is_text = text.isprintable() and "\ufffd" not in text
        return repr(text) if is_text and len(self.value) <= MAX_TEXT else ""

    @property
    def label(self) -> str:
        """Its path, and its value if it is short."""
        if self.path is None:
            return "no field"
        return f"{self.path} = {self.text}" if self.text else self.path


Range = tuple[int, int]
"""Bytes of a file: the first one, and the one after the last."""


@dataclass(frozen=True)
class FilePart:
    """An object in a file.

    Attributes:
        start: Its first byte.
        size: The number of its bytes; of a head, without what its instances describe.
        type: Its type in the specs.
        params: The parameters of the type.
        prefix: What the paths of its fields begin with.
        fields: Yields its fields with bytes in a range: (source, part, range). By default, the part
            is parsed if it is small, and one field if it is large.
    """

    start: int
    size: int
    type: Type
    params: Mapping[str, int]
    prefix: str = ""
    fields: Callable[[Source, FilePart, Range], Iterable[FieldBytes]] | None = None

    def parsed(self, source: Source) -> Any:
        """Return the object, whose fields the map of bytes lists."""
        return parsed(source, self.start, self.type.name, *self.params.values())


def parsed(source: Source, start: int, type_name: str, *arguments: Any) -> Any:
    """Return the object of a type of the specs at a byte of a file, which lists its leaves.

    Raises FormatError.
    """
    type_ = type_named(type_name)
    params = dict(zip(type_.params, arguments, strict=True))
    return type_.read(Reading(source, has_leaves=True), start, params)


def leaves_of(start: int, parsed: Any, prefix: str) -> list[FieldBytes]:
    """Return the fields of an object and of everything below it; none if it is malformed."""
    try:
        fields = layout([(start, parsed)])
    except MALFORMED:
        return []
    return [FieldBytes(f.start, f.end, prefix + f.path, f.value) for f in fields]


def overlap(start: int, end: int, within: Range) -> bool:
    """Return whether bytes from `start` to `end` are in a range."""
    return start < within[1] and end > within[0]


@dataclass(frozen=True)
class FileFormat:
    """A format of files.

    Attributes:
        kind: The kind of such files.
        spec: The type without parameters that describes a whole file.
        inspect: Returns what a file contains, a `FileContent`: (subject, number of values to list
            or None for all). Raises CorruptFileError.
        check: Yields the findings in a file: (subject, open data file or None).
        parts: Yields the parts of a file with bytes in a range, and perhaps others:
            (source, schema, start, end). By default, the file is one part of the type `spec`.
        takes: What `check` uses of a subject, besides `num_rows`: names of its attributes, and
            `key` if the schema is that of a key.
        only_header: Whether `spec` describes only the first or last bytes of a file. By default,
            `inspect` shows all numbers in them.
        limits: What `check` cannot detect without the data file.
        may_be_empty: Whether a file without bytes is sound.
        matches: Returns whether a file without a magic number has this format.
        check_schema: Raises SchemaError if the schema of a subject, which the user stated, is not
            that of the file. What is corrupt is left to `inspect` and `check`.
        describe: Adds to an entry point of the Web IDE what `spec` lacks: (entry point, subject).
    """

    kind: FileKind
    spec: str
    inspect: Callable[[Subject, int | None], FileContent] | None = None
    check: Callable[[Subject, Any], Iterator[Any]] | None = None
    parts: Callable[[Source, Any, int, int], Iterable[FilePart]] | None = None
    takes: tuple[str, ...] = ()
    only_header: bool = False
    limits: str = ""
    may_be_empty: bool = False
    matches: Callable[[Source], bool] | None = None
    check_schema: Callable[[Subject], None] | None = None
    describe: Callable[[Any, Subject], None] | None = None

    @property
    def is_read(self) -> bool:
        """Whether more than the kind of a file is known."""
        return self.only_header or self.inspect is not None

    def parts_in(
        self, source: Source, schema: Schema | None, start: int, end: int
    ) -> list[FilePart]:
        """Return the parts of a file with bytes in a range, and perhaps others."""
        if self.parts is not None:
            return list(self.parts(source, schema, start, end))
        size = 0 if self.only_header else source.size
        return [FilePart(0, size, type_named(self.spec), {})]
