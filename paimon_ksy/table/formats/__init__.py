"""The formats of data files: a module for each that reads selected rows.

Each has a function `(storage, file, wanted, positions, effort, opened)`: it gives, in the order of
the file, batches of the rows at `positions` (ascending, from 0; None for all), in those of the
`wanted` columns that the file has, under its own names. `effort` is told what was read, as it is
read. What the format's library raises of a broken file, `table/rows.py` makes an error of ours.
"""
