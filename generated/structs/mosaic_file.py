# Generated from mosaic_file.ksy by `ksykit generate`. Do not edit.
"""Objects of mosaic_file: Footer of a Mosaic data file."""

from __future__ import annotations

from ksykit.runtime.json_values import U1, U4BE, U8BE
from ksykit.runtime.rows import Bytes, Nested, Number, Object, One
from ksykit.runtime.structs import Struct


class MosaicFile(Struct, of="mosaic_file"):
    """The last bytes of a data file in the format Mosaic.

    Attributes:
        footer: The places of the metadata.
    """

    footer: Nested[MosaicFooter] = Object(
        "mosaic_footer", looked=True, at=lambda s: s._io.size - 32, from_end=True,
    )  # fmt: skip


class MosaicFooter(Struct, of="mosaic_footer"):
    """A `mosaic_footer`.

    Attributes:
        ofs_index: Start of the index of the row groups.
        ofs_schema: Start of the schema.
        num_buckets: The number of groups of columns.
        num_row_groups: The number of row groups.
        compression: How the metadata and the columns are compressed.
        version: 1; later footers may differ.
        reserved: Zeros.
        magic: The number 1297044289.
    """

    ofs_index: One[int] = Number(U8BE)
    ofs_schema: One[int] = Number(U8BE)
    num_buckets: One[int] = Number(U4BE)
    num_row_groups: One[int] = Number(U4BE)
    compression: One[int] = Number(U1, enum="mosaic_file.MosaicCompression")
    version: One[int] = Number(U1)
    reserved: One[bytes] = Bytes(contents=b"\x00\x00")
    magic: One[bytes] = Bytes(contents=b"MOSA")


make_mosaic_file = MosaicFile
make_mosaic_footer = MosaicFooter
