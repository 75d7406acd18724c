# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""Readers, as kaitai-struct-compiler writes them."""
