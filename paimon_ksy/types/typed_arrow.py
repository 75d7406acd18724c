"""pyarrow, with the types that the stub beside this module declares: pyarrow itself has none."""

from typing import Any

import pyarrow


def __getattr__(name: str) -> Any:
    value = globals()[name] = getattr(pyarrow, name)
    return value
