# Generated from specs/bucket_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of bucket_index.

Dynamic bucket index of a Paimon table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..parsers.bucket_index import BucketIndex
from ..runtime import S4BE, Item, Scope, Type, new


def make_bucket_index(
    *,
    hashes: Sequence[int] | Any | None = None,
    trailing: bytes | None = None,
) -> Any:
    """A new `bucket_index`; what is None is computed when it is written.

    The hash codes of all primary keys in one bucket, in any order. The table's
    index manifest names the bucket. The format has no magic number.

    A hash code is that of the key's `binary_row` without partition columns.
    """
    return new(
        BucketIndex,
        {},
        {
            "hashes": hashes,
            "trailing": trailing,
        },
        {},
        {},
    )


def write_bucket_index(s: Scope) -> None:
    """Writes the fields of a `bucket_index`."""
    s.numbers("hashes", S4BE, lambda: s._io.size // 4)
    if s.given("trailing"):
        s.bytes("trailing")


TYPES = {
    "bucket_index": Type(
        name="bucket_index",
        spec="bucket_index",
        cls=BucketIndex,
        params=(),
        items=(
            Item("hashes", "numbers", number=S4BE),
            Item("trailing", "bytes"),
        ),
        write=write_bucket_index,
        values={},
        unset={},
    ),
}
