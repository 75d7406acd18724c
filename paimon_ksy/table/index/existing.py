"""The indexes that a data file has: whether they match the options, and which of them to keep.

An index that is sound is carried over byte for byte. One that is not, or that is to be rebuilt, is
built again with the parameters that its bytes show: bitmaps in their version, bloom filters in
their size. An index that can be neither carried over nor built again is lost, and reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from paimon_ksy.errors import AccessError, CorruptFileError, OutsideError, PaimonKsyError, counted
from paimon_ksy.file_index.builder import Body, check_options
from paimon_ksy.file_index.check import index_error
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, spec_named
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.messages.answers import Answer
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.types.schema import Schema, outer_column

Key = tuple[str, str]
"""The name of a column, and the type of its index."""


def keys_of(options: FileIndexOptions) -> set[Key]:
    """Return the columns and types of the indexes that options list."""
    return {(spec.name, spec.index_type) for spec in options.indexes}


def rewrite_reason(
    storage: Storage, file: DataFile, options: FileIndexOptions, *, drop_unlisted: bool
) -> str | None:
    """Return why a data file needs another index; None if its index matches the options.

    This reads the head of the index, and the version of bitmaps if the options name one.

    Args:
        storage: The storage of the file.
        file: The data file.
        options: The options in terms of the file's schema.
        drop_unlisted: Indexes that the options do not list are a reason, too.

    Returns:
        `new` (it has none), `several`, `broken`, `incomplete`, `threshold` (embedded, or not,
        against the options), `version`, `stale` (it has others), or None.

    Raises:
        AccessError, OutsideError: The index may not be read.
    """
    has = (file.embedded_index is not None) + len(file.index_files)
    if not has:
        return "new" if options.indexes else None
    if has > 1:
        return "several"
    try:
        index = file.embedded_index
        with open_index(storage, file.index_files[0] if index is None else index) as opened:
            reason = _mismatch(opened, options, embedded=index is not None)
            there = set(_keys(opened))
    except (AccessError, OutsideError):
        raise
    except PaimonKsyError:
        return "broken"
    if reason is None and drop_unlisted and there - keys_of(options):
        return "stale"
    return reason


def _mismatch(opened: FileIndex, options: FileIndexOptions, *, embedded: bool) -> str | None:
    """Return the first thing in which an index differs from the options, as `rewrite_reason`."""
    there = {
        (name, kind): entry
        for name, entries in opened.places.items()
        for kind, entry in entries.items()
    }
    if keys_of(options) - there.keys():
        return "incomplete"
    # Ignore bytes that `store` may add to the head.
    size = opened.source.size - len(opened.head.head.redundant or b"")
    if options.indexes and embedded != (size <= options.in_manifest_threshold):
        return "threshold"
    for spec in options.indexes:
        entry, version = there[spec.name, spec.index_type], spec.options.get("version")
        kind = INDEX_TYPES[spec.index_type]
        if kind.versions and version is not None and not entry.is_empty:
            with CorruptErrors(opened.source, spec.name):
                place = entry.ofs_body, entry.len_body
                stored = kind.stored_options(opened.source, *place, spec.name)
                if stored["version"] != version.strip():
                    return "version"
    return None


@dataclass(frozen=True)
class LostIndex(Answer):
    """An index that could not be kept.

    Attributes:
        file: The path of the data file.
        column: The column; None if the file index does not show what was in it.
        index_type: The type of the index; None likewise.
        reason: Why the index could not be kept.
    """

    file: str
    column: str | None
    index_type: str | None
    reason: str


@dataclass(frozen=True)
class UnlistedIndexes:
    """The indexes of a data file that the options do not list.

    Attributes:
        carried: Indexes to carry over with their bodies; a body is None if the index is EMPTY.
        built: Indexes to build again.
        lost: Indexes that cannot be kept.
    """

    carried: tuple[tuple[IndexSpec, Body | None], ...] = ()
    built: tuple[IndexSpec, ...] = ()
    lost: tuple[LostIndex, ...] = ()

    def __len__(self) -> int:
        """Return the number of indexes that are kept."""
        return len(self.carried) + len(self.built)


def unlisted_indexes(
    storage: Storage,
    file: DataFile,
    columns: Schema,
    listed: Collection[Key],
    *,
    rebuild: bool = False,
) -> UnlistedIndexes:
    """Return the indexes of a data file that a new index of it keeps.

    An index embedded in the manifest comes first, as it does for readers. `listed` are those that
    the options list. With `rebuild`, all that can be built are built again, and the rest is carried
    over.

    Raises:
        AccessError: The index may not be read.
    """
    kept: dict[Key, tuple[IndexSpec, Body | None] | IndexSpec] = {}
    lost: dict[Key, LostIndex] = {}
    unread: list[LostIndex] = []
    for place in _places(file):
        try:
            with open_index(storage, place) as opened:
                for name, kind in _keys(opened):
                    key = name, kind
                    if key in listed or key in kept:
                        continue
                    can_be_built = _is_in(file, name) and can_build(columns, kind, name)
                    spec = _stored_spec(opened, name, kind)
                    if rebuild and can_be_built:
                        kept[key] = spec
                        continue
                    error = _damage(opened, name, kind, file.num_rows, columns)
                    if error is None:
                        kept[key] = spec, _body(opened, name, kind)
                    elif can_be_built:
                        kept[key] = spec
                    else:
                        lost[key] = LostIndex(file.path, name, kind, _reason(error))
        except AccessError:
            raise
        except PaimonKsyError as error:
            unread.append(LostIndex(file.path, None, None, _reason(error)))
    return UnlistedIndexes(
        carried=tuple(one for one in kept.values() if isinstance(one, tuple)),
        built=tuple(one for one in kept.values() if isinstance(one, IndexSpec)),
        lost=(*unread, *(one for key, one in lost.items() if key not in kept)),
    )


def sound_index(
    storage: Storage, file: DataFile, columns: Schema, spec: IndexSpec
) -> tuple[tuple[IndexSpec, Body | None], ...]:
    """Return the existing index of a data file for this column and type, if it is sound."""
    name, kind = spec.name, spec.index_type
    for place in _places(file):
        with suppress(PaimonKsyError), open_index(storage, place) as opened:
            is_there = kind in opened.places.get(name, {})
            if is_there and _damage(opened, name, kind, file.num_rows, columns) is None:
                return ((spec, _body(opened, name, kind)),)
    return ()


def _damage(
    opened: FileIndex, name: str, kind: str, num_rows: int, schema: Schema
) -> PaimonKsyError | None:
    """Return the error in an index, without comparing it with data; None if it seems sound."""
    entry = opened.places[name][kind]
    if entry.is_empty and num_rows:
        return CorruptFileError(
            f"it is empty, and the data file has {counted(num_rows, 'row')}", column=name
        )
    return index_error(opened, spec_named(kind, name), entry, num_rows, schema)


def rebuildable_indexes(storage: Storage, file: DataFile, columns: Schema) -> tuple[IndexSpec, ...]:
    """Return the indexes that can be rebuilt, as far as the file's own index names them."""
    with suppress(PaimonKsyError):
        specs = unlisted_indexes(storage, file, columns, (), rebuild=True).built
        return FileIndexOptions.of(specs).indexes
    return ()


