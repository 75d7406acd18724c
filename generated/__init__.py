# Generated from specs/*.ksy by `paimon-ksy generate`. Do not edit.
"""Readers and writers of the formats in specs/."""
