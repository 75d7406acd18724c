# Generated from specs/*.ksy by `ksykit generate`. Do not edit.
"""Readers and writers of the formats in specs/."""
