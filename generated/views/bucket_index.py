# Generated from bucket_index.ksy by `ksykit generate`. Do not edit.
"""Views of bucket_index: Dynamic bucket index of a Paimon table."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, RecordLayout, cut

BUCKET_INDEX_HASHES = RecordLayout(Field("hashes", "bucket_index/seq/0", ">i"))


class BucketIndex:
    """The hash codes of all primary keys in one bucket, in any order."""

    __slots__ = ("end", "hashes", "trailing")

    def __init__(
        self, d: Buffer, start: int, p: int, arrays: bool = False, io_size: int | None = None
    ) -> None:
        if io_size is None:
            io_size = start + len(d)
        (p, self.hashes) = BUCKET_INDEX_HASHES.read(d, start, p, io_size // 4, arrays)
        self.trailing: Any = None
        if p < len(d):
            q = p + len(d) - p
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.trailing = d[p:q]
            p = q
        self.end = start + p
