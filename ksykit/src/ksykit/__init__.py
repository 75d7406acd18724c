"""Columns, writers and test data from Kaitai Struct descriptions of binary formats.

`ksykit generate` makes a package from `.ksy` files. What it writes imports `ksykit.runtime`.
"""

__version__ = "0.1.0"
