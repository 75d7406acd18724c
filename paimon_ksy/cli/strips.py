"""Draw strips of blocks on a terminal, which show where rows lie, and their scale."""

from __future__ import annotations

from paimon_ksy.cli.output import Span, can_print, number, terminal_width
from paimon_ksy.pages.strip import Strip

BLOCKS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
LEAST = 8
"""The minimum width of a strip, in columns."""


def strip_width(before: int) -> int:
    """Return the width of a strip in columns; 0 means no strip, for example in a pipe.

    Args:
        before: The number of columns before the strip.
    """
    columns = terminal_width()
    if columns is None or columns - before < LEAST or not can_print(BLOCKS + NOTHING):
        return 0
    return columns - before


def strip_span(strip: Strip) -> Span:
    """Draw a strip: the height of a block is the share of its rows; only 100 % is full."""
    blocks = [
        NOTHING if not count else BLOCKS[-1] if count == size else BLOCKS[7 * count // size]
        for count, size in zip(strip.counts, strip.sizes, strict=True)
    ]
    return "".join(blocks), "cyan"


def scale(strip: Strip) -> str:
    """Return a legend that explains a block of the strip."""
    sizes = sorted(set(strip.sizes))
    rows = f"rows 0 to {number(strip.num_rows - 1)}"
    if sizes == [1]:
        return f"{rows}, each block one row"
    each = " or ".join(map(number, sizes))
    return f"{rows}, each block {each}: {BLOCKS[0]} one or more, {BLOCKS[-1]} all"
