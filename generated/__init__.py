# Generated from all .ksy files by `ksykit generate`. Do not edit.
"""Readers and writers of the formats that the .ksy files describe."""
