# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""Readers and writers of the formats in specs/."""
