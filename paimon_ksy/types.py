"""Paimon's data types: parsed, printed, mapped to Arrow and to what an index stores.

The grammar and the printed text follow Paimon's `DataTypeJsonParser` and `DataType.asSQLString`
(paimon-api, release 1.4.2), the Arrow mapping follows `ArrowFieldTypeConversion` (paimon-arrow).

Values of a column are held in one internal form everywhere in this library:

=========================  ==========================================================
BOOLEAN                    bool
TINYINT .. BIGINT          int
FLOAT, DOUBLE              float (for FLOAT one that float32 can hold)
DECIMAL                    decimal.Decimal
CHAR, VARCHAR, STRING      str; bytes that are not UTF-8 as Python's `surrogateescape` has it
BINARY, VARBINARY, BYTES   bytes
DATE                       int, days since 1970-01-01
TIME                       int, milliseconds since midnight
TIMESTAMP, with or         int, nanoseconds since 1970-01-01T00:00:00
without local time zone    (of UTC, with local time zone)
=========================  ==========================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from paimon_ksy.errors import SchemaError, UnsupportedError

if TYPE_CHECKING:
    import pyarrow as pa

MAX_LENGTH = 2**31 - 1
"""The length that makes a VARCHAR a STRING and a VARBINARY BYTES."""

MAX_DEPTH = 100
"""Types in types. Java sets no limit; Python's stack does, and nobody needs as many."""


@dataclass(frozen=True)
class Field:
    """A column of a table or a field of a ROW."""

    name: str
    type: DataType
    description: str | None = None
    id: int | None = None

    def __str__(self) -> str:
        text = f"{quote(self.name)} {self.type}"
        if self.description:
            text += " COMMENT '" + self.description.replace("'", "''") + "'"
        return text


@dataclass(frozen=True)
class DataType:
    """A Paimon type. `str()` gives Paimon's own text for it.

    `root` is the type's name without parameters: STRING is VARCHAR with `length` MAX_LENGTH, BYTES
    likewise VARBINARY, INTEGER is INT, TIMESTAMP WITH LOCAL TIME ZONE is TIMESTAMP_LTZ. `fields`
    are the parts of a nested type: `element` of ARRAY, MULTISET and VECTOR, `key` and `value` of
    MAP, the named fields of ROW.
    """

    root: str
    nullable: bool = True
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    fields: tuple[Field, ...] = ()

    def __str__(self) -> str:
        return self._text() if self.nullable else self._text() + " NOT NULL"

    def _text(self) -> str:
        if self.root in _ALIAS_OF_MAX_LENGTH and self.length == MAX_LENGTH:
            return _ALIAS_OF_MAX_LENGTH[self.root]
        if self.root == "ROW":
            return f"ROW<{', '.join(map(str, self.fields))}>"
        if self.fields:
            parts = [str(field.type) for field in self.fields]
            if self.root == "VECTOR":
                parts.append(str(self.length))
            return f"{self.root}<{', '.join(parts)}>"
        if self.root == "TIMESTAMP_LTZ":
            return f"TIMESTAMP({self.precision}) WITH LOCAL TIME ZONE"
        parameters = [self.length, self.precision, self.scale]
        listed = ", ".join(str(p) for p in parameters if p is not None)
        return f"{self.root}({listed})" if listed else self.root

    @cached_property
    def _column_type(self) -> int | None:
        if self.is_string:
            name = "string"
        elif self.is_timestamp:
            # BitmapTypeVisitor takes the unit that the precision needs, microseconds at the finest
            name = "timestamp_millis" if (self.precision or 0) <= 3 else "timestamp_micros"
        elif self.root in ("DATE", "TIME", "BOOLEAN", "FLOAT", "DOUBLE", *INTEGER_BITS):
            name = self.root.lower()
        else:
            return None
        parser = import_module("paimon_ksy.generated.parsers.typed_value")
        return int(parser.TypedValue.ColumnType[name])

    @property
    def is_string(self) -> bool:
        """Whether it is CHAR, VARCHAR or STRING."""
        return self.root in ("CHAR", "VARCHAR")

    @property
    def is_binary(self) -> bool:
        """Whether it is BINARY, VARBINARY or BYTES."""
        return self.root in ("BINARY", "VARBINARY")

    @property
    def is_timestamp(self) -> bool:
        """Whether it is a TIMESTAMP, with or without local time zone."""
        return self.root in ("TIMESTAMP", "TIMESTAMP_LTZ")

    def with_nullable(self, nullable: bool) -> DataType:
        """The same type, nullable or not."""
        return self if self.nullable == nullable else replace(self, nullable=nullable)


INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
"""Width of the integer types."""

_ALIAS_OF_MAX_LENGTH = {"VARCHAR": "STRING", "VARBINARY": "BYTES"}
_PLAIN = {"BOOLEAN", *INTEGER_BITS, "FLOAT", "DOUBLE", "DATE", "VARIANT", "BLOB"}
_SAME_AS = {"INTEGER": "INT", "NUMERIC": "DECIMAL", "DEC": "DECIMAL"}
_DEFAULT_PRECISION = {"TIME": 0, "TIMESTAMP": 6, "TIMESTAMP_LTZ": 6}
_SUPPORTED = (
    "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p, s), CHAR(n), VARCHAR(n), "
    "STRING, BINARY(n), VARBINARY(n), BYTES, DATE, TIME(p), TIMESTAMP(p), "
    "TIMESTAMP(p) WITH LOCAL TIME ZONE, VARIANT, BLOB, ARRAY<t>, MULTISET<t>, MAP<k, v>, "
    "VECTOR<t, n>, ROW<name t, ..>"
)


def quote(name: str) -> str:
    """The name in backticks, as SQL has it."""
    return "`" + name.replace("`", "``") + "`"


def parse_type(text: str) -> DataType:
    """The type that a text such as `TIMESTAMP(6) WITH LOCAL TIME ZONE NOT NULL` stands for.

    Raises SchemaError.
    """
    parser = _Parser(text)
    parsed = parser.type()
    parser.expect_end()
    return parsed


def parse_fields(text: str) -> tuple[Field, ...]:
    """The columns of a text such as ``id BIGINT NOT NULL, `a b` STRING COMMENT 'note'``.

    Raises SchemaError.
    """
    parser = _Parser(text)
    fields = parser.fields(end=None)
    parser.expect_end()
    return fields


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


_TOKEN = re.compile(
    r"""\s*(?:
        `(?P<name>(?:[^`]|``)*)`
      | '(?P<string>(?:[^']|'')*)'
      | (?P<number>[0-9]+)(?=[\s<>(),.]|$)
      | (?P<mark>[<>(),])
      | (?P<word>[^\s<>(),.`']+)
    )""",
    re.VERBOSE,
)


def _tokenize(text: str) -> list[_Token]:
    tokens = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            rest = text[position:].strip()
            raise SchemaError(
                f"cannot read {rest[:20]!r} at character {position} of {text!r}: "
                "put names with other characters than letters, digits and _ in `backticks`"
            )
        kind = match.lastgroup or ""
        word = match[kind]
        if kind == "name":
            word = word.replace("``", "`")
        elif kind == "string":
            word = word.replace("''", "'")
        tokens.append(_Token(kind, word, match.start(kind)))
        position = match.end()
    return tokens


