"""Reports on the content of a table, for people."""
