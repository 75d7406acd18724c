"""Predicates: the tree, SQL, Arrow expressions, binding to a schema, tests of rows and bounds."""
