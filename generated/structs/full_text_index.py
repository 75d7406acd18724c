# Generated from full_text_index.ksy by `ksykit generate`. Do not edit.
"""Objects of full_text_index: Header of a full-text index of a Paimon table."""

from __future__ import annotations

from typing import ClassVar

from ksykit.runtime.json_values import U4BE
from ksykit.runtime.rows import Bytes, Maybe, Number, One
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class FullTextIndex(Struct, of="full_text_index"):
    """The first bytes of a global index of the type `full-text`, which is an archive of the
    files of one version of Tantivy.

    Attributes:
        magic: Also the version of the archive.
        version: 1; the header of other versions is unknown.
        len_header: Length of the header in bytes.
        header: JSON. `metadata` has the settings, the number of documents and the version of
            Tantivy. `files` has the name and place of each file, from the end of the header on.
    """

    magic: One[bytes] = Bytes(contents=b"PFTIDX01")
    version: One[int] = Number(U4BE)
    len_header: Maybe[int] = Number(
        U4BE, value=lambda s: s._length("header"), when=lambda s: s.version == 1, small=True,
        decides=True,
    )  # fmt: skip
    header: Maybe[bytes] = Bytes(
        encoding="utf-8", size="len_header", when=lambda s: s.version == 1, measured=True,
    )  # fmt: skip
    _derived: ClassVar = {"len_header": Measure("length", "header")}


make_full_text_index = FullTextIndex
