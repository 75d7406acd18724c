"""Global indexes: what their types share, and one package for each type."""
