"""What changed between two versions of a schema: one line for each change."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table.inspect.files import schema_changes
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import golden_table


def schema(text: str, ids: Sequence[int]) -> TableSchema:
    """Return a version of a schema with these columns, whose ids these are."""
    columns = Schema.parse(text)
    return TableSchema(0, columns, dict(zip(columns.names, ids, strict=True)), (), (), {})


BASE = schema("a INT, b STRING", [0, 1])


def changes(before: TableSchema, after: TableSchema) -> list[str]:
    return list(schema_changes(before, after))


def test_changes_of_a_schema_are_told_by_column_id(tmp_path: Path) -> None:
    report = inspect_table(Table.at(golden_table("evolution", tmp_path)))
    assert [schema.changes for schema in report.schemas.listed] == [
        (),
        ("column s renamed to s2", "option file-index.bitmap.columns from s to s2"),
        (
            "column a from INT to BIGINT",
            "column n STRING added",
            "column x INT dropped",
            "option file-index.bitmap.columns from s2 to s2,n",
        ),
    ]


@pytest.mark.parametrize(
    ("columns", "ids", "lines"),
    [
        ("b STRING, a INT", [1, 0], []),  # moved
        ("a INT NOT NULL, b STRING", [0, 1], ["column a from INT to INT NOT NULL"]),
        ("b INT, a STRING", [0, 1], ["column a renamed to b", "column b renamed to a"]),
        ("c BIGINT", [0], ["a renamed to c", "c from INT to BIGINT", "b STRING dropped"]),
        ("a INT, b STRING", [0, 2], ["b STRING added", "b STRING dropped"]),  # another b
    ],
)
def test_columns_match_by_their_ids(columns: str, ids: list[int], lines: list[str]) -> None:
    found = changes(BASE, schema(columns, ids))
    assert found == [f"column {line.removeprefix('column ')}" for line in lines]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ((), ("a",), "primary key none to a"),
        (("a",), ("a", "b"), "primary key a to a, b"),
        (("a", "b"), ("b", "a"), "primary key a, b to b, a"),
        (("a",), (), "primary key a to none"),
    ],
)
def test_primary_keys(before: tuple[str, ...], after: tuple[str, ...], line: str) -> None:
    assert changes(replace(BASE, primary_keys=before), replace(BASE, primary_keys=after)) == [line]


def test_options_come_in_order_of_their_keys() -> None:
    before = replace(BASE, options={"z": "1", "gone": "", "same": "x"})
    after = replace(BASE, options={"same": "x", "z": "", "new": ""})
    assert changes(before, after) == [
        "option gone removed, was ",
        "option new set to ",
        "option z from 1 to ",
    ]


def test_a_secret_is_masked_and_its_change_is_listed() -> None:
    old, new = ({"s3.secret-key": secret} for secret in ("hunter2", "hunter3"))
    with_old, with_new = replace(BASE, options=old), replace(BASE, options=new)
    found = [
        *changes(BASE, with_old),
        *changes(with_old, with_new),
        *changes(with_new, BASE),
    ]
    assert found == [
        "option s3.secret-key set to ***",
        "option s3.secret-key from *** to ***",
        "option s3.secret-key removed, was ***",
    ]


@st.composite
def versions(draw: st.DrawFn) -> TableSchema:
    """Draw a version of a schema with up to four columns, of few names, types and ids."""
    names = draw(st.lists(st.sampled_from("abcd"), unique=True, min_size=1))
    ids = draw(st.permutations(range(5)))[: len(names)]
    types = [draw(st.sampled_from(["INT", "BIGINT", "INT NOT NULL"])) for _ in names]
    text = ", ".join(f"{name} {kind}" for name, kind in zip(names, types, strict=True))
    options = draw(st.dictionaries(st.sampled_from(["x", "token"]), st.sampled_from(["1", "22"])))
    keys = tuple(draw(st.lists(st.sampled_from(names), unique=True)))
    return replace(schema(text, ids), options=options, primary_keys=keys)


def by_id(version: TableSchema) -> tuple[Any, ...]:
    """Return all of a version of a schema but the order of its columns."""
    columns = {version.ids[column.name]: (column.name, column.type) for column in version.columns}
    return columns, version.primary_keys, version.options


@given(versions(), versions())
def test_equal_schemas_and_only_they_have_no_changes(
    before: TableSchema, after: TableSchema
) -> None:
    assert changes(before, before) == []
    assert (changes(before, after) == []) is (by_id(before) == by_id(after))
    there, back = changes(before, after), changes(after, before)
    for gained, lost in ((" added", " dropped"), (" set to ", " removed, was ")):
        assert sum(gained in line for line in there) == sum(lost in line for line in back)
