"""Columns, writers and test data from Kaitai Struct descriptions of binary formats.

`ksykit generate` makes a package from `.ksy` files. What it writes imports `ksykit.runtime`.
`ksykit.open` reads a file without a package.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .opening import open as open

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name != "open":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .opening import open

    return open
