"""The parts of a table as plain values: schemas, data files, casts between schemas."""
