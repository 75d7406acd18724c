# Generated from specs/typed_value.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of typed_value as arrays.

A column's value as an index stores it.
"""

from __future__ import annotations
