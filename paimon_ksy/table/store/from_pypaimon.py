"""Conversion of pypaimon's values to the model's, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.errors import pypaimon_module


def snapshot_of(snapshot: Any) -> Snapshot:
    """Return pypaimon's Snapshot as a plain value.

    Raises:
        ValueError: A field is wrong. The message names it.
    """
    return Snapshot.parse(str(pypaimon_module("common.json_util").JSON.to_json(snapshot)))


def pypaimon_row(row: bytes, fields: Sequence[Any]) -> Any:
    """Return pypaimon's row of a partition or key, for commits, splits and the names of folders.

    Args:
        row: A row in the form that `write_row` returns.
        fields: pypaimon's fields of the columns.
    """
    deserializer = pypaimon_module("table.row.generic_row").GenericRowDeserializer
    return deserializer.from_bytes(row, list(fields))
