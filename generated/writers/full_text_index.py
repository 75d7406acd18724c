# Generated from specs/full_text_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of full_text_index.

Header of a full-text index of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Type
from ksykit.runtime.json_values import U4BE

from ..parsers.full_text_index import FullTextIndex

FULL_TEXT_INDEX_TYPE = Type(
    FullTextIndex,
    "full_text_index",
    Bytes("magic", contents=b"PFTIDX01"),
    Number("version", U4BE),
    Number(
        "len_header",
        U4BE,
        value=lambda s: s._length("header"),
        when=lambda s: s.version == 1,
        small=True,
        decides=True,
    ),
    Bytes(
        "header", encoding="utf-8", size="len_header", when=lambda s: s.version == 1, measured=True
    ),
    computed={
        "len_header": Measure("length", "header"),
    },
)

make_full_text_index = FULL_TEXT_INDEX_TYPE.make
