"""What a table is made of, as plain values: schemas, data files, casts between schemas."""
