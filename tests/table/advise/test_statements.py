"""SQL that a user can paste."""

import pytest
import sqlglot

from paimon_ksy.table.advise.changes import alter_table, sql_name


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("warehouse/default.db/orders", "`default`.`orders`"),
        ("s3://b/w/x y.db/t`1/", "`x y`.`t``1`"),
        ("/somewhere/orders", "`orders`"),
        ("orders", "`orders`"),
    ],
)
def test_the_name_is_that_of_folder_and_database(location: str, name: str) -> None:
    assert sql_name(location) == name
    assert sqlglot.parse_one(f"SELECT * FROM {name}", dialect="spark")


def test_options_are_set_and_removed() -> None:
    sql = alter_table("`d`.`t`", {"a": "it's", "b": None, "c": "2", "d": None})
    unset, changed = sqlglot.parse(sql, dialect="spark")
    assert unset is not None and changed is not None
    assert sql.splitlines() == [
        "ALTER TABLE `d`.`t` UNSET TBLPROPERTIES ('b', 'd');",
        "ALTER TABLE `d`.`t` SET TBLPROPERTIES (",
        "  'a' = 'it\\'s',",
        "  'c' = '2'",
        ");",
    ]


def test_nothing_to_change_is_no_statement() -> None:
    assert alter_table("t", {}) == ""
    assert "UNSET" not in alter_table("t", {"a": "1"})
    assert alter_table("t", {"a": None}).count("ALTER") == 1
