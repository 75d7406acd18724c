# Generated from all .ksy files by `ksykit generate`. Do not edit.
"""Readers by kaitai-struct-compiler."""
