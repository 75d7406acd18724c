"""The index of a data file: its container, and one package for each index type."""
