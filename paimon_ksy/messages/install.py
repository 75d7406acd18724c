"""How to install the project: one text for all messages; a test compares the pages."""

PACKAGE = "."
"""The argument of `pip install`: a checkout; `paimon-ksy` after the first release on PyPI."""

_WHERE = " in a checkout of paimon-ksy" if PACKAGE == "." else ""


def how_to_install(extra: str | None = None) -> str:
    """Return a clause about how to install the project, with or without an extra.

    Returns:
        For example "run `pip install '.[table]'` in a checkout of paimon-ksy".
    """
    target = PACKAGE if extra is None else f"'{PACKAGE}[{extra}]'"
    return f"run `pip install {target}`{_WHERE}"
