"""How to install the project. All messages take it from here, and a test compares the pages."""

PACKAGE = "."
"""What pip installs: a checkout. With the first release on PyPI it becomes `paimon-ksy`."""

_WHERE = " in a checkout of paimon-ksy" if PACKAGE == "." else ""


def how_to_install(extra: str | None = None) -> str:
    """Return how to install the project, with an extra or without, as a part of a sentence.

    Returns:
        Such as "run `pip install '.[table]'` in a checkout of paimon-ksy".
    """
    target = PACKAGE if extra is None else f"'{PACKAGE}[{extra}]'"
    return f"run `pip install {target}`{_WHERE}"
