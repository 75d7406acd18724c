"""Paimon's data types: parsed, printed, mapped to Arrow and to what an index stores.

The grammar and the printed text follow Paimon's `DataTypeJsonParser` and `DataType.asSQLString`
(paimon-api, release 1.4.2). The Arrow mapping follows `ArrowFieldTypeConversion` (paimon-arrow).

Everywhere in this library, the values of a column have one internal form:

=========================  ==========================================================
BOOLEAN                    bool
TINYINT .. BIGINT          int
FLOAT, DOUBLE              float (for FLOAT, one that float32 represents exactly)
DECIMAL                    decimal.Decimal
CHAR, VARCHAR, STRING      str; bytes that are not UTF-8 are kept by `surrogateescape`
BINARY, VARBINARY, BYTES   bytes
DATE                       int, days since 1970-01-01
TIME                       int, milliseconds since midnight
TIMESTAMP, with or         int, nanoseconds since 1970-01-01T00:00:00
without local time zone    (of UTC, with local time zone)
=========================  ==========================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from importlib import import_module

MAX_LENGTH = 2**31 - 1
"""The length at which VARCHAR is called STRING, and VARBINARY is called BYTES."""

TICK_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds in each unit of Arrow's timestamps."""


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
    """A Paimon type. `str()` returns the text that Paimon uses for it.

    `root` is the type's name without parameters. STRING is VARCHAR with `length` MAX_LENGTH, BYTES
    is such a VARBINARY, INTEGER is INT, TIMESTAMP WITH LOCAL TIME ZONE is TIMESTAMP_LTZ. `fields`
    are the parts of a nested type: `element` of ARRAY, MULTISET and VECTOR, `key` and `value` of
    MAP, the named fields of ROW. `text` is the whole text of GEOMETRY, GEOGRAPHY and unknown types.
    """

    root: str
    nullable: bool = True
    length: int | None = None
    precision: int | None = None
    scale: int | None = None
    fields: tuple[Field, ...] = ()
    text: str | None = None

    def __str__(self) -> str:
        return self._text() if self.nullable else self._text() + " NOT NULL"

    def _text(self) -> str:
        if self.text is not None:
            return self.text
        if self.root in ALIAS_OF_MAX_LENGTH and self.length == MAX_LENGTH:
            return ALIAS_OF_MAX_LENGTH[self.root]
        if self.root == "ROW" or self.fields:
            return f"{self.root}<{', '.join(self._parts())}>"
        if self.root == "TIMESTAMP_LTZ":
            return f"TIMESTAMP({self.precision}) WITH LOCAL TIME ZONE"
        parameters = [self.length, self.precision, self.scale]
        listed = ", ".join(str(p) for p in parameters if p is not None)
        return f"{self.root}({listed})" if listed else self.root

    def _parts(self) -> list[str]:
        if self.root == "ROW":
            return [*map(str, self.fields)]
        length = [str(self.length)] if self.root == "VECTOR" else []
        return [*(str(field.type) for field in self.fields), *length]

    @cached_property
    def _column_type(self) -> int | None:
        if self.is_string:
            name = "string"
        elif self.is_timestamp:
            # BitmapTypeVisitor uses the unit that the precision needs, at most microseconds
            name = "timestamp_millis" if self.stored_nanos == 10**6 else "timestamp_micros"
        elif self.root == "INT":
            name = "integer"
        elif self.root in ("DATE", "TIME", "BOOLEAN", "FLOAT", "DOUBLE", *INTEGER_BITS):
            name = self.root.lower()
        else:
            return None
        views = import_module("paimon_ksy.generated.views.typed_value")
        return int(views.StoredType[name])

    @property
    def is_known(self) -> bool:
        """Whether this version of the library can read its values."""
        is_plain = self.text is None or self.root in GEOSPATIAL
        return is_plain and all(field.type.is_known for field in self.fields)

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

    @property
    def stored_nanos(self) -> int:
        """Nanoseconds in the unit in which an index stores a TIMESTAMP: milli- or microseconds."""
        return 10**6 if (self.precision or 0) <= 3 else 10**3

    @property
    def is_cut(self) -> bool:
        """Whether it is a TIMESTAMP with nanoseconds, which an index truncates."""
        return self.is_timestamp and (self.precision or 0) > 6

    def with_nullable(self, nullable: bool) -> DataType:
        """Return the same type, nullable or not."""
        return self if self.nullable == nullable else replace(self, nullable=nullable)


INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
"""The width of each integer type, in bits."""
GEOSPATIAL = ("GEOMETRY", "GEOGRAPHY")
"""The types of shapes, which are stored as bytes (well-known binary)."""
PLAIN = {"BOOLEAN", *INTEGER_BITS, "FLOAT", "DOUBLE", "DATE", "VARIANT", "BLOB"}


def to_utf8(text: str) -> bytes:
    """Return the bytes that a column stores for a string."""
    return text.encode("utf-8", "surrogateescape")


def from_utf8(data: bytes) -> str:
    """Return the string for the bytes that a column stores."""
    return data.decode("utf-8", "surrogateescape")


def unscaled_value(value: Decimal, scale: int) -> tuple[int, int]:
    """Return the unscaled integer of a decimal, and the rest that the scale cuts off, or 0.

    Unlike Python's `scaleb`, it does not depend on the precision of the decimal context.
    """
    sign, digits, exponent = value.as_tuple()
    number = int("".join(map(str, digits)) or "0")
    shift = (exponent if isinstance(exponent, int) else 0) + scale
    power: int = 10 ** abs(shift)
    number, rest = (number * power, 0) if shift >= 0 else divmod(number, power)
    return -number if sign else number, rest


def from_unscaled(number: int, scale: int) -> Decimal:
    """Return the decimal of an unscaled value, for any precision of the decimal context."""
    return Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))


def quote(name: str) -> str:
    """Return the name in backticks, as in SQL."""
    return "`" + name.replace("`", "``") + "`"


# Index ------------------------------------------------------------------------------------------


def column_type(data_type: DataType) -> int | None:
    """Return `column_type` of specs/typed_value.ksy; None if a bitmap does not support the type.

    Source: Paimon's BitmapTypeVisitor and KeyTypeVisitor.
    """
    return data_type._column_type


ALIAS_OF_MAX_LENGTH = {"VARCHAR": "STRING", "VARBINARY": "BYTES"}
