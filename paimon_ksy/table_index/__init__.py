"""Indexes of a table, not of a data file: deletion vectors and bucket indexes."""
