# Generated from specs/bucket_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of bucket_index.

Dynamic bucket index of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Number, Repeat, Type
from ksykit.runtime.json_values import S4BE

from ..parsers.bucket_index import BucketIndex

BUCKET_INDEX_TYPE = Type(
    BucketIndex,
    "bucket_index",
    Repeat(Number("hashes", S4BE), count=lambda s: s._io.size // 4),
    Bytes("trailing", when=lambda s: not s._io.eof, to_end=True, max_size=3),
)

make_bucket_index = BUCKET_INDEX_TYPE.make
