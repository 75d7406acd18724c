# Generated from specs/full_text_index.ksy by `ksykit generate`. Do not edit.
"""The types of full_text_index: their objects are read, made, changed and written.

Header of a full-text index of a Paimon table.
"""

from __future__ import annotations

from typing import ClassVar

from ksykit.runtime.json_values import U4BE
from ksykit.runtime.rows import (
    Bytes,
    Maybe,
    Number,
    One,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class FullTextIndex(Struct, of="full_text_index"):
    """The first bytes of a global index of the type `full-text`, which is an archive of the
    files of one version of Tantivy."""

    magic: One[bytes] = Bytes(contents=b"PFTIDX01")
    version: One[int] = Number(U4BE)
    len_header: Maybe[int] = Number(
        U4BE,
        value=lambda s: s._length("header"),
        when=lambda s: s.version == 1,
        small=True,
        decides=True,
    )
    header: Maybe[bytes] = Bytes(
        encoding="utf-8", size="len_header", when=lambda s: s.version == 1, measured=True
    )
    _derived: ClassVar = {
        "len_header": Measure("length", "header"),
    }


make_full_text_index = FullTextIndex
