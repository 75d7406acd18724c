"""What a query may be asked: each part of it is checked before anything is read."""

from typing import Any

import pytest

from paimon_ksy.errors import PaimonKsyError, PredicateError, SchemaError
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table


def test_columns_are_a_list(many: Table) -> None:
    """Not a text, whose letters may be names."""
    with pytest.raises(SchemaError, match=r"columns must be a list of names such as \['id'\]"):
        query(many, columns="id")
    with pytest.raises(SchemaError, match="columns must be a list of names, but contains 1"):
        query(many, columns=["id", 1])  # type: ignore[list-item]


def test_a_tag_without_a_name(many: Table) -> None:
    with pytest.raises(PaimonKsyError, match="has no tag ''"):
        query(many, tag="")


def test_wrong_questions(many: Table) -> None:
    for error, more in (
        (PredicateError, {"where": "nope = 1"}),
        (PredicateError, {"where": "id ="}),
        (SchemaError, {"columns": ["id", "nope"]}),
        (SchemaError, {"columns": ["id", "ID"]}),
        (PredicateError, {"order_by": "id DOWN"}),
        (PredicateError, {"order_by": "nope", "limit": 1}),
        (PredicateError, {"limit": -1}),
    ):
        with pytest.raises(error):
            query(many, **more)


@pytest.mark.parametrize("limit", [2**63, 10**23])
@pytest.mark.parametrize("more", [{}, {"where": "id >= 0"}, {"order_by": "id"}])
def test_limits_beyond_all_rows(limit: int, more: dict[str, Any], many: Table) -> None:
    assert query(many, limit=limit, **more).num_rows == query(many).num_rows
