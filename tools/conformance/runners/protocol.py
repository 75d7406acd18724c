"""What runners in Python share: the loop, and the values of the kit."""

from __future__ import annotations

import base64
import datetime as dt
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from conformance.run import PROTOCOL
from paimon_ksy.types.parse import parse_type
from tests.support.golden_json import value_to_json
from tests.support.golden_tables import rows_of

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
    """The rows of a table as answers have them; its columns are looked up by their names."""
    if not data.num_rows:
        return []
    kinds = [parse_type(column["type"]) for column in columns]
    rows = rows_of(data.select([column["name"] for column in columns]))
    return [list(map(value_to_json, kinds, row)) for row in rows]


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
