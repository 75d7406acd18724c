"""The indexes that a data file has: whether they match the options, and which of them to keep.

An index that is sound is carried over byte for byte. One that is not, or that is to be rebuilt, is
built again with the parameters that its bytes show: bitmaps in their version, bloom filters in
their size. An index that can be neither carried over nor built again is lost, and reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from paimon_ksy.errors import AccessError, CorruptFileError, OutsideError, PaimonKsyError, counted
from paimon_ksy.file_index.builder import Body, check_options
from paimon_ksy.file_index.check import index_error
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.index_type import IndexPlace
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, spec_named
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.messages.answers import Answer
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.types.schema import Schema, outer_column

Key = tuple[str, str]
"""The name of a column, and the type of its index."""

Carried = tuple[IndexSpec, Body | None]
"""An index to carry over, and its body; None if the index is EMPTY."""


def keys_of(indexes: Iterable[IndexSpec]) -> set[Key]:
    """Return the columns and types of indexes."""
    return {(spec.name, spec.index_type) for spec in indexes}


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
    places = [*_places(file)]
    if not places:
        return "new" if options.indexes else None
    if len(places) > 1:
        return "several"
    try:
        with open_index(storage, places[0]) as opened:
            reason = _mismatch(opened, options, is_embedded=file.embedded_index is not None)
            there = {index.key for index in _indexes_in(opened)}
    except (AccessError, OutsideError):
        raise
    except PaimonKsyError:
        return "broken"
    if reason is None and drop_unlisted and there - keys_of(options.indexes):
        return "stale"
    return reason


def _mismatch(opened: FileIndex, options: FileIndexOptions, *, is_embedded: bool) -> str | None:
    """Return the first thing in which an index differs from the options, as `rewrite_reason`."""
    there = {index.key: index for index in _indexes_in(opened)}
    wanted = keys_of(options.indexes)
    if wanted - there.keys():
        return "incomplete"
    # Ignore bytes that `store` may add to the head.
    size = opened.source.size - len(opened.head.head.redundant or b"")
    if wanted and is_embedded != (size <= options.in_manifest_threshold):
        return "threshold"
    versions = ((spec, spec.options.get("version")) for spec in options.indexes)
    if all(there[spec.name, spec.index_type].has_version(version) for spec, version in versions):
        return None
    return "version"


@dataclass(frozen=True)
class _StoredIndex:
    """An index in an open file index."""

    opened: FileIndex
    name: str
    kind: str

    @property
    def key(self) -> Key:
        return self.name, self.kind

    @property
    def entry(self) -> IndexPlace:
        return self.opened.places[self.name][self.kind]

    def options(self) -> Mapping[str, str]:
        """Return the options that the bytes show. Raises CorruptFileError."""
        if self.entry.is_empty or self.kind not in INDEX_TYPES:
            return {}
        source, entry = self.opened.source, self.entry
        with CorruptErrors(source, self.name):
            place = entry.ofs_body, entry.len_body
            return INDEX_TYPES[self.kind].stored_options(source, *place, self.name)

    def has_version(self, version: str | None) -> bool:
        """Return whether the index has this version, or needs none."""
        if version is None or not INDEX_TYPES[self.kind].versions or self.entry.is_empty:
            return True
        return self.options()["version"] == version.strip()

    def spec(self) -> IndexSpec:
        """Return what builds the index again, as far as its bytes show it."""
        options: Mapping[str, str] = {}
        with suppress(PaimonKsyError):
            options = self.options()
        return replace(spec_named(self.kind, self.name), options=options)

    def damage(self, num_rows: int, columns: Schema) -> PaimonKsyError | None:
        """Return the error in the index, without comparing it with data; None if it is sound."""
        if self.entry.is_empty and num_rows:
            return CorruptFileError(
                f"it is empty, and the data file has {counted(num_rows, 'row')}", column=self.name
            )
        spec = spec_named(self.kind, self.name)
        return index_error(self.opened, spec, self.entry, num_rows, columns)

    def kept(self, spec: IndexSpec) -> Carried:
        """Return the index with its body, to carry over."""
        if self.entry.is_empty:
            return spec, None
        return spec, [bytes(self.opened.source.read(self.entry.ofs_body, self.entry.len_body))]


def _indexes_in(opened: FileIndex) -> list[_StoredIndex]:
    return [
        _StoredIndex(opened, name, kind) for name, kinds in opened.places.items() for kind in kinds
    ]


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
        carried: Indexes to carry over with their bodies.
        built: Indexes to build again.
        lost: Indexes that cannot be kept.
    """

    carried: tuple[Carried, ...] = ()
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
    outcomes: dict[Key, Carried | IndexSpec | LostIndex] = {}
    unread: list[LostIndex] = []
    for place in _places(file):
        try:
            with open_index(storage, place) as opened:
                for index in _indexes_in(opened):
                    is_open = isinstance(outcomes.get(index.key), LostIndex | None)
                    if index.key not in listed and is_open:
                        outcomes[index.key] = _outcome(index, file, columns, rebuild=rebuild)
        except AccessError:
            raise
        except PaimonKsyError as error:
            unread.append(LostIndex(file.path, None, None, _reason(error)))
    return UnlistedIndexes(
        carried=tuple(index for index in outcomes.values() if isinstance(index, tuple)),
        built=tuple(index for index in outcomes.values() if isinstance(index, IndexSpec)),
        lost=(*unread, *(index for index in outcomes.values() if isinstance(index, LostIndex))),
    )


def _outcome(
    index: _StoredIndex, file: DataFile, columns: Schema, *, rebuild: bool
) -> Carried | IndexSpec | LostIndex:
    """Return the index to carry over or to build again, or why it cannot be kept."""
    can_be_built = _is_in(file, index.name) and can_build(columns, index.kind, index.name)
    if not (rebuild and can_be_built):
        error = index.damage(file.num_rows, columns)
        if error is None:
            return index.kept(index.spec())
        if not can_be_built:
            return LostIndex(file.path, index.name, index.kind, _reason(error))
    return index.spec()


def sound_index(
    storage: Storage, file: DataFile, columns: Schema, spec: IndexSpec
) -> tuple[Carried, ...]:
    """Return the existing index of a data file for this column and type, if it is sound."""
    for place in _places(file):
        with suppress(PaimonKsyError), open_index(storage, place) as opened:
            index = _StoredIndex(opened, spec.name, spec.index_type)
            is_there = index.kind in opened.places.get(index.name, {})
            if is_there and index.damage(file.num_rows, columns) is None:
                return (index.kept(spec),)
    return ()


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
            keys |= {index.key for index in _indexes_in(opened)}
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


def _is_in(file: DataFile, name: str) -> bool:
    """Return whether the data file has the column; data evolution may write only some columns."""
    written = file.write_columns
    return written is None or name in written or outer_column(name) in written


def _reason(error: PaimonKsyError) -> str:
    """Return the message of an error without its remedy."""
    return getattr(error, "message", None) or str(error)
