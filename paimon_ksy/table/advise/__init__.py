"""Recommend the indexes that are worth their bytes."""
