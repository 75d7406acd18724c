# Generated from mosaic_file.ksy by `ksykit generate`. Do not edit.
"""Views of mosaic_file: Footer of a Mosaic data file."""

from enum import IntEnum

MosaicCompression = IntEnum("MosaicCompression", {"none": 0, "zstd": 1})
