# Generated from specs/file_kind.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of file_kind are drawn.

Kind of a file in a Paimon table.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing

from ..writers.file_kind import FILE_END_TYPE, FILE_KIND_TYPE, FILE_START_TYPE

Drawing(
    FILE_KIND_TYPE,
    params={},
    rules={},
)
Drawing(
    FILE_START_TYPE,
    params={},
    rules={},
)
Drawing(
    FILE_END_TYPE,
    params={},
    rules={},
)
