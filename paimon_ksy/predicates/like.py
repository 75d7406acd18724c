"""Patterns of LIKE: their parts, and the equivalent regular expression."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from paimon_ksy.errors import PredicateError
from paimon_ksy.types.literals import to_sql


def like_parts(pattern: str, escape: str) -> list[tuple[str, str]]:
    """Split a LIKE pattern into `("t", text)`, `("%", "")` and `("_", "")`.

    There are no two adjacent texts, and no two adjacent %.

    Raises:
        PredicateError: `escape` is not one character, or precedes another character than %, _ or
            itself.
    """
    if not isinstance(escape, str) or len(escape) != 1:
        raise PredicateError(f"LIKE needs one character after ESCAPE, not {escape!r}")
    tokens = re.finditer(_TOKENS.format(re.escape(escape)), pattern, re.DOTALL)
    listed = [_token(match, escape) for match in tokens]
    parts: list[tuple[str, str]] = []
    for kind, alike in groupby(listed, itemgetter(0)):
        texts = [text for _, text in alike]
        parts += [("_", "")] * len(texts) if kind == "_" else [(kind, "".join(texts))]
    return parts


_TOKENS = "{}(?P<escaped>.?)|(?P<all>%)|(?P<one>_)|(?P<plain>.)"


def _token(match: re.Match[str], escape: str) -> tuple[str, str]:
    if match["all"] or match["one"]:
        return match[0], ""
    text = match["plain"] or match["escaped"]
    if not match["plain"] and text not in ("%", "_", escape):
        raise PredicateError(
            f"LIKE pattern {to_sql(match.string)}: the escape character {escape!r} must come "
            f"before %, _ or itself; write it twice to mean itself"
        )
    return "t", text


@lru_cache(maxsize=64)
def like_regex(pattern: str, escape: str) -> re.Pattern[str]:
    # Between two %, the first match is enough: atomic groups prevent backtracking.
    """Return a regular expression that is equivalent to a LIKE pattern; use `fullmatch`.

    Raises:
        PredicateError: See `like_parts`.
    """
    pieces = [""]
    for kind, text in like_parts(pattern, escape):
        if kind == "%":
            pieces.append("")
        else:
            pieces[-1] += "." if kind == "_" else re.escape(text)
    first, *middle = pieces
    last = f".*{middle.pop()}" if middle else ""
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle) + last, re.DOTALL)
