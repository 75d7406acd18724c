"""Conversion of values to pypaimon's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.table.store.errors import pypaimon_module


def pypaimon_row(row: bytes, fields: Sequence[Any]) -> Any:
    """Return pypaimon's row of a partition or key, for commits, splits and the names of folders.

    Args:
        row: A row in the form that `write_row` returns.
        fields: pypaimon's fields of the columns.
    """
    deserializer = pypaimon_module("table.row.generic_row").GenericRowDeserializer
    return deserializer.from_bytes(row, list(fields))
