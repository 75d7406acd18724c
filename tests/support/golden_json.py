"""Values and predicates of the golden JSON files as internal values and predicate trees."""

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from paimon_ksy.predicates.tree import (
    And,
    Column,
    Comparison,
    In,
    Not,
    Or,
    Predicate,
)
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema
from tests.support.strategies import literal_of

_EPOCH = dt.datetime(1970, 1, 1)
_NOT_A_PREDICATE = ("topn", "limit")


def schema_from_spec(spec: Mapping[str, Any]) -> Schema:
    """The schema of a `spec.json`."""
    return Schema(tuple(Field(c["name"], parse_type(c["type"])) for c in spec["columns"]))


def columns_from_spec(spec: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The columns of a `spec.json` as internal values, MAP columns also as one column for a key."""
    schema = schema_from_spec(spec)
    columns: dict[str, list[Any]] = {}
    for position, field in enumerate(schema):
        values = internal_values(field.type, [row[position] for row in spec["rows"]])
        columns[field.name] = values
        if field.type.root == "MAP":
            for key in {key for value in values if value is not None for key in value}:
                columns[f"{field.name}[{key}]"] = [
                    None if value is None else value.get(key) for value in values
                ]
    return columns


def internal_values(kind: DataType, values: Sequence[Any]) -> list[Any]:
    """Values as the golden JSON has them, as internal values; a MAP as a dict."""
    return [internal_value(kind, value) for value in values]


def internal_value(kind: DataType, value: Any) -> Any:
    """One value as the golden JSON has it, as internal value."""
    root = kind.root
    if value is None:
        return None
    if root in ("FLOAT", "DOUBLE"):
        return float(value)
    if root == "DECIMAL":
        unit = Decimal((0, (1,), -(kind.scale or 0)))
        return Decimal(str(value)).quantize(unit)
    if kind.is_string and isinstance(value, dict):
        return bytes.fromhex(value["hex"]).decode("utf-8", "surrogateescape")
    if kind.is_binary:
        return bytes.fromhex(value)
    if root == "DATE" and isinstance(value, str):
        return (dt.date.fromisoformat(value) - _EPOCH.date()).days
    if root == "TIME" and isinstance(value, str):
        return _nanoseconds(f"1970-01-01T{value}") // 10**6
    if kind.is_timestamp:
        if isinstance(value, str):
            return _nanoseconds(value)
        precision = kind.precision or 0
        return value * (10**6 if precision <= 3 else 10**3 if precision <= 6 else 1)
    if root == "MAP":
        entries = value.items() if isinstance(value, dict) else value
        _, value_field = kind.fields
        return {key: internal_value(value_field.type, inner) for key, inner in entries}
    assert not isinstance(value, float) or not math.isnan(value)
    return value


def value_to_json(kind: DataType, value: Any) -> Any:
    """An internal value as the requests and answers of Java's programs have it."""
    if value is None:
        return None
    if kind.root in ("FLOAT", "DOUBLE"):
        names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "-0.0": "-0.0"}
        return names.get(repr(value), value)
    if kind.root == "DECIMAL":
        return str(value)
    if kind.is_binary:
        return bytes(value).hex()
    if kind.is_timestamp:
        precision = kind.precision or 0
        return value // (10**6 if precision <= 3 else 1000 if precision <= 6 else 1)
    return value


def _nanoseconds(text: str) -> int:
    """Since 1970-01-01T00:00, of an ISO text with up to nine digits of a second."""
    seconds, _, fraction = text.partition(".")
    since = dt.datetime.fromisoformat(seconds) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 10**9 + int(fraction.ljust(9, "0") or 0)


def predicate_from_json(node: Mapping[str, Any], schema: Schema) -> Predicate:
    """The predicate of `{"op": "eq", "col": "a", "value": 1}` and so on, not bound.

    `topn` and `limit` are not predicates: see `is_predicate`.
    """
    op = node["op"]
    if op in ("and", "or"):
        children = tuple(predicate_from_json(child, schema) for child in node["args"])
        return And(children) if op == "and" else Or(children)
    if op == "not":
        return Not(predicate_from_json(node["arg"], schema))
    name = node["col"]
    column, kind = Column(name), schema[name]

    def literal(key: str) -> Any:
        return literal_of(internal_value(kind, node[key]), kind)

    operators = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    if op in operators:
        return Comparison(operators[op], name, literal("value"))
    if op in ("isnull", "isnotnull"):
        return column.is_null() if op == "isnull" else column.is_not_null()
    if op in ("between", "notbetween"):
        low, high = node.get("values") or (node["from"], node["to"])
        ends = (literal_of(internal_value(kind, value), kind) for value in (low, high))
        between = column.between(*ends)
        return between if op == "between" else Not(between)
    values = tuple(literal_of(internal_value(kind, v), kind) for v in node.get("values", ()))
    if op in ("in", "inleaf"):
        return In(name, values)
    if op in ("notin", "notinleaf"):
        return In(name, values, negated=True)
    tests = {
        "startswith": column.startswith,
        "endswith": column.endswith,
        "contains": column.contains,
        "like": column.like,
    }
    return tests[op](literal("value"))


def is_predicate(node: Mapping[str, Any]) -> bool:
    """Whether a query of the golden JSON is a predicate, and not `topn` or `limit`."""
    return node["op"] not in _NOT_A_PREDICATE


def nodes(predicate: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield predicate
    for child in (*predicate.get("args", ()), *filter(None, [predicate.get("arg")])):
        yield from nodes(child)
