"""What runners in Python share: the loop, and the values of the kit."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from conformance.run import PROTOCOL

Request = Mapping[str, Any]
Answer = dict[str, Any]
Handler = Callable[[Request], Answer]

_EPOCH = dt.date(1970, 1, 1)


class NotSupportedError(Exception):
    """What a library cannot do, and does not claim to."""


def serve(
    name: str,
    version: str,
    handlers: Mapping[str, Handler],
    class_of: Callable[[BaseException], str | None] = lambda error: None,
) -> None:
    """Answers requests until the input ends.

    Args:
        name: The name of the library, as in differences.json.
        version: Its version.
        handlers: By operation, what answers it. An exception is an answer, too.
        class_of: The class of an error, None if the library has none.
    """
    answers = sys.stdout
    sys.stdout = sys.stderr  # what libraries print must not mix with the answers
    for line in sys.stdin:
        request = json.loads(line)
        op = request["op"]
        answer: Answer
        try:
            if op == "capabilities":
                answer = {"protocol": PROTOCOL, "name": name, "version": version}
                answer["ops"] = sorted(handlers)
            else:
                answer = handlers[op](request)
        except NotSupportedError as error:
            answer = {"unsupported": str(error)}
        except BaseException as error:  # a panic of Rust is no Exception
            message = " ".join(str(error).split()) or type(error).__name__
            answer = {"error": message, "class": class_of(error)}
        print(json.dumps(answer), file=answers, flush=True)


def in_base64(data: bytes) -> str:
    """Bytes as answers have them."""
    return base64.b64encode(data).decode()


# Values of tables -------------------------------------------------------------------------------


def rows_as_json(data: pa.Table, columns: Sequence[Mapping[str, str]]) -> list[list[Any]]:
    """The rows of a table as answers have them; its columns are found by their names."""
    found = [_column(data.column(c["name"]), c["type"]) for c in columns] if data.num_rows else []
    return [list(row) for row in zip(*found, strict=True)]


def _column(column: pa.ChunkedArray, kind: str) -> list[Any]:
    root = kind.partition("(")[0].split()[0].partition("<")[0]
    if root == "TIMESTAMP":
        precision = int(kind[kind.index("(") + 1])
        unit = "ms" if precision <= 3 else "us" if precision <= 6 else "ns"
        numbers = column.cast(pa.timestamp(unit, column.type.tz)).cast(pa.int64())
        return list(numbers.to_pylist())
    return [None if value is None else _plain(root, value) for value in column.to_pylist()]


def _plain(root: str, value: Any) -> Any:
    if root == "DATE":
        return (value - _EPOCH).days
    if root == "TIME":
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * 1000 + value.microsecond // 1000
    if root == "DECIMAL":
        return str(value)
    if root in ("FLOAT", "DOUBLE"):
        names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "-0.0": "-0.0"}
        return value if math.isfinite(value) and repr(value) != "-0.0" else names[repr(value)]
    if isinstance(value, bytes):
        return value.hex()
    return dict(value) if root == "MAP" else value


def python_value(kind: str, value: Any) -> Any:
    """A value of a predicate as Python has it, for libraries that take such."""
    root = kind.partition("(")[0].split()[0]
    if root == "DECIMAL":
        return Decimal(value)
    if root == "DATE":
        return _EPOCH + dt.timedelta(days=value)
    if root == "TIMESTAMP":
        precision = int(kind[kind.index("(") + 1])
        micros = value * 1000 if precision <= 3 else value
        return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=micros)
    if root == "TIME":
        return (dt.datetime(1970, 1, 1) + dt.timedelta(milliseconds=value)).time()
    if root in ("BYTES", "BINARY", "VARBINARY"):
        return bytes.fromhex(value)
    return float(value) if root in ("FLOAT", "DOUBLE") else value
