# Generated from specs/bucket_index.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of bucket_index.

Dynamic bucket index of a Paimon table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Numbers,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE

from ..parsers.bucket_index import BucketIndex

BUCKET_INDEX_TYPE = Type(
    BucketIndex,
    "bucket_index",
    Numbers("hashes", S4BE, count=lambda s: s._io.size // 4),
    Bytes("trailing", when=lambda s: not s._io.eof, to_end=True, max_size=3),
    deciding=None,
)


def make_bucket_index(
    *,
    hashes: Sequence[int] | Any | None = None,
    trailing: bytes | None = None,
) -> Any:
    """Return a new `bucket_index`; what is None is computed when it is written.

    The hash codes of all primary keys in one bucket, in any order. The table's
    index manifest names the bucket. The format has no magic number.

    A hash code is that of the key as a `binary_row`, without partition columns.
    """
    return BUCKET_INDEX_TYPE.new(locals())
