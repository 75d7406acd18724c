# Generated from protobuf.ksy by `ksykit generate`. Do not edit.
"""Views of protobuf: Protocol Buffers message."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, cut

from .varint import Varint

_PROTOBUF_FIELD_FIXED_64 = Numbers(
    "<Q", Field("fixed_64", "protobuf/types/protobuf_field/seq/2", "<Q")
)
_PROTOBUF_FIELD_FIXED_32 = Numbers(
    "<I", Field("fixed_32", "protobuf/types/protobuf_field/seq/5", "<I")
)


class ProtobufField:
    """A `protobuf_field`."""

    __slots__ = ("body", "end", "fixed_32", "fixed_64", "len_body", "tag", "varint")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.tag = Varint(d, start, p)
        p = self.tag.end - start
        self.varint: Any = None
        if self.wire_type == 0:
            self.varint = Varint(d, start, p)
            p = self.varint.end - start
        self.fixed_64: Any = None
        if self.wire_type == 1:
            if not 0 <= p <= len(d) - 8:
                raise _PROTOBUF_FIELD_FIXED_64.broken(d, start, p, self)
            (self.fixed_64,) = _PROTOBUF_FIELD_FIXED_64.unpack_from(d, p)
            p += 8
        self.len_body: Any = None
        if self.wire_type == 2:
            self.len_body = Varint(d, start, p)
            p = self.len_body.end - start
        self.body: Any = None
        if self.wire_type == 2:
            q = p + self.len_body.value
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.body = d[p:q]
            p = q
        self.fixed_32: Any = None
        if self.wire_type == 5:
            if not 0 <= p <= len(d) - 4:
                raise _PROTOBUF_FIELD_FIXED_32.broken(d, start, p, self)
            (self.fixed_32,) = _PROTOBUF_FIELD_FIXED_32.unpack_from(d, p)
            p += 4
        self.end = start + p

    @property
    def number(self) -> Any:
        """The number of the field in the message."""
        return self.tag.value // 8

    @property
    def wire_type(self) -> Any:
        """Other types are not in use."""
        return self.tag.groups[0].group & 7
