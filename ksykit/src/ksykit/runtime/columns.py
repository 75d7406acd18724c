"""Fields of many objects at once, at places that are arrays: what generated columns consist of.

No step runs Python code for each object.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from .arrays import BytesColumn, Int64Array
from .errors import EndError, FormatError
from .late import np
from .records import RecordLayout

Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"


class Spans(NamedTuple):
    """Byte strings, one of each object: where they start and end."""

    start: Int64Array
    end: Int64Array

    def of(self, d: Bytes) -> BytesColumn:
        """Return the strings."""
        lengths = self.end - self.start
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if len(lengths) and lengths[0] and (lengths == lengths[0]).all():
            return BytesColumn(_taken(d, self.start, int(lengths[0])).tobytes(), offsets)
        places = np.repeat(self.start - offsets[:-1], lengths)
        places += np.arange(len(places))
        return BytesColumn(d[places].tobytes(), offsets)


def spans(d: Bytes, start: int, p: Int64Array, size: Any) -> Spans:
    """Return byte strings of these sizes. Raises FormatError."""
    end = p + size
    check(d, start, p, end)
    return Spans(p, end)


def numbers(d: Bytes, start: int, p: Int64Array, layout: RecordLayout) -> tuple[Any, Int64Array]:
    """Return the only number of a record at each place, and where it ends. Raises FormatError."""
    [field] = layout.fields
    check(d, start, p, p + field.size)
    stored = _taken(d, p, field.size).view(field.dtype)
    value = stored.astype(field.dtype.newbyteorder("=") if field.is_float else np.int64)
    if field.is_checked and (wrong := field.first_wrong(value)) is not None:
        error = field.error(value[wrong].item(), start + int(p[wrong]))
        assert error is not None
        raise error
    return value, p + field.size


def _taken(d: Bytes, p: Int64Array, size: int) -> Any:
    """Return `size` bytes at each place, as items of that size."""
    kind = np.dtype((np.void, size))
    if not len(p):
        return np.empty(0, kind)
    return np.ndarray(len(d) - size + 1, kind, d, strides=1)[p]


def check(d: Bytes, start: int, p: Int64Array, end: Int64Array) -> None:
    """Check that bytes are in `d`. Raises FormatError."""
    if len(p) and (int(p.min()) < 0 or int(end.max()) > len(d) or (end < p).any()):
        wrong = int(np.argmax((p < 0) | (end > len(d)) | (end < p)))
        at, until = int(p[wrong]), int(end[wrong])
        if at < 0 or until < at:
            raise FormatError(f"a length of {until - at} bytes", start + at)
        raise EndError(start + at, until - at, max(len(d) - at, 0))


def interleaved(*columns: BytesColumn) -> BytesColumn:
    """Return the byte strings of several columns, joined object by object."""
    lengths = np.stack([column.lengths for column in columns], axis=1).ravel()
    ends = np.cumsum(lengths)
    out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    for i, column in enumerate(columns):
        places = np.repeat(ends[i :: len(columns)] - column.offsets[1:], column.lengths)
        start, stop = int(column.offsets[0]), int(column.offsets[-1])
        places += np.arange(start, stop)
        out[places] = np.frombuffer(column.data, np.uint8)[start:stop]
    offsets = np.zeros(len(lengths) // len(columns) + 1, np.int64)
    offsets[1:] = ends[len(columns) - 1 :: len(columns)]
    return BytesColumn(out.tobytes(), offsets)
