# Generated from specs/*.ksy by `paimon-ksy generate`. Do not edit.
"""How objects of the specs are drawn, one module for each spec."""
