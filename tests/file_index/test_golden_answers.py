"""Answers on the files of the Java library: ours, Java's, and a scan of the rows that were written.

Ours must never lose a row, and hold no other if they say so. Where Java's differ, the reason must
be one of `DIFFERENCES`.
"""

from collections import Counter
from functools import cache
from typing import Any

import pytest

from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.registry import INDEX_TYPES
from tests.golden import Answer, golden_indexes
from tests.support.brute_force import matching_rows
from tests.support.golden_json import (
    columns_from_spec,
    is_predicate,
    nodes,
    predicate_from_json,
    schema_from_spec,
)

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
CASES = {case.name: case for case in golden_indexes(*INDEX_TYPES)}
NEGATIONS = {"ne", "notin", "notinleaf"}

NOT_IN_JAVA = {"lt", "le", "gt", "ge", "between", "notbetween"} | {
    "startswith",
    "endswith",
    "contains",
    "like",
}

DIFFERENCES = {
    "null rows": "Java's <> and NOT IN of bitmap return null rows, SQL's do not",
    "dictionary": "ranges and patterns are answered from the dictionary; Java reads all rows",
    "cut timestamps": "<> on TIMESTAMP(7..9) loses rows in Java, which compares microseconds",
    "zeros": "0.0 and -0.0 are one value in SQL; Java finds the one asked for",
    "null literal": "a comparison with null is never true; to Java null is a value",
    "least long": "Java takes the absolute value of -9223372036854775808, which has none",
    "first and last": "IS NULL without any value is all rows; Java returns the first and the last",
    "nothing": "NOT IN of nothing is true of each row",
    "padding": "ranges of CHARs hold with and without padding",
}


def rows_of(selection: Selection, num_rows: int) -> set[int]:
    if selection.kind == "all":
        return set(range(num_rows))
    return set() if selection.matching is None else set(selection.rows)


def difference(
    answer: Answer, java: set[int], ours: set[int], column: list[Any], type_text: str, kind: str
) -> str | None:
    """Why Java's answer differs, the name of a difference; None if there is no such reason."""
    operators = {node["op"] for node in nodes(answer.predicate)}
    literals = [
        literal
        for node in nodes(answer.predicate)
        for literal in (*node.get("values", ()), node.get("value", 0))
    ]
    if kind == "bloom-filter":
        return of_bloom_filter(ours, java, literals, type_text)
    if kind != "bitmap":
        return of_ordered(answer, java, ours, column, type_text)
    nulls = {row for row, value in enumerate(column) if value is None}
    lost, more = ours - java, java - ours
    if lost and operators & NEGATIONS and type_text.startswith("TIMESTAMP(9)"):
        return "cut timestamps" if more <= nulls else None
    beyond = lost | (more - nulls)
    if beyond and type_text in ("FLOAT", "DOUBLE") and all(column[row] == 0 for row in beyond):
        return "zeros"
    if lost:
        return None
    if None in literals:
        return "null literal"  # also where the rest of a NOT IN is found
    if operators & NEGATIONS and more <= nulls:
        return "null rows"
    if answer.result == "REMAIN" and operators & NOT_IN_JAVA:
        return "dictionary"
    return None


def of_ordered(
    answer: Answer, java: set[int], ours: set[int], column: list[Any], type_text: str
) -> str | None:
    """The same for BSIs and range bitmaps."""
    text = str(answer.predicate)
    if answer.result == "REMAIN":
        return "dictionary"
    if "-9223372036854775808" in text and type_text == "BIGINT":
        return "least long"
    if type_text == "TIMESTAMP(9)":
        return "cut timestamps" if ours >= java else None
    if type_text in ("FLOAT", "DOUBLE") and all(column[row] == 0 for row in ours ^ java):
        return "zeros"
    if type_text.startswith("CHAR") and ours > java:
        return "padding"
    if all(value is None for value in column):
        return "first and last"
    return "nothing" if "'values': []" in text else None


