"""Dynamic bucket indexes: the hash codes of the primary keys in each bucket of a table.

A bucket whose index lacks the hash code of a key does not contain the key. One that has it may
contain another key with the same hash code instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from ksykit.runtime import objects
from numpy.typing import ArrayLike, NDArray

from paimon_ksy.errors import PaimonKsyError, counted
from paimon_ksy.generated.structs.bucket_index import make_bucket_index
from paimon_ksy.generated.views import bucket_index as views
from paimon_ksy.io.file_format import FileContent
from paimon_ksy.io.source import open_source
from paimon_ksy.io.whole_file import whole_file
from paimon_ksy.messages.answers import HIDDEN, in_answer
from paimon_ksy.messages.findings import ERROR, WARNING
from paimon_ksy.rows.binary_row import key_hashes

HARMLESS = "nothing needs repair: it does no harm"
"""The remedy for a warning of `problems`."""

__all__ = [
    "HARMLESS",
    "BucketIndex",
    "key_hashes",
    "lookup",
    "problems",
    "read_bucket_index",
    "write_bucket_index",
]


@dataclass(frozen=True, eq=False)
class BucketIndex(FileContent):
    """The hash codes of a bucket in the order of the file, and the bytes after them.

    `trailing` is empty in a sound file; Java ignores up to three trailing bytes.
    """

    hashes: NDArray[np.int32] = field(metadata=HIDDEN)
    trailing: bytes = field(default=b"", metadata=HIDDEN)

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def distinct(self) -> int:
        """The number of distinct hash codes; Java writes each one once."""
        return len(np.unique(self.hashes))

    @property
    @in_answer()
    def num_hash_codes(self) -> int:
        """The number of hash codes."""
        return len(self)

    @property
    @in_answer()
    def repeated(self) -> int:
        """The number of hash codes that others equal."""
        return len(self) - self.distinct

    @property
    @in_answer()
    def trailing_bytes(self) -> int:
        """The number of bytes after the last hash code."""
        return len(self.trailing)

    def contains(self, hashes: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each hash code is in the bucket."""
        return np.isin(np.asarray(hashes), self.hashes)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file."""
        made = make_bucket_index(hashes=self.hashes, trailing=self.trailing or None)
        return bytes(objects.to_bytes(made))


def read_bucket_index(source: Any) -> BucketIndex:
    """Read a bucket index from an argument of `open_source`. Any bytes are a valid one."""
    opened = open_source(source)
    try:
        view = views.BucketIndex(opened.read(0, opened.size), 0, 0, arrays=True)
    finally:
        if opened is not source:
            opened.close()
    return BucketIndex(view.hashes.astype(np.int32), view.trailing or b"")


def problems(index: BucketIndex, count: int | None = None) -> Iterator[tuple[str, int | None, str]]:
    """Yield the problems in an index: the severity, the byte if it is known, and a message.

    `count` is the number of hash codes according to the index manifest, if it is known.
    """
    if index.trailing:
        message = f"{counted(len(index.trailing), 'byte')} left over after the last hash code"
        yield ERROR, index.hashes.nbytes, message
    if count is not None and len(index) != count:
        message = (
            f"it has {counted(len(index), 'hash code')}, but {count} according to the manifest"
        )
        yield ERROR, None, message
    if index.distinct != len(index):
        message = f"it contains {counted(len(index) - index.distinct, 'hash code')} twice"
        yield WARNING, None, message


def write_bucket_index(path: str | os.PathLike[str], hashes: ArrayLike) -> BucketIndex:
    """Write a file of hash codes, which appears under its name only when it is complete.

    Raises:
        PaimonKsyError: The file cannot be written, or a hash code is not a 32-bit integer.
    """
    given = np.asarray(hashes)
    if given.size and given.dtype.kind not in "iu":
        raise PaimonKsyError(f"hash codes are 32-bit integers, not {given.dtype}")
    limits = np.iinfo(np.int32)
    if given.size and not limits.min <= int(given.min()) <= int(given.max()) <= limits.max:
        raise PaimonKsyError("hash codes are signed 32-bit integers, but one is out of range")
    index = BucketIndex(given.astype(np.int32).reshape(-1))
    with whole_file(Path(path)) as file:
        file.write(index.to_bytes())
    return index


def lookup(indexes: Sequence[BucketIndex], hashes: ArrayLike) -> list[tuple[int, ...]]:
    """Return, for each hash code, the positions of the indexes that contain it: at most one."""
    each = [index.contains(hashes) for index in indexes]
    if not each:
        return [() for _ in np.asarray(hashes)]
    matrix = np.stack(each, axis=1)
    return [tuple(np.flatnonzero(row).tolist()) for row in matrix]
