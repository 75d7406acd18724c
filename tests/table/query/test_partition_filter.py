"""The predicate that selects partitions."""

from collections.abc import Sequence

import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.tree import Predicate, col
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.partition_filter import partition_filter
from paimon_ksy.types.schema import Schema


def schema(keys: Sequence[str]) -> TableSchema:
    columns = Schema.parse("id BIGINT, region STRING, n INT")
    ids = {name: at for at, name in enumerate(columns.names)}
    return TableSchema(0, columns, ids, tuple(keys), (), {})


PARTITIONED = schema(["n", "region"])  # in another order than the columns
PARTITIONS = [(1, "EU"), (1, None), (None, "US"), (2, "US")]


@pytest.mark.parametrize(
    ("where", "selected"),
    [
        ("region = 'US'", [False, False, True, True]),
        ("n = 1 AND region <> 'US'", [True, False, False, False]),  # null is not true
        ("region IS NULL OR n = 2", [False, True, False, True]),
        (col("n") > 5, [False] * 4),
        ("NOT (n = 1)", [False, False, False, True]),
    ],
)
def test_partitions_for_which_it_is_true(where: str | Predicate, selected: list[bool]) -> None:
    chosen = partition_filter(PARTITIONED, where, "UTC")
    assert chosen is not None
    for bucket in (0, 7):
        assert [chosen(partition, bucket) for partition in PARTITIONS] == selected


def test_no_predicate_selects_all() -> None:
    assert partition_filter(PARTITIONED, None, "UTC") is None


@pytest.mark.parametrize(
    ("keys", "where", "says"),
    [
        (["n"], "id = 1", r"can test only partition columns \(n\): "),
        (["n"], "n = 1 OR id = 1", "can test only partition columns"),
        (["n"], "nope = 1", "no column 'nope'"),
        (["n"], "n = 'x'", "can test only partition columns"),
        ([], "n = 1", "the table is not partitioned"),
    ],
)
def test_other_columns_are_refused(keys: list[str], where: str, says: str) -> None:
    with pytest.raises(PredicateError, match=says):
        partition_filter(schema(keys), where, "UTC")
