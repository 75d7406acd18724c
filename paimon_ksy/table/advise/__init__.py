"""Advice on which indexes are worth their bytes."""
