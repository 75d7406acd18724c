"""Columns of values in the forms in which indexes store them."""
