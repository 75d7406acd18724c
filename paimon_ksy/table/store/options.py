"""What the options of a table mean: which are honoured, have no effect, or are refused.

`options.txt` lists those of Paimon's Java library (up to August 2026), pypaimon 2.1 and the Rust
crate. A name may contain `*`, and may be followed by `=` and the values that change nothing.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import Literal

from paimon_ksy.errors import OptionError, UnsupportedError

Use = Literal["open", "query", "latest", "commit", "delete"]
"""What is done with a table; `latest` is a query that names neither a snapshot nor a tag."""


@dataclass(frozen=True)
class KnownOption:
    """An option, or all options whose names match a pattern.

    Attributes:
        name: The name, or a pattern with `*`.
        effect: `honoured`, `no effect`, or the uses for which it is refused.
        reason: Why. If it is refused, a remedy follows after a colon.
        values: The values that are not refused.
    """

    name: str
    effect: str
    reason: str
    values: tuple[str, ...]


@cache
def known_options() -> Mapping[str, KnownOption]:
    """Return the options in `options.txt` by name, in its order."""
    text = (pkgutil.get_data(__name__, "options.txt") or b"").decode()
    options = {}
    for section in text.removeprefix("[").split("\n["):
        head, _, names = section.partition("\n")
        effect, _, reason = head.partition("] ")
        for each in names.split():
            name, _, values = each.partition("=")
            options[name] = KnownOption(name, effect, reason, tuple(values.split(",")))
    return options


@lru_cache(maxsize=1024)
def known_option(name: str) -> KnownOption | None:
    """Return what is known of an option; None if no version of Paimon has it."""
    options = known_options()
    if name in options:
        return options[name]
    patterns = (pattern for pattern in options if name.startswith(pattern.partition("*")[0]))
    return next((options[each] for each in patterns if fnmatchcase(name, each)), None)


def check_options(options: Mapping[str, str], use: Use, path: str) -> None:
    """Raise UnsupportedError if an option of the table at a path is refused for a use."""
    for name, value in options.items():
        option = known_option(name)
        if option is None or use not in option.effect.split():
            continue
        if (text := value.strip().lower()) and text not in option.values:
            reason, _, remedy = option.reason.partition(": ")
            message = f"has option {name} = {value}, so {reason}"
            raise UnsupportedError(message, path=path, remedy=remedy)


def is_on(options: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    """Return whether a boolean option is true.

    Raises:
        OptionError: It is not a boolean.
    """
    text = options.get(name, str(default)).strip().casefold()
    if text not in ("true", "false"):
        raise OptionError(f"option {name!r}: {text!r} is not a BOOLEAN: set true or false")
    return text == "true"


def column_names(options: Mapping[str, str], *names: str) -> set[str]:
    """Return the columns that options list."""
    listed = (name.strip() for option in names for name in options.get(option, "").split(","))
    return set(filter(None, listed))


def check_references(options: Mapping[str, str], columns: Iterable[str]) -> None:
    """Raise UnsupportedError if columns contain references to files, which readers resolve."""
    references = column_names(options, *INLINE_BLOBS, "video-frame-field")
    if refused := sorted(references & set(columns)):
        raise UnsupportedError(
            f"column {refused[0]!r} contains references to files outside the table, which "
            "is unsupported: leave the column out, or read it with pypaimon"
        )


INLINE_BLOBS = "blob-descriptor-field", "blob.stored-descriptor-fields", "blob-view-field"
"""The options that list columns of references to BLOBs."""
