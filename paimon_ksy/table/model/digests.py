"""Sets of millions of digests, for example of the names of all files of a table."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

Digests = npt.NDArray[np.bytes_]
"""Digests of 16 bytes each."""

_SIZE = 16
_TYPE = np.dtype(f"S{_SIZE}")
_PENDING = 1 << 16
"""The least number of digests that are sorted into a set at once."""


def digests(names: Iterable[str]) -> Digests:
    """Return the digests of names, in their order."""
    joined = bytearray()
    for name in names:
        joined += blake2b(name.encode(errors="surrogatepass"), digest_size=_SIZE).digest()
    return np.frombuffer(joined, _TYPE)


def of_bytes(data: bytes | bytearray) -> Digests:
    """Return the digests that are stored one after another in bytes."""
    return np.frombuffer(bytes(data), _TYPE)


class DigestSet:
    """A set of digests, of which some are not sorted yet."""

    def __init__(self, names: Digests | None = None) -> None:
        """Create a set of digests; without any, an empty one."""
        self._sorted: Any = np.empty(0, _TYPE)
        self._pending: list[Digests] = []
        self._num_pending = 0
        if names is not None:
            self.add(names)

    def add(self, names: Digests) -> None:
        """Add digests, each of which may be in the set already."""
        self._pending.append(names)
        self._num_pending += len(names)
        if self._num_pending > max(_PENDING, len(self._sorted)):
            self._sort()

    def contains(self, names: Digests) -> npt.NDArray[np.bool_]:
        """Return, for each digest, whether it is in the set."""
        self._sort()
        if not len(self._sorted):
            return np.zeros(len(names), bool)
        at = np.searchsorted(self._sorted, names)
        at[at == len(self._sorted)] = 0
        equal: npt.NDArray[np.bool_] = self._sorted[at] == names
        return equal

    def __contains__(self, digest: bytes) -> bool:
        return bool(self.contains(of_bytes(digest))[0])

    def __len__(self) -> int:
        self._sort()
        return len(self._sorted)

    def _sort(self) -> None:
        if self._pending:
            self._sorted = np.unique(np.concatenate([self._sorted, *self._pending]))
            self._pending, self._num_pending = [], 0
