"""Drop global indexes, and show how to build them again.

An index contains no rows, so a dropped one costs only time: queries read the data until it is built
again. The files stay until the snapshots that list them expire.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial

from paimon_ksy.errors import ConflictError, PaimonKsyError, counted
from paimon_ksy.global_index.builders import cutting, may_be_cut
from paimon_ksy.global_index.index_type import GlobalIndexType
from paimon_ksy.global_index.registry import global_index_type
from paimon_ksy.io.file_kind import FileKind, index_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.table.manifests.global_indexes import GlobalIndexFiles
from paimon_ksy.table.model.files import IndexFile, Snapshot, TableSchema
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.table.store.commits import Attempts, Changes, commit
from paimon_ksy.table.store.manifest_writer import ManifestWriter
from paimon_ksy.types.data_type import Field


def version_of(
    file: IndexFile, source: Source, fields: Sequence[Field]
) -> tuple[int | None, str | None]:
    """Return the version of a file of a global index, and what other readers do wrong with it.

    Both are None if its type has no version, or nothing misreads it. Of the source, the footer, the
    directory and at most one block of keys are read. Without fields, the table lacks one of its
    columns.

    Raises:
        CorruptFileError: The footer is malformed.
        UnsupportedError: The version is unknown.
    """
    kind = type_of_index(file)
    version, misread = (None, None) if kind is None else kind.version(source, fields)
    return version, misread or None


def fields_of(schema: TableSchema, field_ids: Sequence[int]) -> tuple[Field, ...]:
    """Return the columns of a global index; none if the table lacks one."""
    if not {*field_ids} <= {*schema.ids.values()}:
        return ()
    return tuple(map(schema.columns.column, schema.named(field_ids)))


def kind_of_index(file: IndexFile) -> FileKind:
    """Return the kind of a file of an index manifest."""
    index = file.global_index
    return index_kind(file.index_type, has_metadata=bool(index and index.index_meta is not None))


def type_of_index(file: IndexFile) -> GlobalIndexType | None:
    """Return the type of a global index that a deep audit compares with the data; None if none."""
    index = file.global_index
    return global_index_type(file.index_type, None if index is None else index.index_meta)


@dataclass(frozen=True)
class DroppedFile(Answer):
    """A file of a global index that was dropped."""

    file: str
    type: str
    columns: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class DroppedIndexes(Answer):
    """The result of `drop_global_indexes`.

    Attributes:
        files: The files.
        dry_run: Whether nothing was changed.
        snapshot: The snapshot without them; None in a dry run.
        build: How to build each index again, in Python and in SQL.
    """

    files: tuple[DroppedFile, ...]
    dry_run: bool = field(metadata=keyed(text=False))
    snapshot: int | None = field(metadata=keyed(text=False))
    build: tuple[str, ...]

    @property
    def would(self) -> str:
        """The work that a dry run leaves out, after the word `would`."""
        return f"drop {counted(len(self.files), 'file')} of global indexes"


def drop_global_indexes(
    table: TableOrPath,
    *,
    column: str | Sequence[str] | None = None,
    index_type: str | None = None,
    files: Collection[str] | None = None,
    dry_run: bool = False,
    attempts: Attempts | None = None,
) -> DroppedIndexes:
    """Drop the global indexes, or some of their files, that fulfil all given conditions.

    A file is dropped with all others of its row range: without it, readers would miss its rows.

    Args:
        table: The table, or its folder.
        column: The indexed column, or all of them.
        index_type: The type, such as `btree`.
        files: The names of the files.
        dry_run: Change nothing, and return what would be dropped.
        attempts: Receives the outcome of the commit.

    Raises:
        PaimonKsyError: No index fulfils the conditions. The message lists those that exist.
        UncertainError: It is unknown whether the snapshot was made.
    """
    table = Table.of(table)
    table.check_options("commit")
    every = table.index_manifests.global_indexes(table.snapshot())
    columns = (column,) if isinstance(column, str) else column and tuple(column)
    chosen: dict[str, DroppedFile] = {}
    build = []
    for index in every:
        names = table.schema.named(index.field_ids)
        if columns in (None, names) and index_type in (None, index.index_type):
            dropped = {
                file.file_name: DroppedFile(file.file_name, file.index_type, names, file.file_size)
                for file in _of_ranges(index, files)
            }
            chosen |= dropped
            build += [build_command(table, index)] if dropped else []
    if not chosen:
        raise PaimonKsyError(
            f"there is no such global index: {_listed(table, every)}", path=table.location
        )
    snapshot = None
    if not dry_run:
        snapshot = commit(table, "APPEND", partial(_dropped, table, chosen.keys()), attempts)
    return DroppedIndexes(tuple(chosen.values()), dry_run, snapshot, tuple(build))


def _of_ranges(index: GlobalIndexFiles, names: Collection[str] | None) -> Iterator[IndexFile]:
    """Yield the files of an index that have the row range of one of these; None for all."""
    both = [*zip(index.bounds, index.files, strict=True)]
    ranges = {at for at, file in both if names is None or file.file_name in names}
    return (file for at, file in both if at in ranges)


def _dropped(table: Table, names: Set[str], latest: Snapshot | None, _: ManifestWriter) -> Changes:
    """Return the changes of a commit that removes files from the index manifest (see `Plan`)."""
    if not (gone := names & {file.file_name for file in table.index_manifests.of(latest)}):
        message = "conflict: others dropped these indexes meanwhile"
        raise ConflictError(message, path=table.location)
    return Changes(gone=gone)


def _listed(table: Table, indexes: Iterable[GlobalIndexFiles]) -> str:
    """Return the text of the indexes that a table has."""
    texts = [
        f"{each.index_type} of {', '.join(table.schema.named(each.field_ids))}" for each in indexes
    ]
    return f"the table has {'; '.join(texts) or 'none'}"


def build_command(table: Table, index: GlobalIndexFiles) -> str:
    """Return how to build a global index for the rows that none covers, in Python and in SQL."""
    columns = table.schema.named(index.field_ids)
    options = dict(_options(index.files[0]))
    name = table.location.rpartition("/")[2]
    database = table.location.rpartition("/")[0].rpartition("/")[2].removesuffix(".db")
    python = f"{columns[0]!r}" if len(columns) == 1 else f"{[*columns]!r}"
    python += f", index_type={index.index_type!r}"
    sql = f"table => '{database}.{name}', index_column => '{','.join(columns)}'"
    sql += f", index_type => '{index.index_type}'"
    if options:
        python += f", options={options!r}"
        sql += f", options => '{','.join(f'{key}={value}' for key, value in options.items())}'"
    if may_be_cut(fields_of(table.schema, index.field_ids)):
        return (
            f"with pypaimon-rust, run `CALL sys.create_global_index({sql})`; {cutting()} cut keys"
        )
    return (
        f"with pypaimon, run `table.create_global_index({python})`, or in SQL "
        f"`CALL sys.create_global_index({sql})`"
    )


def _options(file: IndexFile) -> Iterator[tuple[str, str]]:
    """Yield the options in the metadata of an index, which vector and full-text indexes have."""
    metadata = None if file.global_index is None else file.global_index.index_meta
    try:
        document = json.loads(metadata or b"{}")
    except (ValueError, RecursionError):
        return
    if isinstance(document, dict):
        for key, value in sorted(document.items()):
            if key != "index.type":
                yield f"{file.index_type}.{key}", str(value)
