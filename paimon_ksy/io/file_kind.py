"""Recognise the kind of a file by its first bytes, and report files of the wrong kind."""

from __future__ import annotations

from traceback import walk_tb

from kaitaistruct import KaitaiStructError, ValidationFailedError

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.checked import CHECKED
from paimon_ksy.generated.parsers.deletion_vectors import DeletionVectors
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.io.source import Source
from paimon_ksy.messages.commands import command

INDEX = "the index of a data file"
VECTORS = "a vector file"
DATA = "a data file"

MAGICS = {b"PAR1": "Parquet", b"ORC": "ORC", b"Obj\x01": "Avro"}
"""The bytes with which data files start."""

SMALLEST = 16
"""In bytes: a smaller file is not a corrupt index or vector file, but something else."""

EMPTY = "if it was an index, rebuild it; if it was another file, restore it from a backup"
"""The remedy for an empty file."""

MAGIC = CHECKED["file_index.magic"].path


def field_path(error: BaseException) -> str:
    """Return the spec and path of the field whose value is invalid; "" if there is none."""
    if isinstance(error, ValidationFailedError):
        *_, (frame, _) = walk_tb(error.__traceback__)  # the parser that raised it
        return f"{frame.f_globals['__name__'].rpartition('.')[2]}{error.src_path}"
    return str(getattr(error, "field", ""))


def data_format(first_bytes: bytes) -> str | None:
    """Return `Parquet`, `ORC` or `Avro`, by the first bytes; None for anything else."""
    return next((name for magic, name in MAGICS.items() if first_bytes.startswith(magic)), None)


def starts_as_index(source: Source) -> bool:
    """Return whether the file starts like a file index; later bytes may be malformed."""
    source.stream.seek(0)
    try:
        FileIndex(source.stream)
    except ValidationFailedError as error:
        return field_path(error) != MAGIC
    except EOFError:
        return source.size >= SMALLEST
    except (CorruptFileError, KaitaiStructError, ValueError, OverflowError):
        return True
    return True


def starts_with_vector(source: Source) -> bool:
    """Return whether the file starts like a vector file: a version, and the head of a vector."""
    source.stream.seek(0)
    try:
        DeletionVectors.DeletionVectorsHead(source.stream)
        if source.stream.pos() < source.size:
            DeletionVectors.DeletionVectorStart(source.stream)
    except (CorruptFileError, ValidationFailedError):
        return False
    except EOFError:
        return source.size >= SMALLEST
    return True


def is_named_bucket_index(source: Source) -> bool:
    """Return whether the file has the name of a bucket index, which has no magic number.

    Vector files also have such names, so check for these first.
    """
    return source.size > 0 and source.name.rpartition("/")[2].startswith("index-")


def other_kind(source: Source, wanted: str) -> CorruptFileError | None:
    """Return an error that names the kind of a file if it is not `wanted`; None if unknown."""
    kind = _kind(source, wanted)
    if kind is None:
        return None
    return CorruptFileError(
        f"this is {kind}, not {wanted}",
        path=source.name,
        offset=0,
        remedy=f"{command('inspect', source.name)} shows what is in it",
    )


def _kind(source: Source, wanted: str) -> str | None:
    if (name := data_format(source.read(0, min(16, source.size)))) is not None:
        kind = f"{'a' if name == 'Parquet' else 'an'} {name} file"
        return None if wanted == DATA else kind
    if wanted != INDEX and starts_as_index(source):
        return INDEX
    return VECTORS if wanted != VECTORS and starts_with_vector(source) else None
