# Generated from specs/*.ksy by `paimon-ksy generate`. Do not edit.
"""Readers, as kaitai-struct-compiler writes them."""
