# Generated from specs/*.ksy by `paimon-ksy generate`. Do not edit.
"""Readers by kaitai-struct-compiler."""
