"""Check the footers of an ORC file before Arrow's native reader sees them, and change one.

Arrow's reader crashes the process if a footer compressed with zstd is corrupt. It reports corrupt
column data, except for some lengths of texts.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile

import pyarrow as pa
from ksykit.runtime.objects import to_bytes

from paimon_ksy.errors import (
    CorruptFileError,
    PaimonKsyError,
    UnsupportedError,
    counted,
    first_line,
)
from paimon_ksy.generated.structs.orc_metadata import OrcEnd, make_orc_chunk
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.generated.views import orc_metadata as orc
from paimon_ksy.generated.views.protobuf import ProtobufField
from paimon_ksy.io.source import Source

_END = 1 << 14
"""Bytes at the end of a file to read first; Arrow's reader then finds them in the buffer."""
_MAGIC = b"ORC"
_REMEDY = "restore the file from a backup"
_PACKED, _POSTSCRIPT, _STRIPE = orc.OrcCompression, orc.OrcPostscriptField, orc.OrcStripeField
_STRIPE_FOOTER = orc.OrcStripeFooterField


class OrcFooters:
    """The footers of a file, read from `source`; the file footer is checked immediately.

    Raises:
        CorruptFileError: The file footer is corrupt; `writer_zone` raises it for a stripe footer.
            The error names the first wrong byte.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        if not source.size:
            raise self._wrong("it is empty", 0)
        source.window(max(0, source.size - _END), min(source.size, _END))
        end = source.size - 1
        length = orc.OrcEnd(source.read(end, 1), end, 0).len_postscript
        if length > end:
            raise self._wrong(
                f"its postscript of {counted(length, 'byte')} is longer than the file", end
            )
        begin = end - length
        with self._reading("its postscript", begin):
            self._postscript = bytes(source.read(begin, length))
            fields = list(_fields(self._postscript))
            if not any(f.number == _POSTSCRIPT.magic and f.body == _MAGIC for f in fields):
                raise ValueError("it lacks the magic number")
            postscript = _numbers(fields)
        self._kind = postscript.get(_POSTSCRIPT.compression, 0)
        self._block = postscript.get(_POSTSCRIPT.len_block, 1 << 18)
        if self._block <= 0 or self._kind not in frozenset(_PACKED):
            message = (
                f"compression {self._kind} in blocks of {self._block} bytes is not one of ORC's"
            )
            raise self._wrong(message, begin)
        size = postscript.get(_POSTSCRIPT.len_footer, 0)
        if size > begin:
            raise self._wrong(
                f"its footer of {counted(size, 'byte')} is longer than the file", begin
            )
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
                "timestamps of ORC files with the compression "
                f"{_PACKED(self._kind).name} are unsupported",
                path=source.name,
            )
        with self._reading("its footer", start):
            footer = _with_longs(self._footer)
        if self._kind != _PACKED.none:
            bodies = (footer[at : at + self._block] for at in range(0, len(footer), self._block))
            chunks = (make_orc_chunk(len_body=len(body), body=body) for body in bodies)
            footer = b"".join(map(to_bytes, chunks))
        postscript = _changed(
            self._postscript,
            lambda f: _varint(len(footer)) if f.number == _POSTSCRIPT.len_footer else None,
        )
        tail = footer + postscript + OrcEnd.pack(len_postscript=len(postscript))

        def fetch(pos: int, length: int) -> bytes:
            data = source.read(pos, min(length, start - pos)) if pos < start else b""
            at = max(pos - start, 0)
            return data + tail[at : at + length - len(data)]

        return Source(source.name, start + len(tail), fetch, None)

    def writer_zone(self, number: int) -> str:
        """Check the footer of a stripe, and return the time zone of its writer; empty if unknown.

        Raises:
            CorruptFileError: The footer does not exist, or cannot be decompressed.
        """
        if number >= len(self._stripes):
            return ""  # this kind of compression is not checked
        stripe = self._stripes[number]
        what = f"the footer of its stripe {number}"
        streams = stripe.get(_STRIPE.len_index, 0) + stripe.get(_STRIPE.len_data, 0)
        start = stripe.get(_STRIPE.ofs_stripe, 0) + streams
        size = stripe.get(_STRIPE.len_stripe_footer, 0)
        if start + size > self._source.size:
            raise self._wrong(
                f"{what} ends at byte {start + size:,}, past the end of the file", None
            )
        footer = self._unpacked(what, start, size)
        with self._reading(what, start):
            fields = _fields(footer or b"")
            zones = [f.body for f in fields if f.number == _STRIPE_FOOTER.writer_zone]
            return bytes(zones[-1]).decode() if zones else ""

    def _unpacked(self, what: str, start: int, size: int) -> bytes | None:
        """Return the decompressed footer; None if its compression is LZO."""
        data = self._source.read(start, size)
        if self._kind == _PACKED.none:
            return data
        with self._reading(what, start):
            chunks = orc.OrcMetadata(data, start, 0).chunks
            if self._kind == _PACKED.lzo:
                return None
            return b"".join(
                chunk.body if chunk.is_original else self._inflated(chunk.body) for chunk in chunks
            )

    def _inflated(self, body: bytes) -> bytes:
        whole = True
        if self._kind == _PACKED.zlib:
            reader = zlib.decompressobj(-zlib.MAX_WBITS)
            data = reader.decompress(body, self._block + 1)
            whole = reader.eof
        elif self._kind == _PACKED.zstd:
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
        except PaimonKsyError:
            raise
        except (ValueError, EOFError, zlib.error, OSError) as error:
            raise self._wrong(f"{what} cannot be read: {first_line(error)}", start) from error


_CODECS: Mapping[int, str] = {
    _PACKED.snappy: "snappy",
    _PACKED.lz4: "lz4_raw",
}


def _in_least(body: bytes, codec: str, most: int) -> bytes:
    """Decompress a block into the least bytes that the codec accepts: its size is not stored."""

    def fits(size: int) -> bool:
        try:
            pa.decompress(body, size, codec=codec)
        except (OSError, pa.ArrowInvalid):
            return False
        return True

    size = bisect_left(range(most), True, key=fits)
    return bytes(pa.decompress(body, size, codec=codec, asbytes=True))


def _with_longs(footer: bytes) -> bytes:
    timestamps = orc.OrcKind.timestamp, orc.OrcKind.timestamp_instant

    def long(part: ProtobufField) -> bytes | None:
        is_timestamp = part.number == orc.OrcTypeField.kind and part.varint.value in timestamps
        return _varint(orc.OrcKind.long) if is_timestamp else None

    def with_long(field: ProtobufField) -> bytes | None:
        if field.number != orc.OrcFooterField.types:
            return None
        column = _changed(field.body, long)
        return _varint(len(column)) + column

    return _changed(footer, with_long)


def _changed(message: bytes, change: Callable[[ProtobufField], bytes | None]) -> bytes:
    """Return a message after changes; `change` returns other bytes of a value, or None."""
    parts, end = [], 0
    for field in _fields(message):
        value = change(field)
        parts.append(message[end : field.end if value is None else field.tag.end])
        parts.append(value or b"")
        end = field.end
    return b"".join(parts)


def _varint(value: int) -> bytes:
    return bytes(to_bytes(make_varint(value=value)))


def _fields(message: bytes) -> Iterator[ProtobufField]:
    end = 0
    while end < len(message):
        field = ProtobufField(message, 0, end)
        if field.wire_type not in (0, 1, 2, 5):
            raise ValueError(f"a field of type {field.wire_type}")
        yield field
        end = field.end


def _numbers(fields: Iterable[ProtobufField]) -> dict[int, int]:
    """Return the integers of a message, by field number."""
    return {f.number: f.varint.value for f in fields if f.wire_type == 0}


def _stripes(footer: bytes) -> Iterator[bytes]:
    """Yield the stripe messages, which precede those of the columns."""
    number = orc.OrcFooterField.stripes
    for field in takewhile(lambda field: field.number <= number, _fields(footer)):
        if field.number == number and field.wire_type == 2:
            yield field.body
