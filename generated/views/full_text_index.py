# Generated from full_text_index.ksy by `ksykit generate`. Do not edit.
"""Views of full_text_index: Header of a full-text index of a Paimon table."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, cut, wrong

_FULL_TEXT_INDEX_VERSION = Numbers(">I", Field("version", "full_text_index/seq/1", ">I"))
_FULL_TEXT_INDEX_LEN_HEADER = Numbers(">I", Field("len_header", "full_text_index/seq/2", ">I"))


class FullTextIndex:
    """The first bytes of a global index of the type `full-text`, which is an archive of the
    files of one version of Tantivy."""

    __slots__ = ("end", "header", "len_header", "magic", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        q = p + 8
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"PFTIDX01":
            raise wrong(
                "the field magic is not b'PFTIDX01'", start + p, "full_text_index/seq/0", self.magic
            )
        p = q
        if not 0 <= p <= len(d) - 4:
            raise _FULL_TEXT_INDEX_VERSION.broken(d, start, p, self)
        (self.version,) = _FULL_TEXT_INDEX_VERSION.unpack_from(d, p)
        p += 4
        self.len_header: Any = None
        if self.version == 1:
            if not 0 <= p <= len(d) - 4:
                raise _FULL_TEXT_INDEX_LEN_HEADER.broken(d, start, p, self)
            (self.len_header,) = _FULL_TEXT_INDEX_LEN_HEADER.unpack_from(d, p)
            p += 4
        self.header: Any = None
        if self.version == 1:
            q = p + self.len_header
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.header = d[p:q]
            p = q
        self.end = start + p
