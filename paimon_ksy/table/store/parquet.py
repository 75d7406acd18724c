"""What pypaimon decodes of Parquet files: single pages of a column, and shredded VARIANTs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ksykit.runtime.errors import FormatError

from paimon_ksy.data_files.data_file import PageReader
from paimon_ksy.data_files.parquet_footer import member
from paimon_ksy.errors import PaimonKsyError, first_line
from paimon_ksy.generated.views import parquet_metadata as thrift
from paimon_ksy.generated.views.compact_thrift import CompactThrift
from paimon_ksy.io.source import Source
from paimon_ksy.table.store.errors import pypaimon_module


def parquet_pages(
    source: Source, parquet: Any, columns: Sequence[str], group: int, batch_rows: int
) -> list[PageReader] | None:
    """Return, for each column, a function that reads single pages of a row group.

    Returns:
        Functions of ascending positions. Each returns the rows of the pages that contain a
        position, and the offsets of the positions among these rows; None if that reads as much as
        all pages. The result is None if the file has no page index.
    """
    module = pypaimon_module("read.reader.parquet_page_index_reader")
    kind = module.ParquetPageIndexReader
    whole = kind.create(_ReadAhead(source), parquet, list(columns), [group], batch_rows)
    if whole is None:
        return None
    parts = whole.metadata, whole.schema, whole.footer

    def pages(column: int, positions: Any) -> tuple[Iterator[pa.RecordBatch], Any] | None:
        ahead = _ReadAhead(source)
        reader = kind(ahead, *parts, [column], whole.fields, batch_rows)
        decode = reader._batches
        at = positions

        def decode_kept(plans: list[Any], _: Any) -> Any:
            nonlocal at
            plan = _pages_with(positions, plans[0], ahead)
            spans = plan[2]
            starts, counts = np.array(spans).T
            of = np.searchsorted(starts, positions, side="right") - 1
            at = positions - starts[of] + (np.cumsum(counts) - counts)[of]
            # Batches of one size, the last of which ends with the last selected row.
            last = int(at[-1]) + 1
            size = -(-last // -(-last // batch_rows))
            reader.batch_size = size
            return decode([plan], [(start, start + count - 1) for start, count in spans])

        reader._batches = decode_kept
        batches = reader.read_row_group(group, [(int(positions[0]), int(positions[-1]))])
        return None if batches is None else (batches, at)

    return [partial(pages, column) for column in whole.columns]


class _ReadAhead:
    """A file whose pages are read ahead for inspection."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seen: dict[tuple[int, int], bytes] = {}

    def read_at(self, length: int, offset: int) -> bytes:
        data: bytes | None = self._seen.pop((length, offset), None)
        if data is None:
            data = self._source.fetch(offset, length)
        return data

    def pages(self, places: Sequence[tuple[int, int]]) -> Iterator[memoryview]:
        """Yield pages by offset and length, in the reads that follow: adjacent ones at once."""
        at = 0
        while at < len(places):
            until = at + 1
            while until < len(places) and places[until][0] == sum(places[until - 1]):
                until += 1
            start, length = places[at][0], sum(places[until - 1]) - places[at][0]
            data = self._seen[length, start] = self.read_at(length, start)
            for offset, size in places[at:until]:
                yield memoryview(data)[offset - start : offset - start + size]
            at = until


def _pages_with(positions: Any, plan: Any, source: _ReadAhead) -> Any:
    """Return pypaimon's plan to read pages of a column, without the pages that have no position.

    It omits the dictionary if the writer stopped using it before these pages: to read a row of two
    columns of a million values takes 4.7 ms and 135 kB, else 8.0 ms and 1.05 MB.
    """
    column, chunks, _ = plan
    if len(chunks) > 1:  # a nested column
        return plan
    index, metadata, dictionary, len_dictionary, pages, spans = chunks[0]
    starts, counts = np.array(spans).T
    first = np.searchsorted(positions, starts)
    kept = np.flatnonzero(np.searchsorted(positions, starts + counts) > first).tolist()
    pages, spans = [pages[at] for at in kept], [spans[at] for at in kept]
    is_first = pages[0][0] <= dictionary + len_dictionary
    if not is_first and all(is_plain(page) for page in source.pages(pages)):
        len_dictionary = 0
    return column, [(index, metadata, dictionary, len_dictionary, pages, spans)], spans


def is_plain(page: memoryview) -> bool:
    """Return whether a page needs no dictionary; False if its header is long or damaged."""
    try:
        header = CompactThrift(page[:_MOST_HEADER], 0, 0, 0)
    except FormatError:  # pypaimon reports it if it is damaged
        return False
    for page_field, encoding_field in _ENCODING_FIELDS.items():
        of_page = member(header, page_field)
        encoding = None if of_page is None else member(of_page.nested, encoding_field)
        if encoding is not None and encoding.integer is not None:
            return encoding.integer.zigzag in _PLAIN_ENCODINGS
    return False


_MOST_HEADER = 1 << 14
"""The most bytes of a page header to parse: more than any library writes."""

_ENCODING_FIELDS = {
    thrift.ParquetPageField.data_page_header: thrift.ParquetDataPageField.encoding,
    thrift.ParquetPageField.data_page_header_v2: thrift.ParquetDataPageV2Field.encoding_v2,
}
_PLAIN_ENCODINGS = {
    thrift.ParquetEncoding.plain,
    thrift.ParquetEncoding.delta_binary_packed,
    thrift.ParquetEncoding.delta_length_byte_array,
    thrift.ParquetEncoding.delta_byte_array,
    thrift.ParquetEncoding.byte_stream_split,
}
"""Encodings of values that are not indexes into a dictionary."""


def whole_variants(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Return a VARIANT column of this type, with each value in one piece.

    Files of Paimon or of other writers may store it shredded.

    Raises:
        PaimonKsyError: A shredded value cannot be assembled.
    """
    if column.type.get_field_index("typed_value") >= 0:
        shredding = pypaimon_module("data.variant_shredding")
        try:
            schema = shredding.build_variant_schema(column.type)
            return shredding.assemble_shredded_column(column, schema).cast(arrow_type)
        except Exception as error:  # pypaimon raises all kinds
            raise PaimonKsyError(
                f"cannot assemble a shredded VARIANT: {first_line(error)}"
            ) from error
    parts = [pc.struct_field(column, field.name) for field in arrow_type]
    nulls = column.is_null() if column.null_count else None
    return pa.StructArray.from_arrays(parts, fields=list(arrow_type), mask=nulls)
