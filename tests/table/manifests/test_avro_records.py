"""Records of any schema that Paimon could write are read as fastavro does; others are refused."""

import io
import json
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

import fastavro
import pytest
from fastavro.utils import generate_many
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.table.manifests import avro_records
from paimon_ksy.table.manifests.avro_records import _SHAPES
from paimon_ksy.table.manifests.containers import read_containers
from tests.support.hostile import avro_schema
from tests.support.manifests import ENTRIES, avro


def read(data: bytes) -> list[dict[str, Any]]:
    return [row for found in read_containers([(data, "m")]) for row in found.batch.to_pylist()]


NUMBERS = count()


def record(kinds: list[Any]) -> dict[str, Any]:
    fields = [{"name": f"f{number}", "type": kind} for number, kind in enumerate(kinds)]
    return {"type": "record", "name": f"r{next(NUMBERS)}", "fields": fields}


KINDS = st.recursive(
    st.sampled_from(sorted(_SHAPES)),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.lists(inner, min_size=1, max_size=3).map(record),
        inner.filter(lambda kind: not isinstance(kind, list)).map(lambda kind: ["null", kind]),
    ),
    max_leaves=8,
)


@given(st.lists(KINDS, min_size=1, max_size=3).map(record), st.booleans(), st.randoms())
@examples(100)
def test_records_of_any_type(schema: Any, in_union: bool, random: Random) -> None:
    records = list(generate_many(schema, random.randrange(5)))
    data = avro(["null", schema] if in_union else schema, records)
    expected = list(fastavro.reader(io.BytesIO(data)))
    assert read(data) == expected


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


EMPTY: dict[str, Any] = {"type": "record", "name": "empty", "fields": []}
FIXED = {"type": "fixed", "name": "fixed", "size": 0}
WIDE = {"type": "record", "name": "wide", "fields": [{"name": "same", "type": "string"}] * 500}
REFUSED = {
    "null": "null",
    "record without fields": EMPTY,
    "fixed": FIXED,
    "map": {"type": "map", "values": "int"},
    "enum": {"type": "enum", "name": "letters", "symbols": ["A"]},
    "unknown": "unknown",
    "union other than of null and one type": ["null", "int", "string"],
    "nested more than 16 deep": json.loads('{"type": "array", "items": ' * 17 + '"int"' + "}" * 17),
}
WITHIN: dict[str, Callable[[Any], Any]] = {
    "field": lambda kind: kind,
    "list": array,
    "list of lists": lambda kind: array(array(kind)),
    "record": lambda kind: record(["int", kind]),
    "list of records": lambda kind: array(record(["int", kind])),
    "optional": lambda kind: array(["null", record([kind])]),
}


@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize("kind", REFUSED)
def test_types_that_paimon_does_not_write(kind: str, within: str) -> None:
    """Wherever they are, as some need no bytes: a short file could have any number of them."""
    schema = {**ENTRIES, "fields": [*ENTRIES["fields"], {"name": "new", "type": None}]}
    schema["fields"][-1]["type"] = WITHIN[within](REFUSED[kind])
    with pytest.raises(UnsupportedError, match=rf"^m: .*{kind}"):
        read(avro_schema(json.dumps(schema)))


@pytest.mark.parametrize("schema", ["int", array("int"), ["null", "string"]])
def test_values_that_are_not_records(schema: Any) -> None:
    with pytest.raises((UnsupportedError, CorruptFileError), match=r"^m: "):
        read(avro_schema(json.dumps(schema)))


def test_records_that_are_null() -> None:
    data = avro_schema(json.dumps(["null", ENTRIES]), blocks=b"\x02\x02\0" + bytes(16))
    with pytest.raises(CorruptFileError, match="a record is null"):
        read(data)


@pytest.mark.parametrize(
    ("schema", "items", "size"),
    [
        (record([array("string")]), b"\0", 16 + 11 * 32),
        (record([array(["null", "long"])]), b"\0", 16 + 11 * 16),
        (record([array(["null", WIDE])]), b"\0", 16 + 11 * 500 * 32),
        (record([array(record(["long", ["null", "int"]]))]), b"\x02\0", 16 + 20 * 12),
        (record([array(array("long"))]), b"\0", 16 + 11 * (16 + 16)),
    ],
)
def test_memory_that_values_could_take(
    schema: Any, items: bytes, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that are null in each field of a record that is null."""
    body = bytes([2 * 9]) + items * 9 + b"\0"
    data = avro_schema(json.dumps(schema), blocks=bytes([2, 2 * len(body)]) + body + bytes(16))
    monkeypatch.setattr(avro_records, "MOST_MEMORY", size)
    read(data)
    monkeypatch.setattr(avro_records, "MOST_MEMORY", size - 1)
    with pytest.raises(CorruptFileError, match="could take more than 0 MB of memory"):
        read(data)
