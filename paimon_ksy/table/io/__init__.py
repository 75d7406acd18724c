"""The files of a table: storage, roots, servers, and a cache."""
