"""Data files: Parquet, ORC and Avro."""
