"""Check the footers of an ORC file before Arrow's native reader sees them, and change one.

Arrow's reader crashes the process if a footer compressed with zstd is corrupt. It reports corrupt
column data, except for some lengths of texts.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStructError

from paimon_ksy.errors import CorruptFileError, UnsupportedError, first_line
from paimon_ksy.generated.parsers.orc_metadata import OrcMetadata
from paimon_ksy.generated.parsers.protobuf import Protobuf
from paimon_ksy.generated.writers.orc_metadata import ORC_END_TYPE, make_orc_chunk
from paimon_ksy.generated.writers.varint import make_varint
from paimon_ksy.io.source import Source
from paimon_ksy.runtime.objects import to_bytes

_END = 1 << 14
"""Bytes at the end of a file to read first; Arrow's reader then finds them in the buffer."""
_MAGIC = b"ORC"
_REMEDY = "restore the file from a backup"

_PACKED = OrcMetadata.OrcCompression
_POSTSCRIPT = OrcMetadata.OrcPostscriptField
_FOOTER, _TYPE, _TYPES = OrcMetadata.OrcFooterField, OrcMetadata.OrcTypeField, OrcMetadata.OrcKind
_STRIPE = OrcMetadata.OrcStripeField
_UNREADABLE = (KaitaiStructError, EOFError, ValueError)


