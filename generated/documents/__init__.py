# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""Between bytes and JSON, one module for each spec."""
