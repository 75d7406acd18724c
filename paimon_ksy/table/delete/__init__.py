"""Deleting rows of a table by deletion vectors."""
