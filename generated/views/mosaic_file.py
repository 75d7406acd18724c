# Generated from specs/mosaic_file.ksy by `ksykit generate`. Do not edit.
"""Views of mosaic_file: its types, read at once from bytes at hand.

Footer of a Mosaic data file.
"""

from __future__ import annotations

from enum import IntEnum

MosaicCompression = IntEnum("MosaicCompression", {"none": 0, "zstd": 1})