class _Parser:
    """Recursive descent over the tokens of one type or schema text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokenize(text)
        self.next = 0
        self.depth = 0

    def fail(self, message: str) -> NoReturn:
        at = self.tokens[self.next].position if self.next < len(self.tokens) else len(self.text)
        text = self.text
        if len(text) > 400:
            text = f"...{text[max(at - 100, 0) : at + 100]}..."
        raise SchemaError(f"{message} at character {at} of {text!r}")

    def accept(self, *words: str) -> bool:
        """Whether the next tokens are these keywords or marks; if so, steps over them."""
        tokens = self.tokens[self.next : self.next + len(words)]
        found = [token.text.upper() for token in tokens if token.kind in ("word", "mark")]
        if found != list(words):
            return False
        self.next += len(words)
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            self.fail(f"{word!r} expected")

    def take(self, *kinds: str) -> str | None:
        """The text of the next token if it is of one of these kinds."""
        if self.next < len(self.tokens) and self.tokens[self.next].kind in kinds:
            self.next += 1
            return self.tokens[self.next - 1].text
        return None

    def expect_end(self) -> None:
        if self.next < len(self.tokens):
            self.fail(f"{self.tokens[self.next].text!r} not expected")

    def integer(self, least: int, most: int, what: str) -> int:
        text = self.take("number")
        if text is None:
            self.fail(f"{what} expected")
        if len(text) > 20 or not least <= int(text) <= most:
            self.next -= 1
            self.fail(f"{what} must be from {least} to {most}")
        return int(text)

    def fields(self, end: str | None) -> tuple[Field, ...]:
        fields: list[Field] = []
        while not (end and self.accept(end)):
            if fields:
                self.expect(",")
            name = self.take("name", "word", "number")
            if name is None:
                self.fail("column name expected")
            parsed = self.type()
            self.accept("COMMENT")
            fields.append(Field(name, parsed, self.take("string")))
            if end is None and self.next == len(self.tokens):
                break
        return tuple(fields)

    def type(self) -> DataType:
        parsed = self.nullability(self.root_type())
        for root in ("ARRAY", "MULTISET"):
            if self.accept(root):
                return self.nullability(_nested(root, parsed))
        return parsed

    def nullability(self, parsed: DataType) -> DataType:
        if self.accept("NOT", "NULL"):
            return parsed.with_nullable(False)
        self.accept("NULL")
        return parsed

    def root_type(self) -> DataType:
        word = self.take("word")
        if word is None:
            self.fail("type expected")
        root = _SAME_AS.get(word.upper(), word.upper())
        if root in _PLAIN:
            if root == "DOUBLE":
                self.accept("PRECISION")
            return DataType(root)
        if root in ("CHAR", "VARCHAR", "BINARY", "VARBINARY"):
            # Paimon's rule: without a length it is 1, also for VARCHAR.
            length = 1
            if self.accept("("):
                length = self.integer(1, MAX_LENGTH, "length")
                self.expect(")")
            return DataType(root, length=length)
        if root == "STRING":
            return DataType("VARCHAR", length=MAX_LENGTH)
        if root == "BYTES":
            return DataType("VARBINARY", length=MAX_LENGTH)
        if root == "DECIMAL":
            return self.decimal()
        if root in _DEFAULT_PRECISION:
            return self.time(root)
        if root in ("ARRAY", "MULTISET", "MAP", "VECTOR", "ROW"):
            return self.nested(root)
        self.next -= 1
        self.fail(f"unknown type {word!r} (known: {_SUPPORTED})")

    def decimal(self) -> DataType:
        precision, scale = 10, 0
        if self.accept("("):
            precision = self.integer(1, 38, "precision")
            if self.accept(","):
                scale = self.integer(0, precision, "scale")
            self.expect(")")
        return DataType("DECIMAL", precision=precision, scale=scale)

    def time(self, root: str) -> DataType:
        precision = _DEFAULT_PRECISION[root]
        if self.accept("("):
            precision = self.integer(0, 9, "precision")
            self.expect(")")
        if root != "TIMESTAMP_LTZ" and not self.accept("WITHOUT", "TIME", "ZONE"):  # noqa: SIM102
            if root == "TIMESTAMP" and self.accept("WITH", "LOCAL", "TIME", "ZONE"):
                root = "TIMESTAMP_LTZ"
        return DataType(root, precision=precision)

    def nested(self, root: str) -> DataType:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"types nested more than {MAX_DEPTH} deep")
        parsed = self.nested_at_this_depth(root)
        self.depth -= 1
        return parsed

    def nested_at_this_depth(self, root: str) -> DataType:
        self.expect("<")
        if root == "ROW":
            return DataType("ROW", fields=self.fields(end=">"))
        parts = [self.type()]
        length = None
        if root == "MAP":
            self.expect(",")
            parts.append(self.type())
        elif root == "VECTOR":
            self.expect(",")
            length = self.integer(1, MAX_LENGTH, "length")
        self.expect(">")
        return _nested(root, *parts, length=length)


def _nested(root: str, *parts: DataType, length: int | None = None) -> DataType:
    names = ("key", "value") if root == "MAP" else ("element",)
    fields = tuple(Field(name, part) for name, part in zip(names, parts, strict=True))
    return DataType(root, length=length, fields=fields)


def type_from_json(node: object, depth: int = 0) -> DataType:
    """The type in a Paimon schema file: a text, or an object for nested types.

    Raises SchemaError.
    """
    if isinstance(node, str):
        return parse_type(node)
    depth += 1
    if depth > MAX_DEPTH:
        raise SchemaError(f"types are nested more than {MAX_DEPTH} deep")
    if not isinstance(node, dict) or not isinstance(node.get("type"), str):
        raise SchemaError(f'a type must be a text or an object with a "type", not {node!r:.80}')
    text: str = node["type"]
    root = text.partition(" ")[0]
    try:
        if root == "ROW":
            parsed = DataType("ROW", fields=fields_from_json(node["fields"], depth))
        elif root == "MAP":
            parts = (type_from_json(node[part], depth) for part in ("key", "value"))
            parsed = _nested(root, *parts)
        elif root in ("ARRAY", "MULTISET"):
            parsed = _nested(root, type_from_json(node["element"], depth))
        elif root == "VECTOR":
            length = node["length"]
            if not isinstance(length, int) or not 1 <= length <= MAX_LENGTH:
                raise SchemaError(
                    f"the length of a VECTOR is from 1 to {MAX_LENGTH}: {length!r:.80}"
                )
            parsed = _nested(root, type_from_json(node["element"], depth), length=length)
        else:
            raise SchemaError(
                f"unknown nested type {text!r} (known: ARRAY, MULTISET, MAP, ROW, VECTOR)"
            )
    except KeyError as error:
        raise SchemaError(f"the type {text!r} lacks {error}") from None
    return parsed.with_nullable("NOT NULL" not in text)


def fields_from_json(nodes: Iterable[Any], depth: int = 0) -> tuple[Field, ...]:
    """The fields of a Paimon schema file or of a ROW in it.

    Raises SchemaError.
    """
    if not isinstance(nodes, list):
        raise SchemaError(f"fields are a list: {nodes!r:.80}")
    fields = []
    for node in nodes:
        if (
            not isinstance(node, dict)
            or "type" not in node
            or not isinstance(node.get("name"), str)
        ):
            raise SchemaError(f'a field needs "name", a text, and "type": {node!r:.80}')
        parsed = type_from_json(node["type"], depth)
        fields.append(Field(node["name"], parsed, node.get("description"), node.get("id")))
    return tuple(fields)


# Arrow ------------------------------------------------------------------------------------------


TICK_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds of a unit of Arrow's timestamps."""


