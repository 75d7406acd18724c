"""Predicates: trees from Python, SQL, Arrow and Polars, bound to schemas and evaluated."""
