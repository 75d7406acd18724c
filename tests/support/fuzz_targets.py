"""The targets of `make fuzz`: how each one draws a case, and checks it.

A case is JSON, so that each failure can be kept as a small file in tests/regressions/.
"""

import copy
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import from_json, to_bytes, to_json
from ksykit.runtime.types import type_of

from kit_support.agreement import check_readers
from kit_support.bounds import bounded
from paimon_ksy import (
    CorruptFileError,
    FileIndex,
    IndexIgnoredWarning,
    PaimonKsyError,
    Predicate,
    Schema,
    col,
)
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.generated.structs import MODULE_OF, type_named
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file, file_parts
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import UNKNOWN, kind_of
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.testing import Anatomy, mutated, mutations, objects
from paimon_ksy.types.literals import to_sql
from tests.golden import GoldenIndex, golden_indexes

MAX_SIZE = 8_000  # bytes of a golden file that is used
TYPES = st.sampled_from(sorted(MODULE_OF))


@dataclass(frozen=True)
class Target:
    """How cases are drawn, and what has to be true of each."""

    cases: st.SearchStrategy[Any]
    check: Callable[[Any], None]


# --- Views and JSON of each type


@st.composite
def _broken_objects(draw: st.DrawFn) -> Any:
    name = draw(TYPES)
    broken = draw(mutated(name))
    return {"type": name, "params": dict(broken.params), "hex": broken.data.hex()}


def check_object(case: Any) -> None:
    """Views, JSON and Kaitai's parser see the same, or all refuse the bytes."""
    check_readers(type_named(case["type"]), bytes.fromhex(case["hex"]), case["params"])


# --- Golden files, and what is asked of them


@cache
def _golden() -> dict[str, GoldenIndex]:
    return {one.name: one for one in golden_indexes() if len(one.data) <= MAX_SIZE}


@cache
def _anatomy(name: str) -> Anatomy:
    golden = _golden()[name]
    source = open_source(golden.data)
    parts = file_parts(source, _schema(golden))
    return Anatomy(golden.data, [(part.start, part.parsed(source)) for part in parts])


@st.composite
def _broken_files(draw: st.DrawFn) -> Any:
    names = st.sampled_from(sorted(_golden()))
    name = draw(names)
    broken = draw(mutations(_anatomy(name), _anatomy(draw(names))))
    return {"golden": name, "hex": broken.data.hex()}


def check_file(case: Any) -> None:
    """Each question to a broken file has an answer, or CorruptFileError.

    A file of an unknown kind has no dump.
    """
    golden, data = _golden()[case["golden"]], bytes.fromhex(case["hex"])
    schema = _schema(golden)
    for step in (*_predicates(golden), inspect_file, dump_file):
        try:
            with bounded():
                if isinstance(step, Predicate):
                    _evaluate(data, schema, step)
                elif step is inspect_file:
                    inspect_file(Subject(open_source(data), schema), top=None)
                else:
                    document = json.loads(json.dumps(dump_file(open_source(data), schema)))
                    assert assemble(document) == data, "the dump does not give the same bytes"
        except CorruptFileError:
            pass
        except UnsupportedError:
            assert step is dump_file and kind_of(open_source(data)) is UNKNOWN


def _evaluate(data: bytes, schema: Schema, predicate: Predicate) -> None:
    with warnings.catch_warnings(), FileIndex.open(data, schema) as index:
        warnings.simplefilter("ignore", IndexIgnoredWarning)  # of types with a changed name
        selection = index.evaluate(predicate)
        assert selection.kind == "all" or selection.count == len(selection.rows)


@cache
def _schema(golden: GoldenIndex) -> Schema:
    """The columns as they were written, keys of a MAP left out."""
    return Schema.parse(", ".join(f"`{one['name']}` {one['type']}" for one in golden.columns))


@cache
def _predicates(golden: GoldenIndex) -> list[Predicate]:
    """Predicates on values of the undamaged file, of each kind that an index answers."""
    schema = _schema(golden)
    report = inspect_file(Subject(open_source(golden.data), schema)).content
    assert report is not None
    predicates: list[Predicate] = []
    for column in report.columns:
        if column.type is None:  # a key of a MAP column
            predicates.append(col(column.name).is_null())
            continue
        conditions = ["IS NULL"]
        for index in column.indexes:
            values = getattr(index.body, "values", None) or ()
            literals = [to_sql(value.plain) for value in values]
            for literal in literals[:2]:
                conditions += [f"= {literal}", f"<> {literal}", f"<= {literal}"]
            conditions += [f"IN ({', '.join(literals)})"] if literals else []
        predicates += [parse_predicate(f"`{column.name}` {text}", schema) for text in conditions]
    return predicates


# --- Writers, and JSON that somebody edited

_OTHER: st.SearchStrategy[Any] = st.sampled_from(
    (
        *(None, True, -1, 0, 1, 127, 2**31, 2**40, 10**30, 1.5, "x", "\ud800", [], {}, [1], [{}]),
        *({"hex": "00"}, {"hex": "0"}, {"bits": "7fc00001"}, {"unreadable": "x"}),
    )
)
_KEYS = st.sampled_from(["more", "$repeat", "hex", "at", "$type"])