def of_bloom_filter(
    ours: set[int], java: set[int], literals: list[Any], type_text: str
) -> str | None:
    """The same for a bloom filter, which has all rows or none."""
    if None in literals:
        return "null literal"
    if type_text.startswith("CHAR"):
        return "padding"
    return "zeros" if type_text in ("FLOAT", "DOUBLE") else None


@cache
def differences(name: str) -> Counter[str]:
    """How many of Java's answers on a file differ, by reason; "same" are those that do not."""
    case = CASES[name]
    schema = schema_from_spec(case.spec)
    columns = columns_from_spec(case.spec)
    num_rows = len(case.rows)
    types = {column["name"]: column["type"] for column in case.columns}
    kinds = case.index_types
    kind = next(iter(kinds)) if len(kinds) == 1 else "bitmap"
    found: Counter[str] = Counter()
    with FileIndex.open(case.data, schema) as index:
        for answer in case.answers:
            if not is_predicate(answer.predicate):
                continue
            tree = predicate_from_json(answer.predicate, schema)
            column = next(node["col"] for node in nodes(answer.predicate) if "col" in node)
            values = columns.setdefault(column, [None] * num_rows)  # a key that no map has
            selection = index.evaluate(tree)
            ours = rows_of(selection, num_rows)
            scanned = set(matching_rows(tree, columns, schema, num_rows=num_rows))
            assert ours >= scanned, answer
            assert ours == scanned or not selection.exact, answer
            assert selection.num_rows in (None, num_rows)
            if selection.kind == "rows":
                assert 0 < len(ours) < num_rows
                assert selection.count == len(ours)
            if answer.error is not None:
                continue
            everything = set(range(num_rows)) if answer.result == "REMAIN" else set()
            java = everything if answer.rows is None else set(answer.rows)
            reason = "same"
            if java != ours:
                text = types.get(column, "")
                reason = difference(answer, java, ours, values, text, kind) or "unnamed"
                assert reason in DIFFERENCES, (answer, sorted(ours), sorted(java))
            found[reason] += 1
    return found


@pytest.mark.parametrize("name", CASES)
def test_golden_answers(name: str) -> None:
    assert set(differences(name)) <= {"same", *DIFFERENCES}


# Several indexes on one column. Where nulls differ, no BSI or range bitmap is among them.
SEVERAL = {
    "c_all_indexes_one_column": {"same": 30, "dictionary": 1},
    "c_empty_index": {"same": 77},
    "c_many_columns": {"same": 112, "dictionary": 5},
    "c_map_nested": {"same": 69, "dictionary": 42, "null rows": 12},
    "c_map_nested_empty": {"same": 72},
    "c_one_row": {"same": 25},
    "c_one_row_null": {"same": 25},
}


def test_indexes_of_one_column_answer_together() -> None:
    several = {
        name
        for name, case in CASES.items()
        if any(len(column["indexes"]) > 1 for column in case.dump["columns"])
    }
    assert {name: dict(differences(name)) for name in several} == SEVERAL


def test_all_indexes_of_one_column_answer_exactly() -> None:
    case = CASES["c_all_indexes_one_column"]
    assert case.index_types == {"bitmap", "bloom-filter", "bsi", "range-bitmap"}
    schema = schema_from_spec(case.spec)
    asked = [answer for answer in case.answers if is_predicate(answer.predicate)]
    with FileIndex.open(case.data, schema) as index:
        assert all(index.evaluate(predicate_from_json(a.predicate, schema)).exact for a in asked)
    read_all = [answer.predicate["op"] for answer in asked if answer.result == "REMAIN"]
    assert read_all == ["notbetween"]


def test_each_difference_is_there() -> None:
    total: Counter[str] = sum(map(differences, CASES), Counter())
    assert set(total) == {"same", *DIFFERENCES}
    assert total["same"] > 2000