def to_arrow(data_type: DataType) -> pa.DataType:
    """The Arrow type that Paimon reads and writes such a column as.

    Zoned timestamps are in UTC (Java takes the zone of the machine). BLOB is large_binary, as in
    pypaimon. A MULTISET is a map from its elements to how often each is in it, as Java's writers
    of Parquet, ORC and Avro store it. Raises UnsupportedError for a type that is none of Paimon's.
    """
    import pyarrow as pa

    root = data_type.root
    if root in _ARROW_FACTORY:
        factory: Callable[[], pa.DataType] = getattr(pa, _ARROW_FACTORY[root])
        return factory()
    if root == "DECIMAL":
        return pa.decimal128(data_type.precision or 10, data_type.scale or 0)
    if root == "TIME":
        return pa.time32("ms")
    if data_type.is_timestamp:
        unit = _timestamp_unit(data_type.precision or 0)
        return pa.timestamp(unit, tz="UTC" if root == "TIMESTAMP_LTZ" else None)
    if root == "VARIANT":
        binary = pa.binary()
        parts = [pa.field("value", binary, nullable=False)]
        return pa.struct([*parts, pa.field("metadata", binary, nullable=False)])
    fields = [pa.field(f.name, to_arrow(f.type), f.type.nullable) for f in data_type.fields]
    if root == "ROW":
        return pa.struct(fields)
    if root == "ARRAY":
        return pa.list_(fields[0])
    if root == "VECTOR":
        return pa.list_(fields[0], data_type.length or 1)
    if root == "MAP":
        return pa.map_(fields[0].with_nullable(False), fields[1])
    if root == "MULTISET":
        count = pa.field("count", pa.int32(), nullable=False)
        return pa.map_(fields[0].with_nullable(False), count)
    raise UnsupportedError(f"Arrow has no type for {data_type}: leave the column out")


