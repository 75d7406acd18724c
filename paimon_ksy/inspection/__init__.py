"""Inspect files: their fields, their content, and contradictions within them."""
