# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""Readers without objects, one module for each spec."""
