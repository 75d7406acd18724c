"""What a vector file contains: inspect, check, compare and map it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from paimon_ksy.data_files.open import Data
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.views import deletion_vectors as views
from paimon_ksy.io.file_format import (
    SMALL,
    FieldBytes,
    FileContent,
    FilePart,
    Range,
    Subject,
    leaves_of,
    overlap,
    parsed,
)
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.answers import HIDDEN, keyed
from paimon_ksy.messages.findings import WARNING, Finding, corrupt
from paimon_ksy.table_index.bucket_index import HARMLESS
from paimon_ksy.table_index.deletion_vector import MAX_POSITION
from paimon_ksy.table_index.deletion_vector_file import (
    FIRST_VECTOR,
    StoredVector,
    check_rows_of,
    read_stored,
    read_vectors,
    read_version,
    wrong_crcs,
)
from paimon_ksy.table_index.vector_bytes import DAMAGED, vector_end
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.inspection.entry_point import Entry


@dataclass(frozen=True)
class VectorsReport(FileContent):
    """The vectors of a file before the one of the `error`.

    If fewer are listed, `num_vectors` counts all. `deleted_rows` is their number, on pages.
    """

    HAS_STRIPS = True
    path: str = field(metadata=HIDDEN)
    vectors: tuple[StoredVector, ...] = field(metadata=keyed(total="num_vectors"))
    error: CorruptFileError | None = field(default=None, metadata=keyed(optional=True))
    num_vectors: int | None = field(default=None, metadata=HIDDEN)
    deleted_rows: int | None = field(default=None, metadata=keyed(json=False))

    @property
    def errors(self) -> list[CorruptFileError]:
        """The error that ends the list, and those of vectors whose CRC is wrong."""
        return [*super().errors, *wrong_crcs(self.path, self.vectors)]

    def drawn(self, subject: Subject, most: int | None = None) -> VectorsReport:
        """Return it with the data files of the first vectors, and the number of deleted rows."""
        names = {place.offset: place.data_file or "" for place in subject.vectors or ()}
        return replace(
            self,
            vectors=tuple(
                replace(each, data_file=names.get(each.offset, "")) for each in self.vectors[:most]
            ),
            num_vectors=len(self.vectors),
            deleted_rows=sum(each.vector.cardinality for each in self.vectors),
        )


def inspect(subject: Subject, _: int | None) -> VectorsReport:
    """Return the vectors of a file. Raises CorruptFileError if the first one is malformed."""
    return VectorsReport(subject.path, *until_error(read_vectors(subject.source, verify=False)))


def until_error(
    stored: Iterable[StoredVector],
) -> tuple[tuple[StoredVector, ...], CorruptFileError | None]:
    """Return the vectors before the first malformed one, and the error about that one.

    Raises CorruptFileError if the first vector is malformed.
    """
    vectors: list[StoredVector] = []
    try:
        vectors.extend(stored)
    except CorruptFileError as error:
        if not vectors:
            raise
        return tuple(vectors), error
    return tuple(vectors), None


# Checks -----------------------------------------------------------------------------------------


def check(subject: Subject, data: Data | None) -> Iterator[Finding]:
    """Yield the findings in a vector file, or in one of its vectors."""
    source, path = subject.source, subject.path
    try:
        read_version(source)
    except CorruptFileError as error:
        yield corrupt("deletion-vector", path, error, remedy=error.remedy or DAMAGED)
        if error.remedy:  # a file of another kind
            return
    if subject.offset is not None:
        yield from _findings(subject, data, subject.offset)
        return
    at: int | None = FIRST_VECTOR
    places = []
    while at is not None and at < source.size:
        places.append(at)
        at = vector_end(source, at)
    belongs = data is not None or subject.num_rows is not None
    if len(places) != 1 and (
        belongs or subject.length is not None or subject.cardinality is not None
    ):
        listed = ", ".join(map(str, places))
        raise UnsupportedError(
            f"has {len(places)} vectors of different data files: pass {path}:OFFSET, "
            f"with one of the offsets {listed:.80}",
            path=path,
        )
    for place in places:
        yield from _findings(subject, data, place)


def _findings(subject: Subject, data: Data | None, offset: int) -> Iterator[Finding]:
    path, finding = subject.path, partial(corrupt, "deletion-vector", subject.path)
    try:
        stored = read_stored(subject.source, offset, subject.length, subject.cardinality)
    except CorruptFileError as error:
        yield finding(error, remedy=error.remedy or DAMAGED)
        return
    vector = stored.vector
    if subject.num_rows is not None:
        name = "the data file" if data is None else data.path
        try:
            check_rows_of(vector, name, subject.num_rows, offset)
        except CorruptFileError as error:
            yield finding(error, remedy="pass the data file that the vector belongs to")
    elif vector.max is not None and vector.max > MAX_POSITION[vector.bits]:
        message = f"it deletes row {vector.max}, which no data file has"
        yield Finding(WARNING, "deletion-vector", path, None, offset, message, HARMLESS)


# Fields -----------------------------------------------------------------------------------------


def parts(source: Source, schema: Schema | None, start: int, end: int) -> list[FilePart]:
    """Return the whole file, whose fields are read vector by vector."""
    return [FilePart(0, source.size, type_named("deletion_vectors"), {}, "", _fields)]


def _fields(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    """Yield the fields of deletion vectors in the range, up to the first malformed one."""
    head = read_view(source, views.DeletionVectorsHead, 0)
    yield FieldBytes(0, head.end, "version", head.version)
    with suppress(CorruptFileError):
        for number, stored in enumerate(read_vectors(source, verify=False)):
            if stored.offset >= within[1]:
                break
            if overlap(stored.offset, stored.end, within):
                yield from _vector(source, stored, f"vectors[{number}].")


def _vector(source: Source, stored: StoredVector, prefix: str) -> Iterator[FieldBytes]:
    start = stored.offset
    if stored.end - start <= SMALL:
        yield from leaves_of(start, parsed(source, start, "deletion_vector"), prefix)
        return
    head = read_view(source, views.DeletionVectorHead, start)
    data = read_view(source, views.DeletionVectorDataHead, head.end)
    crc_start = start + views.places_deletion_vector(head.len_data).crc32
    yield FieldBytes(start, head.end, f"{prefix}len_data", head.len_data)
    yield FieldBytes(head.end, data.end, f"{prefix}data.kind", views.VectorKind(data.kind))
    yield FieldBytes(data.end, crc_start, f"{prefix}data.bitmap_{stored.vector.bits}")
    tail = read_view(source, views.DeletionVectorTail, crc_start)
    yield FieldBytes(crc_start, tail.end, f"{prefix}crc32", tail.crc32)


# The Web IDE ------------------------------------------------------------------------------------


def describe(entry: Entry, subject: Subject) -> None:
    """Add the places of vectors and their data files, or by default all vectors in order."""
    if subject.vectors is None:
        entry.add_field("file", "deletion_vectors")
        try:
            for _ in read_vectors(subject.source):
                pass
        except CorruptFileError as error:
            entry.notes.append(str(error))
        return
    listed = entry.first(sorted(subject.vectors, key=lambda vector: vector.offset), "vectors")
    arguments = "data_files[_index], offsets[_index], numbers_of_rows[_index]"
    entry.add_type("deletion_vectors")
    entry.add_field("vectors", f"placed_vector({arguments})", len(listed))
    entry.add_values("data_files", [vector.data_file or "" for vector in listed])
    entry.add_values("offsets", [vector.offset for vector in listed])
    entry.add_values("numbers_of_rows", [vector.cardinality for vector in listed])
