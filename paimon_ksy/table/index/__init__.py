"""Building the indexes of a table."""
