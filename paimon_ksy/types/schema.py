"""A table's columns: names and types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import SchemaError, UnsupportedError, none_of
from paimon_ksy.types.arrow import from_arrow, to_arrow
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.parse import fields_from_json, parse_fields

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Field", "Schema", "checked_schema"]


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    A key of a MAP column is a column too, named `m[key]`: Paimon indexes single keys, and it is
    null in rows that lack the key.
    """

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for field in self.fields:
            if field.name in seen:
                raise SchemaError(f"column {field.name!r} is given twice: remove one")
            seen.add(field.name)

    @classmethod
    def parse(cls, text: str) -> Schema:
        """Return the schema of a text such as ``status STRING, `user id` BIGINT NOT NULL``.

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
            UnsupportedError: Paimon has no such type. The message names the column.
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
        """Return the schema in a Paimon schema file (`schema/schema-N`), text or parsed JSON.

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
        """Return the Arrow schema in which Paimon reads and writes such a table."""
        import pyarrow as pa

        return pa.schema([pa.field(f.name, to_arrow(f.type), f.type.nullable) for f in self])

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(field.name for field in self.fields)

    def __getitem__(self, name: str) -> DataType:
        """Return the type of the column, or of the value of `m[key]`.

        Raises:
            SchemaError: The column does not exist.
        """
        return self.column(name).type

    def resolve(self, name: str) -> DataType:
        """Return the same as `schema[name]`."""
        return self.column(name).type

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __str__(self) -> str:
        return ", ".join(map(str, self.fields))

    def column(self, name: str, *, ignore_case: bool = False) -> Field:
        """Return the column of this name, or the value of a MAP key `m[key]`, with its exact name.

        With `ignore_case`, a name that differs in case only is found too, like in Spark.

        Raises:
            SchemaError: No column has this name, or more than one.
        """
        found = self._find(name)
        if found is None and ignore_case:
            found = self._find_ignoring_case(name)
        if found is None:
            raise SchemaError(f"no column {name!r}{none_of(name, 'the schema has', self.names)}")
        return found

    def split(self, name: str) -> tuple[Field, str | None]:
        """Return the column that has to be read for `name`, and the key if that is `m[key]`.

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
    """Yield each way to read a name as `column[key]`: the column, and the key of its map."""
    if name.endswith("]"):
        at = name.find("[")
        while at >= 0:
            yield name[:at], name[at + 1 : -1]
            at = name.find("[", at + 1)


def outer_column(name: str) -> str:
    """Return the column of `column[key]`, by the first way to read it, or the name itself."""
    return next(map_keys(name), (name, ""))[0]


def _map_value(field: Field, key: str) -> Field:
    # A row may lack the key: the value is nullable, whatever the map says.
    return Field(f"{field.name}[{key}]", field.type.fields[1].type.with_nullable(True))


def checked_schema(schema: object) -> Schema:
    """Return what was given as a schema.

    Raises:
        SchemaError: It is something else, such as a schema's text.
    """
    if isinstance(schema, Schema):
        return schema
    raise SchemaError(
        f"a {type(schema).__name__} is not a schema: make one with Schema.parse('name TYPE, ..') "
        "or Schema.from_arrow(..)"
    )
