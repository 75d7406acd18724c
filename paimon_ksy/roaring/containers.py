"""Count the containers of Roaring bitmaps by kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyroaring import BitMap

KINDS = "array", "bitset", "run"


def containers(bitmaps: Iterable[BitMap]) -> Mapping[str, int]:
    """Count the containers of each kind; bitmaps that were read have those of their bytes."""
    counts = dict.fromkeys(KINDS, 0)
    for bitmap in bitmaps:
        statistics: Mapping[str, Any] = dict(bitmap.get_statistics())
        for kind in KINDS:
            counts[kind] += statistics[f"n_{kind}_containers"]
    return counts


def containers_text(counts: Mapping[str, int]) -> str:
    """Format the counts, such as `2 arrays, 1 bitset`."""
    listed = (f"{n:,} {kind}{'' if n == 1 else 's'}" for kind, n in counts.items() if n)
    return ", ".join(listed)
