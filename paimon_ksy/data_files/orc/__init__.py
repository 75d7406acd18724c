"""Checks and conversions that Arrow's ORC reader lacks: footers, CHAR, timestamps."""
