# Generated from specs/file_index.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of file_index are drawn.

Apache Paimon file index.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.file_index import (
    FILE_INDEX_COLUMN_TYPE,
    FILE_INDEX_ENTRY_TYPE,
    FILE_INDEX_HEAD_TYPE,
    FILE_INDEX_TYPE,
)

Drawing(
    FILE_INDEX_TYPE,
    params={},
    rules={
        "magic": Rule(role="constant", computed=True),
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "len_head": Rule(least=lambda s: 20, role="length", computed=True),
        "head_start": Rule(role="length"),
    },
)
Drawing(
    FILE_INDEX_HEAD_TYPE,
    params={},
    rules={
        "num_columns": Rule(least=lambda s: 0, small=True, role="count", source="columns"),
        "len_redundant": Rule(
            least=lambda s: 0, small=True, role="length", source="redundant", to_end=True
        ),
        "redundant": Rule(to_end=True),
    },
)
Drawing(
    FILE_INDEX_COLUMN_TYPE,
    params={},
    rules={
        "num_indexes": Rule(least=lambda s: 0, small=True, role="count", source="indexes"),
    },
)
Drawing(
    FILE_INDEX_ENTRY_TYPE,
    params={},
    rules={
        "ofs_body": Rule(
            least=lambda s: -1, role="offset", computed=True, decides=True, places="body"
        ),
        "len_body": Rule(small=True, role="length", computed=True, decides=True),
        "body": Rule(needs_parent=True),
    },
)
