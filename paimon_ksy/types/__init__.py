"""Column types, schemas, and the literals that belong to them."""
