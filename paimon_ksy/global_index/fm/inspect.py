"""Report on the container of an FM index."""

from __future__ import annotations

from dataclasses import dataclass, field

from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.fm.container import Partition, open_container, partitions
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FileContent, Subject
from paimon_ksy.messages.answers import Answer, keyed


@dataclass(frozen=True)
class FmPartition(Answer):
    """A partition of an FM index. `text_bytes` counts a separator after each row."""

    start: int = field(metadata=keyed("byte"))
    size: int = field(metadata=keyed("bytes"))
    first_row: int
    rows: int
    nulls: int
    text_bytes: int
    distinct_bytes: int
    sample_rate: int
    blocks: int
    compression: str


@dataclass(frozen=True)
class FmReport(FileContent):
    """The rows of an FM index, and its partitions."""

    version: int
    first_row: int
    rows: int
    partitions: tuple[FmPartition, ...]


def inspect(subject: Subject, _: int | None) -> FmReport:
    """Return what the container has. Raises CorruptFileError."""
    with CorruptErrors(subject.source):
        container = open_container(subject.source)
        footer = container.footer
        parts = tuple(map(_partition, partitions(container)))
        return FmReport(footer.version, footer.first_row, footer.num_rows, parts)


def _partition(part: Partition) -> FmPartition:
    directory = part.directory
    codecs = {BlockCompression(block.compression).name: None for block in part.blocks}
    return FmPartition(
        start=part.start,
        size=part.end - part.start,
        first_row=part.footer.first_row,
        rows=directory.num_rows,
        nulls=directory.null_rows.num_ones,
        text_bytes=directory.len_text,
        distinct_bytes=directory.num_symbols - _ENDS,
        sample_rate=directory.sample_rate,
        blocks=sum(1 for _ in part.blocks),
        compression=", ".join(codecs),
    )


_ENDS = 2  # symbols for the ends of a row and of all rows
