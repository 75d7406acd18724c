# Generated from vector_index.ksy by `ksykit generate`. Do not edit.
"""Views of vector_index: Header of a vector index of a Paimon table."""

from enum import IntEnum

Metric = IntEnum("Metric", {"l2": 0, "inner_product": 1, "cosine": 2})