class OrcFooters:
    """The footers of a file, read from `source`; the file footer is checked immediately.

    Raises:
        CorruptFileError: The file footer is corrupt; `check_stripe` raises it for a stripe footer.
            The error names the first wrong byte.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        if not source.size:
            raise self._wrong("it is empty", 0)
        source.window(max(0, source.size - _END), min(source.size, _END))
        end = source.size - 1
        length = _parsed(OrcMetadata.OrcEnd, source.read(end, 1)).len_postscript
        if length > end:
            raise self._wrong(f"its postscript of {length} bytes is longer than the file", end)
        begin = end - length
        with self._reading("its postscript", begin):
            self._postscript = _parsed(Protobuf, source.read(begin, length))
            if not any(
                f.number == _POSTSCRIPT.magic and getattr(f, "body", b"") == _MAGIC
                for f in self._postscript.fields
            ):
                raise ValueError("it lacks the magic number")
            postscript = _numbers(self._postscript.fields)
        self._kind = postscript.get(_POSTSCRIPT.compression, 0)
        self._block = postscript.get(_POSTSCRIPT.len_block, 1 << 18)
        if self._block <= 0 or self._kind not in {kind.value for kind in _PACKED}:
            message = (
                f"compression {self._kind} in blocks of {self._block} bytes is not one of ORC's"
            )
            raise self._wrong(message, begin)
        size = postscript.get(_POSTSCRIPT.len_footer, 0)
        if size > begin:
            raise self._wrong(f"its footer of {size:,} bytes is longer than the file", begin)
        self._start = begin - size
        self._footer = self._unpacked("its footer", self._start, size)
        self._stripes: list[dict[int, int]] = []
        if self._footer is not None:
            with self._reading("its footer", self._start):
                self._stripes = [_numbers(_fields(body)) for body in _stripes(self._footer)]

    def with_longs(self) -> Source:
        """Return the file with another footer, in which timestamps are LONGs: their seconds.

        Raises:
            UnsupportedError: The footer's compression is unsupported.
        """
        source, start = self._source, self._start
        if self._footer is None:
            raise UnsupportedError(
                f"timestamps of ORC files with the compression {_PACKED(self._kind).name} are "
                "unsupported",
                path=source.name,
            )
        with self._reading("its footer", start):
            footer = _with_longs(self._footer)
        if self._kind != _PACKED.none.value:
            bodies = (footer[at : at + self._block] for at in range(0, len(footer), self._block))
            chunks = (make_orc_chunk(len_body=len(body), body=body) for body in bodies)
            footer = b"".join(map(to_bytes, chunks))
        for field in self._postscript.fields:
            if field.number == _POSTSCRIPT.len_footer:
                field.varint = make_varint(value=len(footer))
        postscript = to_bytes(self._postscript)
        tail = footer + postscript + ORC_END_TYPE.pack(len_postscript=len(postscript))

        def fetch(pos: int, length: int) -> bytes:
            data = source.read(pos, min(length, start - pos)) if pos < start else b""
            at = max(pos - start, 0)
            return data + tail[at : at + length - len(data)]

        return Source(source.name, start + len(tail), fetch, None)

    def check_stripe(self, number: int) -> None:
        """Check that the footer of a stripe exists and can be decompressed."""
        if number >= len(self._stripes):
            return  # this kind of compression is not checked
        stripe = self._stripes[number]
        what = f"the footer of its stripe {number}"
        streams = stripe.get(_STRIPE.len_index, 0) + stripe.get(_STRIPE.len_data, 0)
        start = stripe.get(_STRIPE.ofs_stripe, 0) + streams
        size = stripe.get(_STRIPE.len_footer, 0)
        if start + size > self._source.size:
            raise self._wrong(
                f"{what} ends at byte {start + size:,}, past the end of the file", None
            )
        self._unpacked(what, start, size)

    def check_stripes(self) -> None:
        """Check the footers of all stripes, for a reader that reads the whole file."""
        for number in range(len(self._stripes)):
            self.check_stripe(number)

    def _unpacked(self, what: str, start: int, size: int) -> bytes | None:
        """Return the decompressed footer; None if its compression is LZO."""
        data = self._source.read(start, size)
        if self._kind == _PACKED.none.value:
            return data
        with self._reading(what, start):
            chunks = _parsed(OrcMetadata, data).chunks
            if self._kind == _PACKED.lzo.value:
                return None
            return b"".join(
                chunk.body if chunk.is_original else self._inflated(chunk.body) for chunk in chunks
            )

    def _inflated(self, body: bytes) -> bytes:
        import pyarrow as pa

        whole = True
        if self._kind == _PACKED.zlib.value:
            reader = zlib.decompressobj(-zlib.MAX_WBITS)
            data = reader.decompress(body, self._block + 1)
            whole = reader.eof
        elif self._kind == _PACKED.zstd.value:
            with pa.CompressedInputStream(pa.BufferReader(body), "zstd") as stream:
                data = stream.read(self._block + 1)
        else:
            data = _in_least(body, _CODECS[self._kind], self._block)
        if not whole or len(data) > self._block:
            raise ValueError(f"a block is cut, or has more than {self._block:,} bytes")
        return data

    def _wrong(self, message: str, offset: int | None) -> CorruptFileError:
        message = f"not a sound ORC file: {message}"
        return CorruptFileError(message, path=self._source.name, offset=offset, remedy=_REMEDY)

    @contextmanager
    def _reading(self, what: str, start: int) -> Iterator[None]:
        try:
            yield
        except CorruptFileError:
            raise
        except (*_UNREADABLE, zlib.error, OSError) as error:
            raise self._wrong(f"{what} cannot be read: {first_line(error)}", start) from error


def check_orc(source: Source) -> None:
    """Check all footers of a file, before another reader sees it.

    Raises:
        CorruptFileError: A footer is corrupt.
    """
    OrcFooters(source).check_stripes()


_CODECS = {_PACKED.snappy.value: "snappy", _PACKED.lz4.value: "lz4_raw"}


def _in_least(body: bytes, codec: str, most: int) -> bytes:
    """Decompress a block into the least bytes that the codec accepts: its size is not stored."""
    import pyarrow as pa

    def fits(size: int) -> bool:
        try:
            pa.decompress(body, size, codec=codec)
        except (OSError, pa.ArrowInvalid):
            return False
        return True

    size = bisect_left(range(most), True, key=fits)
    return bytes(pa.decompress(body, size, codec=codec, asbytes=True))


def _with_longs(footer: bytes) -> bytes:
    message = _parsed(Protobuf, footer)
    for field in message.fields:
        if field.number == _FOOTER.types.value:
            column = _parsed(Protobuf, field.body)
            for part in column.fields:
                kinds = _TYPES.timestamp.value, _TYPES.timestamp_instant.value
                if part.number == _TYPE.kind.value and part.varint.value in kinds:
                    part.varint = make_varint(value=_TYPES.long.value)
            field.body = to_bytes(column)
    return bytes(to_bytes(message))


def _parsed(kind: Any, data: bytes) -> Any:
    return kind(KaitaiStream(BytesIO(data)))


def _fields(data: bytes) -> Iterator[Any]:
    stream = KaitaiStream(BytesIO(data))
    while not stream.is_eof():
        field = Protobuf.ProtobufField(stream)
        if field.wire_type not in (0, 1, 2, 5):
            raise ValueError(f"a field of type {field.wire_type}")
        yield field


def _numbers(fields: Iterable[Any]) -> dict[int, int]:
    """Return the integers of a message, by field number."""
    return {f.number: f.varint.value for f in fields if f.wire_type == 0}


def _stripes(footer: bytes) -> Iterator[bytes]:
    """Yield the stripe messages, which precede those of the columns."""
    number = OrcMetadata.OrcFooterField.stripes.value
    for field in _fields(footer):
        if field.number > number:
            return
        if field.number == number and field.wire_type == 2:
            yield field.body
