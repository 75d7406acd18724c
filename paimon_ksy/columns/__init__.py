"""Columns of values as indexes store them."""
