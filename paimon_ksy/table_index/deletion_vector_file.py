"""Read and write vector files, which contain deletion vectors.

A table's index manifest stores the place of each data file's vector (file, offset and length), and
its number of deleted rows. `read_vector` takes these numbers, `read_vectors` needs only the file,
and `write_vectors` returns them.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ksykit.runtime.errors import EndError, FormatError

from paimon_ksy.errors import Call, CorruptFileError, Remedy, UnsupportedError, counted
from paimon_ksy.generated.structs.deletion_vectors import DeletionVectors
from paimon_ksy.generated.views.deletion_vectors import (
    DeletionVectorsHead,
    places_deletion_vectors,
)
from paimon_ksy.io.file_kind import VECTORS, other_kind
from paimon_ksy.io.source import Source, open_source, read_view
from paimon_ksy.io.whole_file import whole_file
from paimon_ksy.messages.answers import HIDDEN, Answer, in_answer, keyed
from paimon_ksy.pages.section import Where
from paimon_ksy.roaring.containers import containers_text
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.vector_bytes import (
    DAMAGED,
    ELSEWHERE,
    MAX_FILE_SIZE,
    VectorBytes,
    read_parts,
)

TARGET_SIZE = 2 << 20
"""The default of `deletion-vector.index-file.target-size`: bytes before a new file begins."""

FIRST_VECTOR = places_deletion_vectors().vectors
"""The byte where the first vector of a file starts."""
_OTHER_KIND = Remedy(
    "pass a vector file, such as index-1f2e-0 in the table's index folder; ",
    Call("inspect"),
    " shows what this file is",
)


# Reading ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorMeta:
    """The place of a vector in its file, as stored in the index manifest.

    `length` is Paimon's: without size and CRC for 32 bits, with both for 64. `data_file` is None if
    only the vector file was read.
    """

    offset: int
    length: int
    cardinality: int
    data_file: str | None = None


FEW = 10
"""The number of positions of a vector that are listed."""


@dataclass(frozen=True)
class StoredVector(Answer):
    """A vector, and its place in a file; `end` is the byte after it."""

    vector: DeletionVector = field(metadata=HIDDEN)
    offset: int = field(metadata=keyed("byte", title=True))
    end: int = field(metadata=HIDDEN)
    length: int
    crc_ok: bool = field(metadata=keyed(text=False))
    data_file: str = field(default="", metadata=keyed(json=False))

    @property
    @in_answer()
    def bits(self) -> int:
        """The bits of a position."""
        return self.vector.bits

    @property
    @in_answer()
    def rows(self) -> int:
        """The number of rows that it deletes."""
        return self.vector.cardinality

    @property
    @in_answer()
    def max(self) -> int | None:
        """The last of these rows."""
        return self.vector.max

    @property
    @in_answer(json=False)
    def error(self) -> str | None:
        """What is wrong with it."""
        return None if self.crc_ok else "the CRC of the vector is wrong"

    @property
    @in_answer(json=False)
    def containers(self) -> str:
        """The kinds of its containers, for people."""
        return containers_text(self.vector.containers)

    @property
    @in_answer(json=False)
    def where(self) -> Where | None:
        """Where its rows lie, up to the last one."""
        end = 0 if self.vector.max is None else self.vector.max + 1
        label = f"{self.vector.cardinality:,} of {end:,} positions"
        return Where(self.vector.count, end, label) if 0 < end <= 1 << 32 else None

    @property
    @in_answer(text=False)
    def positions(self) -> list[int]:
        """The first rows."""
        return list(islice(self.vector, FEW))

    @property
    @in_answer()
    def ranges(self) -> Iterator[tuple[int, int]]:
        """All rows, as the first and the last of each range."""
        return iter(self.vector.ranges())

    @property
    def meta(self) -> VectorMeta:
        """The numbers that a manifest stores for the vector."""
        return VectorMeta(self.offset, self.length, self.vector.cardinality)


def read_vector(
    source: Any,
    offset: int,
    length: int | None = None,
    cardinality: int | None = None,
    *,
    verify: bool = True,
) -> DeletionVector:
    """Read the vector at the place that an index manifest stores.

    Args:
        source: An argument of `open_source`.
        offset: The byte at which the vector starts.
        length: Its length, as Paimon counts it; see VectorMeta.
        cardinality: The number of rows that it deletes.
        verify: Whether to check version, CRC and cardinality, unlike Java. Length and bitmap are
            always checked.

    Raises:
        CorruptFileError: The vector is malformed, or another one than the manifest describes.
    """
    opened = open_source(source)
    try:
        if verify:
            read_version(opened)
        return read_stored(opened, offset, length, cardinality, verify=verify).vector
    finally:
        if opened is not source:
            opened.close()


def check_rows_of(vector: DeletionVector, name: str, num_rows: int, offset: int) -> None:
    """Raise CorruptFileError if the vector deletes a row that the data file `name` lacks.

    `offset` is the byte at which the vector starts in its file.
    """
    if vector.max is not None and vector.max >= num_rows:
        raise CorruptFileError(
            f"it deletes row {vector.max} of {name}, which has {counted(num_rows, 'row')}",
            offset=offset,
        )


def read_vectors(source: Any, *, verify: bool = True) -> Iterator[StoredVector]:
    """Yield all vectors of a file in order, without a manifest.

    With `verify=False`, a wrong CRC is not an error, but `StoredVector.crc_ok` is False.

    Raises:
        CorruptFileError: A vector is malformed; those before it were yielded.
    """
    opened = open_source(source)
    try:
        offset = read_version(opened)
        while offset < opened.size:
            stored = _stored(opened, offset, verify, DAMAGED)
            yield stored
            offset = stored.end
    finally:
        if opened is not source:
            opened.close()


def wrong_crcs(path: str, vectors: Sequence[StoredVector]) -> list[CorruptFileError]:
    """Return an error for each vector whose CRC is wrong."""
    return [
        CorruptFileError(
            "the CRC of the vector is wrong", path=path, offset=each.offset, remedy=DAMAGED
        )
        for each in vectors
        if not each.crc_ok
    ]


def read_version(source: Source) -> int:
    """Check the version of a vector file, and return where the first vector starts.

    Raises:
        CorruptFileError: The file has another version, or is of another kind.
    """
    try:
        return int(read_view(source, DeletionVectorsHead, 0).end)
    except EndError as error:
        message = "the file is empty"
        raise CorruptFileError(message, path=source.name, offset=0, remedy=DAMAGED) from error
    except FormatError as error:
        if of_kind := other_kind(source, VECTORS.title):
            raise of_kind from error
        message = f"unsupported version {error.value} of deletion vectors: only 1 is supported"
        raise CorruptFileError(message, path=source.name, offset=0, remedy=_OTHER_KIND) from error


def read_stored(
    source: Source,
    offset: int,
    length: int | None = None,
    cardinality: int | None = None,
    *,
    verify: bool = True,
) -> StoredVector:
    """Read a vector like `read_vector`, with its place, but without checking the version.

    Raises:
        CorruptFileError: The vector is malformed, or another one than the manifest describes.
    """
    stored = _stored(source, offset, verify)
    if length is not None and length != stored.length:
        raise CorruptFileError(
            f"the vector's length is {stored.length}, but {length} was given",
            path=source.name,
            offset=offset,
            remedy=ELSEWHERE,
        )
    if verify and cardinality is not None and cardinality != stored.vector.cardinality:
        raise CorruptFileError(
            f"the vector deletes {counted(stored.vector.cardinality, 'row')}, but {cardinality} "
            "was given: it is another vector, or the metadata is wrong",
            path=source.name,
            offset=offset,
            remedy=ELSEWHERE,
        )
    return stored


def _stored(source: Source, offset: int, verify: bool, remedy: Remedy = ELSEWHERE) -> StoredVector:
    read = read_parts(source, offset, verify=verify, remedy=remedy)
    vector = DeletionVector(read.bits, read.parts)
    return StoredVector(vector, offset, read.end, read.length, read.crc_ok)


# Writing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorFile:
    """A vector file that was written: its name, size in bytes, and data for the manifest."""

    name: str
    size: int
    vectors: tuple[VectorMeta, ...]


def write_vectors(
    path: str | os.PathLike[str], vectors: Mapping[str, DeletionVector]
) -> VectorFile:
    """Write one file with the vectors of data files, in this order.

    The file appears under its name only when it is complete.

    Raises:
        UnsupportedError: The file would take 2 GB or more.
    """
    return _write(Path(path), {name: vector.stored() for name, vector in vectors.items()})


def write_rolling(
    folder: str | os.PathLike[str],
    vectors: Mapping[str, DeletionVector],
    *,
    target_size: int = TARGET_SIZE,
    new_name: Callable[[], str] | None = None,
) -> list[VectorFile]:
    """Write vectors to files in a folder; begin a new file after `target_size` bytes.

    `new_name` returns names of files; the default is Paimon's `index-UUID-N`.
    """
    prefix = uuid.uuid4()
    written: list[VectorFile] = []
    pending: dict[str, VectorBytes] = {}
    size = FIRST_VECTOR
    for number, (data_file, vector) in enumerate(vectors.items(), 1):
        pending[data_file] = vector.stored()
        size += len(pending[data_file].data)
        if size > target_size or number == len(vectors):
            name = f"index-{prefix}-{len(written)}" if new_name is None else new_name()
            written.append(_write(Path(folder, name), pending))
            pending, size = {}, FIRST_VECTOR
    return written


def _write(path: Path, vectors: Mapping[str, VectorBytes]) -> VectorFile:
    made, data = join_vectors(path, vectors)
    with whole_file(path) as file:
        file.write(data)
    return made


def join_vectors(
    path: str | os.PathLike[str], vectors: Mapping[str, VectorBytes]
) -> tuple[VectorFile, bytes]:
    """Return a vector file of this name with the vectors of data files, in order, and its bytes.

    Raises:
        UnsupportedError: The file would take 2 GB or more.
    """
    pieces = [DeletionVectors.pack_field("version")]
    at = len(pieces[0])
    metas = []
    for data_file, stored in vectors.items():
        metas.append(VectorMeta(at, stored.length, stored.cardinality, data_file))
        pieces.append(stored.data)
        at += len(stored.data)
    if at > MAX_FILE_SIZE:
        raise UnsupportedError("a vector file is limited to 2 GB", path=path)
    return VectorFile(Path(path).name, at, tuple(metas)), b"".join(pieces)
