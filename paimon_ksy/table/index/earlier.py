"""The indexes that a data file already has, and which of them its new index keeps.

An index that is sound is carried over byte for byte. One that is not, or that is to be rebuilt, is
built again with the parameters that its bytes show: bitmaps in their version, bloom filters in
their size. What can be neither carried over nor built again is lost, and reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from paimon_ksy.errors import AccessError, CorruptFileError, PaimonKsyError
from paimon_ksy.file_index.bitmap import reader as bitmap
from paimon_ksy.file_index.bloom_filter.reader import read_head
from paimon_ksy.file_index.bloom_filter.writer import options_of
from paimon_ksy.file_index.builder import Body, check_options
from paimon_ksy.file_index.check import index_error, spec_named
from paimon_ksy.file_index.container import CorruptErrors, FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.types.schema import Schema

Key = tuple[str, str]
"""Name of the column, and type of the index."""


@dataclass(frozen=True)
class Lost:
    """An index of the data file `file` that could not be kept, and the `reason`.

    `column` and `index_type` are None if the file index does not show what was in it.
    """

    file: str
    column: str | None
    index_type: str | None
    reason: str


@dataclass(frozen=True)
class Unlisted:
    """The indexes that the options do not ask for: `carried` over, to be `built` again, or lost."""

    carried: tuple[tuple[IndexSpec, Body | None], ...] = ()
    built: tuple[IndexSpec, ...] = ()
    lost: tuple[Lost, ...] = ()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self.carried) + len(self.built)


def unlisted(
    storage: Storage,
    file: DataFile,
    columns: Schema,
    asked: Collection[Key],
    *,
    rebuild: bool = False,
) -> Unlisted:
    """Return what a new index of a data file keeps, beside the indexes that are `asked` for.

    `columns` are those of the schema that the file was written with. With `rebuild`, all that can
    be built is built again, and the rest carried over. An index embedded in the manifest comes
    first, as it does for readers. Raises AccessError.
    """
    found: dict[Key, tuple[IndexSpec, Body | None] | IndexSpec] = {}
    lost: dict[Key, Lost] = {}
    unread: list[Lost] = []
    for place in _places(file):
        try:
            with _opened(storage, place) as opened:
                for name, kind in _keys(opened):
                    key = name, kind
                    if key in asked or key in found:
                        continue
                    can_be_built = _is_in(file, name) and can_build(columns, kind, name)
                    spec = _own_spec(opened, name, kind)
                    if rebuild and can_be_built:
                        found[key] = spec
                        continue
                    error = _damage(opened, name, kind, file.num_rows, columns)
                    if error is None:
                        found[key] = spec, _body(opened, name, kind)
                    elif can_be_built:
                        found[key] = spec
                    else:
                        lost[key] = Lost(file.path, name, kind, _reason(error))
        except AccessError:
            raise
        except PaimonKsyError as error:
            unread.append(Lost(file.path, None, None, _reason(error)))
    return Unlisted(
        carried=tuple(one for one in found.values() if isinstance(one, tuple)),
        built=tuple(one for one in found.values() if isinstance(one, IndexSpec)),
        lost=(*unread, *(one for key, one in lost.items() if key not in found)),
    )


def sound_index(
    storage: Storage, file: DataFile, columns: Schema, spec: IndexSpec
) -> tuple[tuple[IndexSpec, Body | None], ...]:
    """Return the index that a data file already has of this column and type, if it is sound."""
    name, kind = spec.name, spec.index_type
    for place in _places(file):
        with suppress(PaimonKsyError), _opened(storage, place) as opened:
            is_there = kind in opened.places.get(name, {})
            if is_there and _damage(opened, name, kind, file.num_rows, columns) is None:
                return ((spec, _body(opened, name, kind)),)
    return ()


def _damage(
    opened: FileIndex, name: str, kind: str, num_rows: int, schema: Schema
) -> PaimonKsyError | None:
    """Return what is wrong with an index in itself; None if it is sound as far as that shows."""
    entry = opened.places[name][kind]
    if entry.is_empty and num_rows:
        return CorruptFileError(f"it is empty, and the data file has {num_rows} rows", column=name)
    return index_error(opened, spec_named(kind, name), entry, num_rows, schema)


def own_indexes(storage: Storage, file: DataFile, columns: Schema) -> tuple[IndexSpec, ...]:
    """Return the indexes that can be built again, as far as the file's own index names them."""
    with suppress(PaimonKsyError):
        specs = unlisted(storage, file, columns, (), rebuild=True).built
        return FileIndexOptions.of(specs).indexes
    return ()


def names_of(storage: Storage, file: DataFile) -> set[Key]:
    """Return which indexes a data file has, as far as that can be read."""
    found: set[Key] = set()
    for place in _places(file):
        with suppress(PaimonKsyError), _opened(storage, place) as opened:
            found |= set(_keys(opened))
    return found


@lru_cache(maxsize=256)
def can_build(columns: Schema, kind: str, name: str) -> bool:
    """Whether an index of this type can be built of a column."""
    try:
        check_options(columns, FileIndexOptions((spec_named(kind, name),)))
    except PaimonKsyError:
        return False
    return True


def _places(file: DataFile) -> Iterator[bytes | str]:
    if file.embedded_index is not None:
        yield file.embedded_index
    yield from file.index_files


def _opened(storage: Storage, place: bytes | str) -> FileIndex:
    return FileIndex.open(storage.open(place) if isinstance(place, str) else place)


def _keys(opened: FileIndex) -> list[Key]:
    return [(name, kind) for name, entries in opened.places.items() for kind in entries]


def _is_in(file: DataFile, name: str) -> bool:
    """Whether the data file has the column: with data evolution it has some of its schema's."""
    written = file.write_columns
    return written is None or name in written or name.partition("[")[0] in written


def _own_spec(opened: FileIndex, name: str, kind: str) -> IndexSpec:
    """The index with the options that its bytes show."""
    spec, entry = spec_named(kind, name), opened.places[name][kind]
    options: dict[str, str] = {}
    if not entry.is_empty:
        with suppress(PaimonKsyError), CorruptErrors(opened.source):
            if kind == "bitmap":
                options["version"] = str(bitmap.version(opened.source, entry.ofs_body))
            elif kind == "bloom-filter":
                head = read_head(opened.source, entry.ofs_body, entry.len_body, name)
                options = options_of(int(head.num_hashes), int(head.num_bits))
    return replace(spec, options=options)


def _body(opened: FileIndex, name: str, kind: str) -> Body | None:
    entry = opened.places[name][kind]
    if entry.is_empty:
        return None
    return [bytes(opened.source.read(entry.ofs_body, entry.len_body))]


def _reason(error: PaimonKsyError) -> str:
    """What is wrong, without what to do about it."""
    return getattr(error, "message", None) or str(error)
