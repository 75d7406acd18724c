"""What kind of file was given in place of another kind."""

from __future__ import annotations

from paimon_ksy.commands import command
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.source import Source

INDEX = "the index of a data file"
VECTORS = "a vector file"
DATA = "a data file"


def other_kind(source: Source, wanted: str) -> CorruptFileError | None:
    """Return the error that names the kind of a file which is not `wanted`; None if not known."""
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
    from paimon_ksy.data_file import data_format
    from paimon_ksy.parts import read_head, starts_with_vector

    if (name := data_format(source.read(0, min(16, source.size)))) is not None:
        kind = f"{'a' if name == 'Parquet' else 'an'} {name} file"
        return None if wanted == DATA else kind
    if wanted != INDEX:
        try:
            if read_head(source) is not None:
                return INDEX
        except CorruptFileError:  # it starts as one
            return INDEX
    return VECTORS if wanted != VECTORS and starts_with_vector(source) else None
