"""Queries of a table: plan, splits, tasks, rows."""
