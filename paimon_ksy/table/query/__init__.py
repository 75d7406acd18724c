"""Query a table: plan, splits, tasks, rows."""