def existing_keys(storage: Storage, file: DataFile) -> set[Key]:
    """Return the keys of a data file's indexes, as far as they can be read."""
    keys: set[Key] = set()
    for place in _places(file):
        with suppress(PaimonKsyError), open_index(storage, place) as opened:
            keys |= set(_keys(opened))
    return keys


@lru_cache(maxsize=256)
def can_build(columns: Schema, kind: str, name: str) -> bool:
    """Return whether an index of this type can be built for a column."""
    try:
        check_options(columns, FileIndexOptions((spec_named(kind, name),)))
    except PaimonKsyError:
        return False
    return True


def _places(file: DataFile) -> Iterator[bytes | str]:
    if file.embedded_index is not None:
        yield file.embedded_index
    yield from file.index_files


def open_index(storage: Storage, place: bytes | str, columns: Schema | None = None) -> FileIndex:
    """Open a file index, embedded bytes or the file at a path; `columns` are those to evaluate."""
    return FileIndex.open(storage.open(place) if isinstance(place, str) else place, columns)


def _keys(opened: FileIndex) -> list[Key]:
    return [(name, kind) for name, entries in opened.places.items() for kind in entries]


def _is_in(file: DataFile, name: str) -> bool:
    """Return whether the data file has the column; data evolution may write only some columns."""
    written = file.write_columns
    return written is None or name in written or outer_column(name) in written


def _stored_spec(opened: FileIndex, name: str, kind: str) -> IndexSpec:
    """Return the index with the options that its bytes show."""
    spec, entry = spec_named(kind, name), opened.places[name][kind]
    options: dict[str, str] = {}
    if not entry.is_empty and kind in INDEX_TYPES:
        with suppress(PaimonKsyError), CorruptErrors(opened.source):
            place = entry.ofs_body, entry.len_body
            options = INDEX_TYPES[kind].stored_options(opened.source, *place, name)
    return replace(spec, options=options)


def _body(opened: FileIndex, name: str, kind: str) -> Body | None:
    entry = opened.places[name][kind]
    if entry.is_empty:
        return None
    return [bytes(opened.source.read(entry.ofs_body, entry.len_body))]


def _reason(error: PaimonKsyError) -> str:
    """Return the message of an error without its remedy."""
    return getattr(error, "message", None) or str(error)
