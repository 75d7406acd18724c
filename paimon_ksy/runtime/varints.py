"""Many integers of variable length (`varint.ksy`) at once, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arrays import Buffer
from .errors import FormatError
from .late import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

MOST_BYTES = 10
"""The most bytes of an integer, whose last byte then has one bit."""


def read_varints(data: Buffer, offset: int = 0) -> tuple[Numbers, int]:
    """Return the unsigned integers in bytes, and the number of bytes that they take.

    Bytes of an integer that goes on after `data` remain.

    Args:
        data: The bytes.
        offset: Where they start in the file.

    Raises:
        FormatError: An integer has more than 64 bits.
    """
    octets = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(octets < 128) + 1
    starts = np.concatenate([np.zeros(1, np.int64), ends])
    sizes, used = np.diff(starts), int(starts[-1])
    is_wrong = sizes > MOST_BYTES
    is_wrong |= (sizes == MOST_BYTES) & (octets[ends - 1] > 1)
    if is_wrong.any() or len(data) - used >= MOST_BYTES:
        at = int(starts[np.argmax(is_wrong)]) if is_wrong.any() else used
        raise FormatError("an integer has more than 64 bits", offset + at)
    values = np.zeros(len(ends), np.uint64)
    for i in range(int(sizes.max(initial=0))):
        longer = np.flatnonzero(sizes > i)
        groups = octets[starts[longer] + i].astype(np.uint64) & np.uint64(127)
        values[longer] |= groups << np.uint64(7 * i)
    return values, used


def from_zigzag(values: Numbers) -> NDArray[np.int64]:
    """Return integers whose sign is in the lowest bit as signed integers."""
    half = (values >> np.uint64(1)).astype(np.int64)
    signed: NDArray[np.int64] = half ^ -(values & np.uint64(1)).astype(np.int64)
    return signed


def to_zigzag(values: Any) -> Numbers:
    """Return signed integers as unsigned ones, with the sign in the lowest bit."""
    numbers = np.asarray(values, np.int64)
    unsigned: Numbers = ((numbers << 1) ^ (numbers >> 63)).astype(np.uint64)
    return unsigned
