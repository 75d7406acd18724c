"""Indexes that belong to a table and not to a data file: deletion vectors and bucket indexes."""
