"""The fields of an FM index in a range of bytes, of which only these partitions are parsed."""

from __future__ import annotations

from collections.abc import Iterator

from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.generated.writers import type_named
from paimon_ksy.global_index.fm.container import listed, open_container
from paimon_ksy.io.file_format import FieldBytes, FilePart, Range, leaves_of, overlap, parsed
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema


def parts(source: Source, schema: Schema | None, start: int, end: int) -> list[FilePart]:
    """Return the whole file."""
    return [FilePart(0, source.size, type_named("fm_index"), {}, "", _fields)]


def _fields(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    container = open_container(source)
    file = part.parsed(source)  # which reads what is asked for
    is_plain = container.footer.directory.compression == BlockCompression.none
    for number, (start, end, _, _) in enumerate(listed(container.directory)):
        if is_plain and not overlap(start, end, within):
            file.directory.partitions[number]._m_footer = None  # so that it is not read
        elif not is_plain and overlap(start, end, within):
            at, _ = container.directory.place_partitions_footer(number)
            footer = parsed(source, at, "fm_partition_footer", root=file)
            yield from leaves_of(at, footer, f"directory.partitions[{number}].footer.")
    yield from leaves_of(0, file, "")
