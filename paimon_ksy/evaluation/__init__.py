"""From a predicate to rows: selections, ranges of keys, top N."""
