"""How to install the project: one text for all messages; a test compares the pages."""

import sys

PACKAGE = "."
"""The argument of `pip install`: a checkout; `paimon-ksy` after the first release on PyPI."""

NEWEST_FOR_TABLES = (3, 13)
"""The newest Python that can install pypaimon, which needs pyarrow below 20."""

SITE = "https://github.com/paimon-ksy/paimon-ksy/blob/main/docs"
"""The folder of the pages that messages cite."""

_WHERE = " in a checkout of paimon-ksy" if PACKAGE == "." else ""


def how_to_install(extra: str | None = None) -> str:
    """Return a clause about how to install the project, with or without an extra.

    Returns:
        For example "run `pip install '.[table]'` in a checkout of paimon-ksy". If this Python is
        too new for the extra, the clause names the newest that is not.
    """
    target = PACKAGE if extra is None else f"'{PACKAGE}[{extra}]'"
    command = f"run `pip install {target}`{_WHERE}"
    if extra in ("table", "spark") and sys.version_info[:2] > NEWEST_FOR_TABLES:
        newest = ".".join(map(str, NEWEST_FOR_TABLES))
        return f"{command}, with Python {newest} or older: pypaimon does not support newer ones"
    return command
