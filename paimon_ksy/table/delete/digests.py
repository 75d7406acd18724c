"""A set of digests that takes little more memory than their bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BYTES = 16
_LEAST_MERGED = 1 << 12


class DigestSet:
    """Digests of 16 bytes. The last ones are in a set, and all others in a sorted array."""

    def __init__(self) -> None:
        self._new: set[bytes] = set()
        self._sorted: NDArray[np.bytes_] = np.empty(0, f"S{_BYTES}")

    def add(self, digest: bytes) -> None:
        """Add a digest."""
        self._new.add(digest)
        if len(self._new) > max(_LEAST_MERGED, len(self._sorted) // 16):
            # A trailing byte 0 is lost and compares as if it was there.
            added = np.frombuffer(b"".join(self._new), f"S{_BYTES}")
            self._sorted = np.union1d(self._sorted, added)
            self._new = set()

    def __len__(self) -> int:
        return len(self._new) + len(self._sorted)

    def __contains__(self, digest: bytes) -> bool:
        if digest in self._new:
            return True
        at = int(np.searchsorted(self._sorted, np.bytes_(digest)))
        return at < len(self._sorted) and self._sorted[at] == digest.rstrip(b"\0")
