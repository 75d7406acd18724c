"""Patterns of RLIKE: the syntax of Java's regular expressions that RE2 can evaluate alike."""

from __future__ import annotations

import re

from paimon_ksy.errors import PredicateError

_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
_SAME_ESCAPES = "dDwW" + "tnrf" + r"\.[]{}()*+?^$|/-"
"""Escapes that mean the same in Java and RE2: classes of ASCII, control characters, punctuation."""
_OF_JAVA = {
    ".": f"[^{_ENDS}]",
    "$": rf"(?:\r\n|[{_ENDS}])?\z",
    "^": r"\A",
    r"\s": r"[\t\n\x0B\f\r ]",
    r"\S": r"[^\t\n\x0B\f\r ]",
}
_MEMBERS = rf"(?:\\[{re.escape('dDwWtnrf.[]^$|()*+?{}')}\\/-]|[^\[\]\\&])+"
_TOKEN = re.compile(
    rf"(?P<class>\[\^?{_MEMBERS}\])|(?P<union>\[(?!\^)(?:{_MEMBERS})?\[(?!\^)(?P<nested>{_MEMBERS})\]\])"
    r"|(?P<octal>\\0(?P<code>[0-3][0-7]{2}|[0-7]{1,2}))|(?P<nothing>\\[1-9])"
    rf"|(?P<escape>\\[{re.escape(_SAME_ESCAPES)}sS])"
    r"|(?P<open>\((?:\?:)?)|(?P<close>\))|(?P<or>\|)|(?P<anchor>[$^])"
    r"|(?P<repeat>(?:[*+?]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})\??)"
    r"|(?P<plain>[^\\\[\](){}*+?|^$])",
    re.DOTALL,
)
_NO_GROUP = re.compile(r"(?:[^\\(]|\\.|\(\?)*", re.DOTALL)
_REPEATABLE = ("class", "union", "octal", "escape", "close", "plain")


def re2_of_java(pattern: str) -> str:
    """Return a pattern of Java in RE2's syntax. In Java, lines end by more than a line feed.

    Raises:
        PredicateError: The pattern has a part that RE2 lacks, or that has no rule here.
    """
    ignores_case = pattern.startswith("(?i)")
    place, last, pieces = 4 if ignores_case else 0, "open", []
    while place < len(pattern):
        match = _TOKEN.match(pattern, place)
        name = "" if match is None else str(match.lastgroup)
        cased = ignores_case and match is not None and _is_cased(name, match[0])
        is_group = name == "nothing" and not _NO_GROUP.fullmatch(pattern)
        if match is None or (name == "repeat" and last not in _REPEATABLE) or cased or is_group:
            part = pattern[place : place + 10]
            raise PredicateError(f"{part!r} in a pattern of RLIKE is not supported")
        pieces.append(_piece(name, match, ignores_case))
        place, last = match.end(), name
    return "".join(pieces)


def _piece(name: str, match: re.Match[str], ignores_case: bool) -> str:
    if name == "nothing":  # a reference to a group that does not exist matches nothing
        return r"[^\x{0}-\x{10FFFF}]"
    if name == "octal":
        return rf"\x{{{int(match['code'], 8):x}}}"
    if name == "union":  # Java unites nested classes: [[:alpha:]] is one of :alph
        return match[0].replace(f"[{match['nested']}]", match["nested"])
    piece = _OF_JAVA.get(match[0], match[0])
    if ignores_case and name == "plain" and piece.isalpha():  # RE2's (?i) folds more letters
        piece = f"[{piece.lower()}{piece.upper()}]"
    return piece


def _is_cased(name: str, part: str) -> bool:
    """Return whether (?i) changes a class, or a character beyond ASCII."""
    return not part.isascii() or (
        name in ("class", "union", "octal") and any(map(str.isalpha, part))
    )
