"""The stream of a window, bytes in memory, with less between a field and its bytes."""

from __future__ import annotations

import kaitaistruct

from .codecs import decode


class KaitaiStream(kaitaistruct.KaitaiStream):  # type: ignore[misc]  # it has no types
    """As the runtime's, of an `io.BytesIO`, for reading whole bytes."""

    bits = bits_left = 0
    bits_le = False
    bits_write_mode = False
    last_length = 0
    """Bytes of the last read: of the field that turns out to be not valid."""

    def __init__(self, io: kaitaistruct.BytesIO) -> None:
        self._io = io
        self._size = len(io.getbuffer())

    @staticmethod
    def process_zlib(data: bytes) -> bytes:
        return decode("zlib", data, 0)

    def size(self) -> int:
        return self._size

    def is_eof(self) -> bool:
        return not self.bits_left and bool(self._io.tell() >= self._size)

    def read_bytes(self, n: int) -> bytes:
        if self.bits_left:
            self.align_to_byte()
        data: bytes = self._io.read(n)
        if len(data) != n:
            self._io.seek(-len(data), 1)
            data = super().read_bytes(n)  # says what is wrong
        self.last_length = n
        return data
