"""What a global index was built from: a snapshot, or the data files of a primary-key table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes

from paimon_ksy.generated.structs.global_index_source import (
    make_global_index_source,
    make_source_file,
    make_source_file_list,
    make_source_snapshot,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.generated.views.global_index_source import GlobalIndexSource, SourceFileList
from paimon_ksy.java import modified_utf8
from paimon_ksy.messages.answers import Answer, keyed


@dataclass(frozen=True)
class SourceFile(Answer):
    """A data file from which an index was built, and its number of rows then."""

    name: str = field(metadata=keyed("file"))
    num_rows: int = field(metadata=keyed("rows"))


@dataclass(frozen=True)
class SourceMetadata(Answer):
    """`_SOURCE_META` of an index manifest.

    Attributes:
        snapshot_id: The snapshot whose rows the index contains; None for a primary-key table.
        level: The level of the data files of a primary-key table; None for other tables.
        files: The data files. Positions in the index count their rows, one file after the other.
    """

    snapshot_id: int | None = field(default=None, metadata=keyed("snapshot", optional=True))
    level: int | None = field(default=None, metadata=keyed(optional=True))
    files: tuple[SourceFile, ...] = field(default=(), metadata=keyed(one_line=True))

    @property
    def num_rows(self) -> int:
        """The number of rows in all data files."""
        return sum(file.num_rows for file in self.files)

    @property
    def starts(self) -> list[int]:
        """The position of the first row of each data file."""
        return [*accumulate((file.num_rows for file in self.files[:-1]), initial=0)]


def read_source_metadata(data: bytes) -> SourceMetadata:
    """Read `_SOURCE_META`. Raises FormatError."""
    source = GlobalIndexSource(data, 0, 0)
    if source.end != len(data):
        raise FormatError("bytes follow the metadata", source.end)
    if (snapshot := source.data_evolution) is not None:
        return SourceMetadata(snapshot.snapshot_id)
    listed: SourceFileList = source.primary_key
    try:
        names = [modified_utf8.decode(bytes(name)) for name in listed.files_name]
    except UnicodeDecodeError as error:
        raise FormatError(f"a name is not modified UTF-8: {error.reason}", None) from error
    files = tuple(map(SourceFile, names, listed.files_num_rows))
    return SourceMetadata(None, listed.level, files)


def source_of(data: bytes | None) -> SourceMetadata:
    """Return `_SOURCE_META`, which states nothing if it is missing or malformed."""
    try:
        return SourceMetadata() if data is None else read_source_metadata(data)
    except FormatError:
        return SourceMetadata()


def write_source_metadata(metadata: SourceMetadata) -> bytes:
    """Return `_SOURCE_META`."""
    if metadata.snapshot_id is not None:
        snapshot = make_source_snapshot(snapshot_id=metadata.snapshot_id)
        return to_bytes(make_global_index_source(data_evolution=snapshot))
    files = [
        make_source_file(
            name=make_java_utf8(value=modified_utf8.encode(file.name)), num_rows=file.num_rows
        )
        for file in metadata.files
    ]
    listed = make_source_file_list(level=metadata.level, files=files)
    return to_bytes(make_global_index_source(primary_key=listed))


@dataclass(frozen=True)
class LiveFile:
    """A live data file: its level, and its number of rows."""

    level: int
    num_rows: int


def source_problems(
    metadata: SourceMetadata, row_start: int, row_end: int, live: Mapping[str, LiveFile]
) -> Iterator[str]:
    """Yield why an index of a primary-key table with this metadata cannot be used.

    It covers positions up to `row_end`, inclusive. `live` are the data files of its bucket.
    """
    if metadata.level is None:
        return
    if (row_start, row_end) != (0, metadata.num_rows - 1):
        yield (
            f"it covers positions {row_start} to {row_end}, but its data files have "
            f"{metadata.num_rows} rows"
        )
    for file in metadata.files:
        if (there := live.get(file.name)) is None:
            yield f"data file {file.name} is not live any more"
        elif there.num_rows != file.num_rows:
            yield f"data file {file.name} has {there.num_rows} rows, not {file.num_rows}"
        elif there.level != metadata.level:
            yield f"data file {file.name} is at level {there.level}, not {metadata.level}"
