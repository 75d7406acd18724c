# Generated from specs/bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of bitmap_index as arrays.

Bitmap index of a Paimon file index.
"""

from __future__ import annotations
