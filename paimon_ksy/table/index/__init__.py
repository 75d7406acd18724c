"""Build the indexes of a table."""
