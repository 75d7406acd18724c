# Generated from specs/*.ksy by `paimon-ksy generate`. Do not edit.
"""Readers without objects, one module for each spec."""
