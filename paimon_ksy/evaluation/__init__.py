"""Turn predicates into rows: selections, key ranges, TopN."""
