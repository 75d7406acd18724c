"""Compare what a command prints with what a page says that it prints."""

import re


def pattern(expected: str) -> str:
    """A regular expression for an output in which `...` stands for anything."""
    lines = (
        r"(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in tidy(expected).splitlines()
    )
    return "".join(lines)


def tidy(text: str) -> str:
    """Without blanks at the ends of lines, and with one line end at the end."""
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"
