# Generated from specs/mosaic_file.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of mosaic_file.

Footer of a Mosaic data file.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Number, Object, Type
from ksykit.runtime.json_values import U1, U4BE, U8BE

from ..parsers.mosaic_file import MosaicFile

MOSAIC_FILE_TYPE = Type(
    MosaicFile,
    "mosaic_file",
    Object("footer", "mosaic_footer", looked=True, at=lambda s: s._io.size - 32, from_end=True),
)

make_mosaic_file = MOSAIC_FILE_TYPE.make


MOSAIC_FOOTER_TYPE = Type(
    MosaicFile.MosaicFooter,
    "mosaic_footer",
    Number("ofs_index", U8BE),
    Number("ofs_schema", U8BE),
    Number("num_buckets", U4BE),
    Number("num_row_groups", U4BE),
    Number("compression", U1),
    Number("version", U1),
    Bytes("reserved", contents=b"\x00\x00"),
    Bytes("magic", contents=b"MOSA"),
)

make_mosaic_footer = MOSAIC_FOOTER_TYPE.make
