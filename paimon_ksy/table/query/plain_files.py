"""The files of a plan that another engine's Parquet reader reads like Java's.

They need no merge, and the engine reads and casts their columns to the same values. It finds the
values of partitions in the names of folders, and leaves out deleted rows by their positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.table.model.casts import keeps_values
from paimon_ksy.table.model.evolve import file_column
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.types.data_type import INTEGER_BITS, DataType
from paimon_ksy.types.literals import to_text
from paimon_ksy.types.schema import Field

if TYPE_CHECKING:
    from paimon_ksy.table.query.plan import State

FLOATS = frozenset(("FLOAT", "DOUBLE"))
"""Types with NaN, which statistics of Parquet leave out. Spark orders it above all numbers, so a
filter must not skip row groups by them."""

_PLAIN = FLOATS | {*INTEGER_BITS, "BOOLEAN", "DECIMAL", "VARCHAR", "BINARY", "VARBINARY", "DATE"}

_PATH = re.compile(r"[^*?\[\]{}\\]*/[A-Za-z0-9][A-Za-z0-9._-]*")
"""Paths that engines do not take for patterns, of names that they neither skip nor encode."""

_TEXT = re.compile(r"(?!__HIVE)[\w.-]+")
"""Values of partitions that engines find in the names of Paimon's folders."""

_MOST_DELETED = 1_000_000
"""The most deleted rows to send to an engine: Spark broadcasts about 100 bytes for each."""

_FEW = 1_000_000
"""Our reader reads a file of which an index selects one row of this many, or fewer. Of 6M rows in
4 files, one in a million takes it 0.41 s of the processor's time, and Spark 0.96 s; of one in 5,000
it would be 1.1 and 1.7 s."""


class Source(NamedTuple):
    """A column, and the one of files that has its values; None if all are null."""

    column: Field
    stored: Field | None

    @property
    def is_alike(self) -> bool:
        """Whether the engine reads and casts the values as Java does."""
        if self.stored is None:
            return True
        old, new = self.stored.type, self.column.type.with_nullable(True)
        return _is_alike(old) and _is_alike(new) and (old == new or keeps_values(old, new))


def _is_alike(kind: DataType) -> bool:
    if kind.root == "ROW" and any(part.type.root in FLOATS for part in kind.fields):
        return False  # a filter can test a field of a ROW
    if kind.root in ("ARRAY", "MAP", "ROW"):
        return all(_is_alike(part.type) for part in kind.fields)
    return kind.root in _PLAIN or (kind.is_timestamp and (kind.precision or 0) <= 6)


@dataclass(eq=False)
class PlainFiles:
    """Files to read together.

    Attributes:
        columns: The columns in the files.
        partition: Those in the names of folders: the values of a DATE may be days since 1970.
        paths: The paths of the files.
        deleted: The positions of deleted rows by the names of files, which are then unique.
    """

    columns: tuple[Source, ...]
    partition: tuple[Source, ...]
    paths: list[str] = field(default_factory=list)
    deleted: dict[str, NDArray[np.int64]] = field(default_factory=dict)


def split(
    state: State, tasks: Iterable[Task], names: Sequence[str]
) -> tuple[list[PlainFiles], list[Task]]:
    """Return the files that another engine reads like Java's, and the tasks of the others.

    Raises:
        PaimonKsyError: A deletion vector cannot be read.
        OutsideError: A file is a link to one that the table may not read.
    """
    columns, others, left = _Columns(state, tuple(names)), list[Task](), _MOST_DELETED
    files: dict[Any, PlainFiles] = {}
    for task in tasks:
        sources = columns.of(task) if isinstance(task, FileTask) and _is_plain(task) else None
        if sources is None or not isinstance(task, FileTask):
            others.append(task)
            continue
        file = task.file
        task.storage.roots.check_file(file.path)
        key = id(sources[0]), sources[1], file.deletion_vector is not None
        group = files.setdefault(key, PlainFiles(*sources))
        if file.deletion_vector is not None:
            rows = task.deleted(ReadStats()).positions()
            left -= len(rows)
            if left < 0 or file.name in group.deleted:
                others.append(task)
                continue
            group.deleted[file.name] = rows
        group.paths.append(file.path)
    return [group for group in files.values() if group.paths], others


def _is_plain(task: FileTask) -> bool:
    """Return whether the rows of a task are most of those of one Parquet file on this machine."""
    file, selection = task.file, task.selection
    if selection is None:
        is_few = task.predicate is not None and file.has_index
    else:
        rows = selection.matching
        is_few = rows is not None and len(rows) * _FEW <= task.num_rows
    is_parquet = task.data.is_plain and file.format == "parquet" and task.storage.is_local
    return is_parquet and not is_few and _PATH.fullmatch(file.path) is not None


@dataclass
class _Columns:
    """Where files have the columns to return; equal sources are the same object."""

    state: State
    names: tuple[str, ...]
    _known: dict[int, tuple[Source, ...] | None] = field(default_factory=dict)  # by schema
    _same: dict[tuple[Source, ...], tuple[Source, ...]] = field(default_factory=dict)

    def of(self, task: FileTask) -> tuple[tuple[Source, ...], tuple[Source, ...]] | None:
        """Return the columns in a file, and those in the names of its folders; None if unlike."""
        schema = task.data.parts[0].schema
        if schema.id not in self._known:
            self._known[schema.id] = self._in_files(schema)
        sources, partition = self._known[schema.id], self._in_folders(task)
        return None if sources is None or partition is None else (sources, partition)

    def _in_files(self, file: TableSchema) -> tuple[Source, ...] | None:
        """Return the columns in files of a schema; None if one is unlike, or all are null."""
        read, sources = self.state.schema, list[Source]()
        for column in map(read.columns.column, self.names):
            if column.name in self._keys:
                continue
            stored = file_column(read, file, column.name)
            if stored is not None and stored.type.fields and read.id != file.id:
                return None
            kept = stored and Field(stored.name, stored.type.with_nullable(True))
            sources.append(Source(column, kept))
        if not all(each.is_alike for each in sources):
            return None
        is_read = bool(self._keys) or any(each.stored for each in sources)
        return self._same.setdefault(tuple(sources), tuple(sources)) if is_read else None

    @cached_property
    def _keys(self) -> frozenset[str]:
        """The partition columns among those to return."""
        return frozenset(self.state.schema.partition_keys) & set(self.names)

    def _in_folders(self, task: FileTask) -> tuple[Source, ...] | None:
        """Return the partition columns; None if a name of a folder has another text."""
        if not self._keys:
            return ()
        root, folder = self.state.table.location.rstrip("/") + "/", task.file.folder
        columns, names = task.data.parts[0].schema.partition_schema, folder[len(root) :].split("/")
        if not folder.startswith(root) or len(names) != len(columns.fields) + 1:
            return None
        sources = []
        for name, value, column in zip(names, task.file.partition, columns, strict=False):
            key, _, text = name.partition("=")
            kind = _kind_of(text, value, column.type)
            if kind is None or key != column.name:
                return None
            sources.append(Source(column, Field(key, kind)))
        return tuple(sources)


def _kind_of(text: str, value: Any, kind: DataType) -> DataType | None:
    """Return the type of a partition's value in a folder's name; None if it is another value."""
    if value is None or _TEXT.fullmatch(text) is None:
        return None
    if kind.root == "DATE" and text == str(value):
        return DataType("INT")
    is_plain = kind.root in INTEGER_BITS or kind.root in ("VARCHAR", "DATE")
    return kind.with_nullable(True) if is_plain and text == to_text(value, kind) else None
