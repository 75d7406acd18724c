# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""Array readers and writers, one module for each spec."""
