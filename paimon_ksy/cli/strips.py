"""Strips of blocks on a terminal: where rows lie, with a scale beside them."""

from __future__ import annotations

from paimon_ksy.cli.output import Span, can_print, number, terminal_width
from paimon_ksy.roaring.strip import Strip

BLOCKS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
LEAST = 8
"""Columns without which there is no strip."""


def strip_width(before: int) -> int:
    """Return how many columns a strip can have; 0 if there is none, as in a pipe.

    Args:
        before: The columns before it.
    """
    columns = terminal_width()
    if columns is None or columns - before < LEAST or not can_print(BLOCKS + NOTHING):
        return 0
    return columns - before


def strip_span(strip: Strip) -> Span:
    """Return a strip: the height of a block is the share of its rows, and only all are full."""
    blocks = [
        NOTHING if not count else BLOCKS[-1] if count == size else BLOCKS[7 * count // size]
        for count, size in zip(strip.counts, strip.sizes, strict=True)
    ]
    return "".join(blocks), "cyan"


def scale(strip: Strip) -> str:
    """Return what a block of a strip stands for."""
    sizes = sorted(set(strip.sizes))
    rows = f"rows 0 to {number(strip.num_rows - 1)}"
    if sizes == [1]:
        return f"{rows}, each block one row"
    each = " or ".join(map(number, sizes))
    return f"{rows}, each block {each}: {BLOCKS[0]} one or more, {BLOCKS[-1]} all"
