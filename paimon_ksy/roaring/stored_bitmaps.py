"""Read the Roaring bitmaps of an index from its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.source import Source
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_bitmap, read_start


class StoredBitmaps:
    """The bitmaps in the file of a column's index, of rows below `num_rows`.

    Those of a remote file are kept, so that each is fetched once.
    """

    def __init__(self, source: Source, column: str, num_rows: int) -> None:
        self._source = source
        self._column = column
        self._num_rows = num_rows
        self._fetched: dict[int, bytes | memoryview] = {}

    def read(
        self, extents: Sequence[tuple[int, int]], *, checked: bool = False
    ) -> Iterator[BitMap]:
        """Yield the bitmaps in these half-open ranges of bytes, and read each at its turn.

        `checked` covers all of each, not only what its rows depend on. Raises CorruptFileError.
        """
        if not self._source.is_near:
            self._fetch(extents)
        for start, end in extents:
            data = self._fetched.get(start)
            if data is None:
                data = self._source.read(start, end - start)
            yield self.parse(data, start, checked=checked)

    def _fetch(self, extents: Sequence[tuple[int, int]]) -> None:
        """Read the missing bitmaps with few requests."""
        missing = sorted(extent for extent in extents if extent[0] not in self._fetched)
        for (start, _), data in zip(missing, self._source.read_ranges(missing), strict=True):
            self._fetched[start] = bytes(data)

    def parse(
        self, data: bytes | memoryview, start: int, *, checked: bool = True, prefix: bool = False
    ) -> BitMap:
        """Return the bitmap in these bytes, which start at byte `start` of the file.

        Raises:
            CorruptFileError: It is malformed.
        """
        try:
            if checked:
                return read_bitmap(data, self._num_rows, prefix=prefix)
            return read_start(data, self._num_rows)
        except BadBitmapError as error:
            raise CorruptFileError(
                str(error),
                path=self._source.name,
                column=self._column,
                offset=start + error.offset,
            ) from error
