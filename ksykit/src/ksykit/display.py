"""Text for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escape everything in a text that is not a character, or that could move the cursor."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # surrogateescape: a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
