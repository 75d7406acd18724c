"""Check a table: metadata, data files, indexes, vectors, orphans."""
