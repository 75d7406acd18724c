"""A table's rows for other tools: a pyarrow dataset, a Polars LazyFrame, streams of batches."""
