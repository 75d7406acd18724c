"""The deletion vectors that arguments name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from paimon_ksy.cli.common import open_named
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.errors import CorruptFileError, counted
from paimon_ksy.io.urls import local_path
from paimon_ksy.messages.answers import keyed
from paimon_ksy.table_index.deletion_vector import DeletionVector, WrongVectorError
from paimon_ksy.table_index.deletion_vector_file import (
    StoredVector,
    read_stored,
    read_vectors,
    read_version,
)
from paimon_ksy.table_index.vector_file import VectorsReport, until_error


@dataclass(frozen=True)
class VectorArgument:
    """A vector file, or one vector in it."""

    path: str
    offset: int | None = None
    length: int | None = None


def parse_vector_argument(text: str) -> VectorArgument:
    """Parse `FILE`, `FILE:OFFSET` or `FILE:OFFSET:LENGTH`; an existing file of this name wins."""
    match = re.fullmatch(r"(.+?):(\d+)(?::(\d+))?", text, re.DOTALL)
    if match is None or Path(local_path(text) or text).exists():
        return VectorArgument(text)
    return VectorArgument(match[1], int(match[2]), None if match[3] is None else int(match[3]))


def stored_vectors(place: VectorArgument, *, verify: bool = True) -> Iterator[StoredVector]:
    """Yield all vectors of a file, or the one at an offset. Raises CorruptFileError."""
    with open_named(place.path) as source:
        if place.offset is None:
            yield from read_vectors(source, verify=verify)
            return
        if verify:
            read_version(source)
        yield read_stored(source, place.offset, place.length, verify=verify)


def one_vector(text: str, *, verify: bool = True) -> DeletionVector:
    """Return the vector at a place; without an offset, the file must have exactly one."""
    stored_ones = list(stored_vectors(parse_vector_argument(text), verify=verify))
    if len(stored_ones) != 1:
        offsets = ", ".join(str(stored.offset) for stored in stored_ones)
        hint = f"write {text}:OFFSET with one of the offsets {offsets:.80}"
        counts = counted(len(stored_ones), "vector")
        raise UsageError(
            f"{text} contains {counts}; {hint if stored_ones else 'it deletes nothing'}"
        )
    return stored_ones[0].vector


@contextmanager
def naming_vector(text: str) -> Iterator[None]:
    """Add the file's name to an error about a vector that belongs to another data file."""
    try:
        yield
    except WrongVectorError as error:
        raise WrongVectorError(str(error), path=parse_vector_argument(text).path) from error


@dataclass(frozen=True)
class ShownVectors(VectorsReport):
    """The vectors that an argument names, up to the first malformed one."""

    path: str = field(metadata=keyed("file"))
    error: CorruptFileError | None = None


def shown_vectors(text: str) -> ShownVectors:
    """Return the vectors before the first malformed one, and the error about that one.

    Raises CorruptFileError if the first vector is malformed.
    """
    stored = stored_vectors(parse_vector_argument(text), verify=False)
    return ShownVectors(text, *until_error(stored))
