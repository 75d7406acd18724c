"""Measures indexes and whole tables, against the Paimon library and other readers.

    python -m tools.bench index [--quick] [--rows N] [--rounds N] [--only TEXT] [--json FILE]
    python -m tools.bench tables [--quick] [--rows N] [--rounds N] [--only PART ...] [--json FILE]

`index` is index.py, and `make bench`. Without Java, only the Python figures are printed, and the
exit code is 1. --only measures the lines whose name contains the text: `--only "on V2"`.

`tables` is `make bench-tables`. A table of orders, written by pypaimon as Parquet in 1 file and in
20, with the few PENDING orders at random or next to each other, without deleted rows and with a
tenth of them deleted by vectors; its indexes built by us. All readers take turns in one process:
ours, pypaimon, pypaimon-rust (which uses the same indexes), pyarrow.dataset, Polars and DuckDB
(which read the table's files as they are, and so cannot leave out what vectors delete). Opening a
table, its schema or its list of files is not measured, planning is: in the first call of each
reader, for which we clear our caches, and in its second, when any reader may know the table's
files. Each reader's rows are compared with ours. A time is the median of the rounds; bytes are what
a first call has the system read, where the reader does not map files into memory.

Then the building of indexes: values a second on one core, the time of only reading the columns,
Spark on two cores and on one, and the memory of the driver; and deleting rows, beside pypaimon's
own delete and writing the files again. The exit code is 1 if a target is missed.
"""
