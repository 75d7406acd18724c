"""What reports on sorted indexes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import CorruptFileError, SchemaError, UnsupportedError
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.file_format import FileContent, Subject
from paimon_ksy.messages.answers import Value
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class KeysContent(FileContent):
    """The content of an index, which does not state the types of its keys."""

    def notes(self, schema: Schema | None) -> Iterator[str]:
        """Yield a hint how to see keys as values."""
        if schema is None:
            yield "to show keys as values, pass the indexed columns: --schema 'COLUMN TYPE'"


def check_types(
    subject: Subject, form: KeyForm | None, keys: Callable[[], Iterable[tuple[int, BytesColumn]]]
) -> None:
    """Raise SchemaError if some keys are not of the types in the schema.

    `keys` returns places in the file, and the keys stored there.
    """
    fields = () if subject.schema is None else subject.schema.fields
    remedy = "pass the indexed columns alone, with the types that they had: --schema 'COLUMN TYPE'"
    if form is None:
        types = ", ".join(str(field.type) for field in fields)
        message = f"such an index has no keys of the columns in the schema: {types}"
        raise SchemaError(message, path=subject.path, remedy=remedy)
    with suppress(CorruptFileError, UnsupportedError, FormatError):  # which other checks report
        for pos, stored in keys():
            try:
                form.keys(stored)
            except KeyTypeError as error:
                field = fields[error.number]
                message = f"its type in the schema is {field.type}, but its keys differ: {error}"
                facts: Any = {"column": field.name, "offset": pos, "remedy": remedy}
                raise SchemaError(message, path=subject.path, **facts) from None


def shown(stored: Sequence[bytes], form: KeyForm | None) -> list[Any]:
    """Return keys as values for people and JSON: hex digits if their type is unknown.

    A composite key is a list in JSON.
    """
    try:
        if form is not None:
            columns = [column.to_pylist() for column in form.decoded(BytesColumn.of(stored))[1]]
            rows = [[_plain(value) for value in row] for row in zip(*columns, strict=True)]
            return [_composite(row) if form.is_composite else row[0] for row in rows]
    except KeyTypeError:
        pass
    return [key.hex() for key in stored]


def _composite(row: list[Any]) -> Value:
    listed = ", ".join("NULL" if value is None else str(value) for value in row)
    return Value(row, f"({listed})")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value if isinstance(value, bool | int | None) else str(value)
