"""The formats of data files: a module for each that reads selected rows.

Each has a function `(storage, file, wanted, positions, stats)`. It returns batches of the rows at
`positions` (ascending, from 0; None for all) in the order of the file. They have those of the
`wanted` columns that the file has, under its own names. `stats` receives what is read, as it is
read. `reader` turns what the library of a format raises over a broken file into a PaimonKsyError.
"""
