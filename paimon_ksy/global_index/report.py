"""What reports on sorted indexes share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.file_format import FileContent
from paimon_ksy.runtime.arrays import BytesColumn
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class KeysContent(FileContent):
    """The content of an index, which does not state the types of its keys."""

    def notes(self, schema: Schema | None) -> Iterator[str]:
        """Yield a hint how to see keys as values."""
        if schema is None:
            yield "to show keys as values, pass the indexed columns: --schema 'COLUMN TYPE'"


def shown(stored: Sequence[bytes], form: KeyForm | None) -> list[Any]:
    """Return keys as values for people and JSON: hex digits if their type is unknown.

    A composite key is a list.
    """
    try:
        if form is not None:
            columns = [one.to_pylist() for one in form.decoded(BytesColumn.of(stored))[1]]
            rows = [[_plain(value) for value in row] for row in zip(*columns, strict=True)]
            return list(rows) if form.is_composite else [value for [value] in rows]
    except KeyTypeError:
        pass
    return [one.hex() for one in stored]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value if isinstance(value, bool | int | None) else str(value)
