# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""Readers in a hurry, without objects, one module for each spec."""
