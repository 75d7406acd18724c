# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""How objects of the specs are drawn, one module for each spec."""
