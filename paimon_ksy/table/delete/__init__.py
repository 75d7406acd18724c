"""Delete rows of a table with deletion vectors."""
