"""Schemas: the names and types of a table's columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import (
    MissingColumnError,
    SchemaError,
    UnsupportedError,
    none_of,
    with_article,
)
from paimon_ksy.messages.arguments import checked
from paimon_ksy.types.arrow import from_arrow, to_arrow
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.parse import fields_from_json, parse_fields

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Field", "Schema", "checked_schema"]


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    A key of a MAP column is also a column, named `m[key]`, because Paimon indexes single keys. It
    is null in rows without the key.
    """

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for field in self.fields:
            if field.name in seen:
                raise SchemaError(f"column {field.name!r} is given twice: remove one")
            seen.add(field.name)

    @classmethod
    @checked
    def parse(cls, text: str) -> Schema:
        """Parse a schema such as ``status STRING, `user id` BIGINT NOT NULL``.

        Raises:
            SchemaError: The text is not a list of columns.
        """
        if not text.strip():
            return cls(())
        try:
            return cls(parse_fields(text))
        except SchemaError as error:
            error.remedy = "write columns like 'status STRING, user_id BIGINT NOT NULL'"
            raise

    @classmethod
    def from_arrow(cls, schema: pa.Schema) -> Schema:
        """Return the Paimon schema of Arrow columns.

        Raises:
            UnsupportedError: Paimon has no type for a column. The message names the column.
        """
        fields = []
        for field in schema:
            try:
                fields.append(Field(field.name, from_arrow(field.type, field.nullable)))
            except UnsupportedError as error:
                raise UnsupportedError(f"column {field.name!r}: {error}") from None
        return cls(tuple(fields))

    @classmethod
    def from_paimon_json(cls, document: str | bytes | Mapping[str, Any]) -> Schema:
        """Return the schema in the text or parsed JSON of a schema file (`schema/schema-N`).

        Raises:
            SchemaError: The document is not a schema.
        """
        if not isinstance(document, Mapping):
            try:
                document = json.loads(document)
            except (ValueError, RecursionError) as error:
                raise SchemaError(f"not a schema file of Paimon: {error}") from None
        nodes = document.get("fields") if isinstance(document, Mapping) else None
        if not isinstance(nodes, list):
            raise SchemaError('not a schema file of Paimon: it has no list of "fields"')
        return cls(fields_from_json(nodes))

    def to_arrow(self) -> pa.Schema:
        """Return the Arrow schema in which Paimon reads and writes a table with these columns."""
        import pyarrow as pa

        fields = []
        for field in self:
            try:
                fields.append(pa.field(field.name, to_arrow(field.type), field.type.nullable))
            except UnsupportedError as error:
                error.column = field.name
                raise
        return pa.schema(fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(field.name for field in self.fields)

    def __getitem__(self, name: str) -> DataType:
        """Return the type of a column, or of the values of a map's key, `m[key]`.

        Raises:
            SchemaError: The column does not exist.
        """
        return self.column(name).type

    def resolve(self, name: str) -> DataType:
        """Return the type of a column, like `schema[name]`."""
        return self.column(name).type

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __str__(self) -> str:
        return ", ".join(map(str, self.fields))

    def __repr__(self) -> str:
        return f"Schema({str(self)!r})"

    def column(self, name: str, *, ignore_case: bool = False) -> Field:
        """Return the column with this name, or the value of a MAP key, `m[key]`.

        With `ignore_case`, names match without regard to case, like in Spark. The result has the
        exact name.

        Raises:
            SchemaError: No column has this name, or more than one.
        """
        field = self._find(name)
        if field is None and ignore_case:
            field = self._find_ignoring_case(name)
        if field is None:
            known = none_of(name, "the schema has", self.names)
            raise MissingColumnError(f"no column {name!r}{known}")
        return field

    def split(self, name: str) -> tuple[Field, str | None]:
        """Return the column to read for `name`, and the key if `name` is `m[key]`.

        Raises:
            SchemaError: The column does not exist.
        """
        if (field := self._by_name.get(name)) is not None:
            return field, None
        for column, key in map_keys(name):
            field = self._by_name.get(column)
            if field is not None and field.type.root == "MAP":
                return field, key
        return self.column(name), None

    @cached_property
    def remembered(self) -> dict[Any, Any]:
        """What others keep about these columns, such as predicates that are bound to them."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {"fields": self.fields}

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    def _find(self, name: str) -> Field | None:
        if (field := self._by_name.get(name)) is not None:
            return field
        for column, key in map_keys(name):
            field = self._by_name.get(column)
            if field is not None and field.type.root == "MAP":
                return _map_value(field, key)
        return None

    def _find_ignoring_case(self, name: str) -> Field | None:
        for column, key in [(name, None), *map_keys(name)]:
            same = [f for f in self.fields if f.name.casefold() == column.casefold()]
            if key is not None:
                same = [_map_value(f, key) for f in same if f.type.root == "MAP"]
            if len(same) > 1:
                names = ", ".join(field.name for field in same)
                raise SchemaError(f"column {name!r} is ambiguous: write one of {names}")
            if same:
                return same[0]
        return None


def map_keys(name: str) -> Iterator[tuple[str, str]]:
    """Yield each way to split a name into a column and a key: `column[key]`."""
    if name.endswith("]"):
        at = name.find("[")
        while at >= 0:
            yield name[:at], name[at + 1 : -1]
            at = name.find("[", at + 1)


def outer_column(name: str) -> str:
    """Return the column of `column[key]`, split at the first bracket, or the name itself."""
    return next(map_keys(name), (name, ""))[0]


def _map_value(field: Field, key: str) -> Field:
    # A row may lack the key, so the value is nullable even if the map's values are not.
    return Field(f"{field.name}[{key}]", field.type.fields[1].type.with_nullable(True))


def checked_schema(schema: object) -> Schema:
    """Return the argument if it is a schema. Raises SchemaError."""
    if isinstance(schema, Schema):
        return schema
    raise SchemaError(
        f"{with_article(type(schema))} is not a schema: make one with Schema.parse('name TYPE, ..')"
        " or Schema.from_arrow(..)"
    )
