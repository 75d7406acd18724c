"""The formats of data files, with one module for each that reads selected rows.

Each has a function `(storage, file, wanted, positions, stats)`. It returns batches of the rows at
`positions` (ascending, from 0; None for all) in the order of the file. The batches have the
`wanted` columns that the file contains, under the file's names. `stats` counts reads as they
happen. `reader` turns any error of a format's library over a broken file into a PaimonKsyError.
"""
