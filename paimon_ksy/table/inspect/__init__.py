"""What a table is made of, for people."""
