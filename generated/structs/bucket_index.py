# Generated from bucket_index.ksy by `ksykit generate`. Do not edit.
"""Objects of bucket_index: Dynamic bucket index of a Paimon table."""

from __future__ import annotations

from ksykit.runtime.json_values import S4BE
from ksykit.runtime.rows import Bytes, Many, Maybe, Number, Repeat
from ksykit.runtime.structs import Struct


class BucketIndex(Struct, of="bucket_index", sized=True):
    """The hash codes of all primary keys in one bucket, in any order.

    Attributes:
        hashes: A hash code for each primary key.
        trailing: One to three bytes that are not a hash code.
    """

    hashes: Many[int] = Repeat(Number(S4BE), count=lambda s: s._io.size // 4)
    trailing: Maybe[bytes] = Bytes(when=lambda s: not s._io.eof, to_end=True, max_size=3)


make_bucket_index = BucketIndex
