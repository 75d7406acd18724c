"""File indexes: their container, and one package for each index type."""
