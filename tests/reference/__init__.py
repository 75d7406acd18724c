# Generated from specs/*.ksy by `ksykit generate`. Do not edit.
"""Readers by kaitai-struct-compiler."""
