# Generated from specs/deletion_vectors.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of deletion_vectors are drawn.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.deletion_vectors import (
    DELETION_VECTOR_DATA_TYPE,
    DELETION_VECTOR_TYPE,
    DELETION_VECTORS_TYPE,
)

Drawing(
    DELETION_VECTORS_TYPE,
    params={},
    rules={
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
    },
)
Drawing(
    DELETION_VECTOR_TYPE,
    params={},
    rules={
        "len_data": Rule(least=lambda s: 12, role="length", source="data"),
        "crc32": Rule(role="checksum", computed=True),
    },
)
Drawing(
    DELETION_VECTOR_DATA_TYPE,
    params={},
    rules={
        "kind": Rule(
            any_of=lambda s: (
                1581511376,
                3520280932,
            ),
            computed=True,
            decides=True,
        ),
    },
)
