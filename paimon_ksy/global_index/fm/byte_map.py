"""The fields of an FM index in a range of bytes, of which only these partitions are parsed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.generated.views.fm_index import places_fm_partition_footer
from paimon_ksy.global_index.fm.container import listed, open_container
from paimon_ksy.io.file_format import FieldBytes, FilePart, Range, leaves_of, overlap
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema


def parts(source: Source, schema: Schema | None, start: int, end: int) -> Iterator[FilePart]:
    """Yield the file, and the footers in the range to which a compressed directory refers."""
    yield FilePart(0, source.size, type_named("fm_index"), {}, "", _fields)
    with suppress(CorruptFileError, UnsupportedError, FormatError):  # no more is known
        container, size = open_container(source), places_fm_partition_footer().end
        if container.footer.directory.compression == BlockCompression.none:
            return
        for number, (first, last, _, _) in enumerate(listed(container.directory)):
            if overlap(first, last, (start, end)):
                path = f"directory.partitions[{number}].footer."
                yield FilePart(last - size, size, type_named("fm_partition_footer"), {}, path)


def _fields(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    container = open_container(source)
    file = part.parsed(source)  # which reads what is asked for
    if container.footer.directory.compression == BlockCompression.none:
        for number, (start, end, _, _) in enumerate(listed(container.directory)):
            if not overlap(start, end, within):
                file.directory.partitions[number].footer = None  # so that it is not read
    yield from leaves_of(0, file, "")