_ARROW_FACTORY = {
    "BOOLEAN": "bool_",
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INT": "int32",
    "BIGINT": "int64",
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "CHAR": "string",
    "VARCHAR": "string",
    "BINARY": "binary",
    "VARBINARY": "binary",
    "BLOB": "large_binary",
    "DATE": "date32",
}


def _timestamp_unit(precision: int) -> str:
    if precision == 0:
        return "s"
    return "ms" if precision <= 3 else "us" if precision <= 6 else "ns"


def from_arrow(arrow_type: pa.DataType, nullable: bool = True) -> DataType:
    """The Paimon type of an Arrow column.

    As pypaimon has it; besides, the other layouts of the same values (large, view,
    dictionary-encoded, run-end-encoded) are taken, and TIME keeps the precision of its unit.
    Raises UnsupportedError.
    """
    return _from_arrow(arrow_type).with_nullable(nullable)


_UNIT_PRECISION = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_FROM_ARROW = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "halffloat": "FLOAT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "large_string": "STRING",
    "string_view": "STRING",
    "binary": "BYTES",
    "binary_view": "BYTES",
    "large_binary": "BLOB",
    "date32[day]": "DATE",
    "date64[ms]": "DATE",
}


def _from_arrow(arrow_type: pa.DataType) -> DataType:
    import pyarrow as pa
    import pyarrow.types as at

    if isinstance(arrow_type, pa.BaseExtensionType):
        return _from_arrow(arrow_type.storage_type)
    if at.is_dictionary(arrow_type) or at.is_run_end_encoded(arrow_type):
        return _from_arrow(arrow_type.value_type)
    if text := _FROM_ARROW.get(str(arrow_type)):
        return parse_type(text)
    if at.is_fixed_size_binary(arrow_type):
        return DataType("BINARY", length=arrow_type.byte_width)
    if at.is_decimal(arrow_type) and arrow_type.precision <= 38 and arrow_type.scale >= 0:
        return DataType("DECIMAL", precision=arrow_type.precision, scale=arrow_type.scale)
    if at.is_timestamp(arrow_type):
        root = "TIMESTAMP" if arrow_type.tz is None else "TIMESTAMP_LTZ"
        return DataType(root, precision=_UNIT_PRECISION[arrow_type.unit])
    if at.is_time(arrow_type):
        return DataType("TIME", precision=_UNIT_PRECISION[arrow_type.unit])
    if at.is_list(arrow_type) or at.is_large_list(arrow_type):
        return _nested("ARRAY", _field_type(arrow_type.value_field))
    if at.is_fixed_size_list(arrow_type):
        element = _field_type(arrow_type.value_field)
        return _nested("VECTOR", element, length=arrow_type.list_size)
    if at.is_map(arrow_type):
        key, value = _field_type(arrow_type.key_field), _field_type(arrow_type.item_field)
        return _nested("MAP", key, value)
    if at.is_struct(arrow_type):
        fields = tuple(Field(f.name, _field_type(f)) for f in arrow_type)
        return DataType("ROW", fields=fields)
    remedy = "cast the column to a signed integer" if at.is_integer(arrow_type) else "cast it"
    raise UnsupportedError(f"Paimon has no type for Arrow's {arrow_type}: {remedy}")


def _field_type(field: pa.Field) -> DataType:
    return from_arrow(field.type, field.nullable)


# Index ------------------------------------------------------------------------------------------


def column_type(data_type: DataType) -> int | None:
    """The parameter `column_type` of specs/typed_value.ksy, None for a type that bitmap refuses.

    Source: Paimon's BitmapTypeVisitor and KeyTypeVisitor.
    """
    return data_type._column_type
