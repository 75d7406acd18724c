# Generated from specs/bucket_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of bucket_index as arrays.

Dynamic bucket index of a Paimon table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Reader, fresh
from ..parsers.bucket_index import BucketIndex

BUCKET_INDEX_HASHES = np.dtype(">i4")


def parse_bucket_index(x: Any, r: Reader) -> None:
    """Reads a `bucket_index` into `x`, repeats as arrays. Raises FormatError."""
    x.hashes = r.numbers(BUCKET_INDEX_HASHES, r.end // 4)
    if not r.eof:
        x.trailing = r.rest()


def read_bucket_index(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `bucket_index` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BucketIndex, None, None)
    r = Reader(buffer, pos)
    parse_bucket_index(x, r)
    return x, r.pos