@st.composite
def _edited_documents(draw: st.DrawFn) -> Any:
    document = json.loads(json.dumps(to_json(draw(objects(draw(TYPES))))))
    for _ in range(draw(st.integers(0, 3))):
        if document:
            _edit(draw, document)
    return document


def _edit(draw: st.DrawFn, document: Any) -> None:
    """Change one value, or leave it out, or repeat it."""
    places = list(_places(document))  # of an object, at least its type
    inside, key = places[draw(st.integers(0, len(places) - 1))]
    way = draw(st.integers(0, 4))
    if way == 0:
        del inside[key]
    elif way == 1 and isinstance(inside[key], int):
        inside[key] += draw(st.sampled_from((-1, 1)))
    elif way == 2 and isinstance(inside, dict):
        inside[draw(_KEYS)] = copy.deepcopy(draw(_OTHER))
    elif way == 3 and isinstance(inside, list):
        inside.insert(key, copy.deepcopy(inside[key]))
    else:
        inside[key] = copy.deepcopy(draw(_OTHER))  # which the next edit may change


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value: what it is in, and its key or number there."""
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        yield document, key
        if isinstance(value, dict | list):
            yield from _places(value)


def check_assemble(document: Any) -> None:
    """`assemble` writes the document, or raises our error; with null as without the key.

    An unknown key is an error, even with null.
    """
    written = _assembled(document)
    if not isinstance(written, str):
        assert written == _assembled(_without_nulls(document))
    elif not any(words in written for words in (" has no field ", " has no key ")):
        assert isinstance(_assembled(_without_nulls(document)), str)


def _assembled(document: Any) -> bytes | str:
    """Return the file of the document, or the message of the error."""
    try:
        with bounded():
            return assemble({"parts": [{"at": 0} | document]})
    except PaimonKsyError as error:
        return str(error)


def _without_nulls(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: _without_nulls(one) for key, one in document.items() if one is not None}
    return [_without_nulls(one) for one in document] if isinstance(document, list) else document


def check_writers(document: Any) -> None:
    """An object of the document is written like the document; or neither is."""
    body = {key: value for key, value in document.items() if key[0] != "$"}
    try:
        name = document["$type"]
        with bounded():
            obj = from_json(type_named(name), {"$params": document.get("$params")} | body)
            written = to_bytes(obj)
    except (FormatError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return  # `from_json` documents FormatError for documents of `to_json`, which this is not
    assert type_of(obj).name == name
    assembled = _assembled(document)
    assert isinstance(assembled, str) or assembled == written


# --- SQL

_SCHEMA_TEXT = (
    "a INT, s STRING, f DOUBLE, d DECIMAL(10, 2), b BOOLEAN, x BYTES, day DATE, t TIME(3), "
    "ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(6), `a b.c` INT, m MAP<STRING, INT>"
)
SCHEMA = Schema.parse(_SCHEMA_TEXT)
_WORDS = (
    "a s f d b x day t ts ltz m `a b.c` c ( ) ( ) , AND OR NOT IN BETWEEN LIKE ESCAPE IS NULL TRUE "
    "FALSE NAN = <> != < <= > >= <=> == + - * / . ; -- /* */ 0 1 -1 1.5 1e309 1e-400 1BD "
    "99999999999 'a' '' 'a%' '2024-01-01' X'00' X'0' DATE TIMESTAMP TIMESTAMP_LTZ INTERVAL CAST AS "
    "INT STRING isnan( startswith( endswith( contains( lower( coalesce( EXISTS SELECT CASE WHEN "
    "THEN END ' \" ` \\"
)
_TOKENS = st.sampled_from(_WORDS.split()) | st.text(max_size=3)
_SQL = st.lists(_TOKENS, max_size=12).map(" ".join) | st.text(max_size=20)
_NESTED = st.builds(
    lambda opened, text, count: f"{opened * count}{text}{')' * count}",
    st.sampled_from(["(", "NOT (", "NOT ", "a = 1 AND (", "-("]),
    _SQL,
    st.sampled_from([1, 2, 5, 40, 400]),
)


def check_sql(text: str) -> None:
    """The text is a predicate, which is read again from its own text; or PredicateError."""
    for schema in (None, SCHEMA):
        try:
            with bounded(seconds=5):
                predicate = parse_predicate(text, schema)
        except PaimonKsyError as error:
            assert "\n" not in str(error).strip() or len(str(error)) < 2000
            continue
        with bounded(seconds=5):
            again = parse_predicate(str(predicate), schema)
        assert str(again) == str(predicate)


TARGETS = {
    "readers": Target(_broken_objects(), check_object),
    "files": Target(_broken_files(), check_file),
    "assemble": Target(_edited_documents(), check_assemble),
    "writers": Target(_edited_documents(), check_writers),
    "sql": Target(_SQL | _NESTED, check_sql),
}
