# Generated from specs/vector_index.ksy by `ksykit generate`. Do not edit.
"""Views of vector_index: its types, read at once from bytes at hand.

Header of a vector index of a Paimon table.
"""

from __future__ import annotations

from enum import IntEnum

Metric = IntEnum("Metric", {"l2": 0, "inner_product": 1, "cosine": 2})
