"""How to install the project. All messages take it from here, and a test compares the pages."""

import sys

PACKAGE = "."
"""What pip installs: a checkout. With the first release on PyPI it becomes `paimon-ksy`."""

NEWEST_FOR_TABLES = (3, 13)
"""The newest Python that can install pypaimon, which needs pyarrow below 20."""

_WHERE = " in a checkout of paimon-ksy" if PACKAGE == "." else ""


def how_to_install(extra: str | None = None) -> str:
    """Return how to install the project, with an extra or without, as a part of a sentence.

    Returns:
        Such as "run `pip install '.[table]'` in a checkout of paimon-ksy". If this Python is too
        new for the extra, the sentence names one that is not.
    """
    target = PACKAGE if extra is None else f"'{PACKAGE}[{extra}]'"
    command = f"run `pip install {target}`{_WHERE}"
    if extra in ("table", "spark") and sys.version_info[:2] > NEWEST_FOR_TABLES:
        newest = ".".join(map(str, NEWEST_FOR_TABLES))
        return f"{command}, with Python {newest} or older: pypaimon does not support newer ones"
    return command
