import contextlib
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.dialects import Spark
from sqlglot.expressions import EQ, LT, Anonymous, Not, Paren
from sqlglot.expressions import In as InNode

import paimon_ksy.predicates.sql as reading
from kit_support.examples import examples
from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates import sql_syntax
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.sql import parse_conditions, parse_predicate
from paimon_ksy.predicates.sql_syntax import parse
from paimon_ksy.predicates.tree import (
    Always,
    Comparison,
    In,
    Like,
    Predicate,
    col,
    columns_in,
    leaves,
    literals_in,
)
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matches, matching_rows
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES, Table, tables_and_predicates

SCHEMA = Schema.parse(
    "status STRING, amount INT, flag BOOLEAN, price DECIMAL(10, 2), f FLOAT, d DOUBLE, c CHAR(5), "
    "x BYTES, day DATE, t TIME(3), ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(6), m MAP<STRING, INT>, "
    "`a b.c` INT, `été` INT, `date` DATE, `user` STRING"
)

# SQL, and the predicate that it stands for, bound.
SQL = {
    "status = 'PENDING' AND amount > 10 OR status IS NULL": (
        "status = 'PENDING' AND amount > 10 OR status IS NULL"
    ),
    "amount == 1": "amount = 1",
    "amount != 1": "amount <> 1",
    "1 < amount": "amount > 1",
    "1 >= amount": "amount <= 1",
    "'x' = status": "status = 'x'",
    "(amount) = (1)": "amount = 1",
    "AMOUNT = 1": "amount = 1",
    "amount <=> NULL": "amount IS NULL",
    "amount <=> 5": "amount IS NOT NULL AND amount = 5",
    "NOT amount <=> 5": "amount IS NULL OR amount <> 5",
    "amount IS DISTINCT FROM 5": "amount IS NULL OR amount <> 5",
    "amount IS NOT DISTINCT FROM 5": "amount IS NOT NULL AND amount = 5",
    "amount = NULL": "FALSE",
    "NOT (amount = NULL)": "FALSE",
    "amount IS NOT NULL": "amount IS NOT NULL",
    "isnull(amount) OR isnotnull(amount)": "amount IS NULL OR amount IS NOT NULL",
    "flag": "flag = TRUE",
    "NOT flag": "flag <> TRUE",
    "!flag": "flag <> TRUE",
    "flag = false": "flag = FALSE",
    "flag IS TRUE": "flag IS NOT NULL AND flag = TRUE",
    "flag IS NOT TRUE": "flag IS NULL OR flag <> TRUE",
    "amount IN (3, 1, 3, NULL)": "amount IN (3, 1)",
    "amount NOT IN (3, 1)": "amount NOT IN (3, 1)",
    "NOT amount IN (3, 1)": "amount NOT IN (3, 1)",
    "amount NOT IN (3, NULL)": "FALSE",
    "amount BETWEEN 1 AND 5": "amount >= 1 AND amount <= 5",
    "amount NOT BETWEEN 1 AND 5": "amount < 1 OR amount > 5",
    "NOT (amount = 1 OR status LIKE 'a_')": "amount <> 1 AND status NOT LIKE 'a_'",
    "status LIKE 'a%'": "startswith(status, 'a')",
    "status LIKE '%a'": "endswith(status, 'a')",
    "status NOT LIKE '%a%'": "NOT contains(status, 'a')",
    r"status LIKE 'a\_%'": "startswith(status, 'a_')",
    "status LIKE 'a!_%' ESCAPE '!'": "startswith(status, 'a_')",
    "status NOT LIKE 'a/_b_' ESCAPE '/'": "status NOT LIKE 'a/_b_' ESCAPE '/'",
    "startswith(status, 'a') AND endswith(status, 'b') AND contains(status, 'c')": (
        "startswith(status, 'a') AND endswith(status, 'b') AND contains(status, 'c')"
    ),
    "status = 'it''s'": r"status = 'it\'s'",
    r"status = 'it\'s'": r"status = 'it\'s'",
    'status = "it\'s"': r"status = 'it\'s'",
    r"status = 'a\\b\n'": r"status = 'a\\b\n'",
    "status = '中文😀'": "status = '中文😀'",
    "`status` = 'x'": "status = 'x'",
    "`a b.c` = 1": "`a b.c` = 1",
    "été = 1": "`été` = 1",
    "date = '2024-01-31'": "`date` = DATE '2024-01-31'",
    "user = 'x'": "user = 'x'",
    "m['k'] = 1": "`m[k]` = 1",
    "m[`k`] = 1": "`m[k]` = 1",
    "`m[k]` = 1": "`m[k]` = 1",
    "m['it''s'] = 1": "`m[it's]` = 1",
    "element_at(m, 'k') = 1": "`m[k]` = 1",
    "day >= '2024-1-31'": "day >= DATE '2024-01-31'",
    "t = '12:30:00.5'": "t = TIME '12:30:00.5'",
    "ts = '2024-01-31 12:00:00.1234'": "FALSE",
    "price = 1.005": "FALSE",
    "isnan(d)": "d IS NOT NULL AND d = CAST('NaN' AS DOUBLE)",
    "NOT isnan(f)": "f IS NULL OR f <> CAST('NaN' AS DOUBLE)",
    "isnan(amount)": "FALSE",
    "c = 'ab   '": "c = 'ab'",
    "1 = 1 AND amount = 1": "amount = 1",
    "1 = 2 OR amount = 1": "amount = 1",
    "TRUE": "TRUE",
    "NULL": "FALSE",
    "amount = 1 -- a comment": "amount = 1",
    "/* a comment */ amount = 1": "amount = 1",
}


@pytest.mark.parametrize(("sql", "expected"), SQL.items())
def test_sql(sql: str, expected: str) -> None:
    assert repr(bind(parse_predicate(sql, SCHEMA), SCHEMA)) == expected


def test_the_tree_is_not_bound_so_that_it_can_be_negated() -> None:
    predicate = parse_predicate("amount = NULL", SCHEMA)
    assert predicate == Comparison("=", "amount", None)
    assert bind(~predicate, SCHEMA) == Always(False)


def test_without_a_schema_names_and_literals_are_taken_as_they_are() -> None:
    assert parse_predicate("A = 1") == Comparison("=", "A", 1)
    assert parse_predicate("a = 1.50") == Comparison("=", "a", Decimal("1.50"))
    assert parse_predicate("a IN (1, 'x')") == In("a", (1, "x"))
    assert parse_predicate("m['k'] LIKE 'x' ESCAPE '!'") == Like("m[k]", "x", escape="!")
    assert parse_predicate("a = 1 OR b") == (col("a") == 1) | (col("b") == True)  # noqa: E712


def test_a_text_is_cast_to_a_number_as_in_spark() -> None:
    """As it is to a date, with or without sqlglot; a DECIMAL is compared as a DOUBLE."""
    schema = Schema.parse("i INT, b BIGINT, d DOUBLE, n DECIMAL(9, 2)")
    for sql, other in {
        "i = '3'": "i = 3",
        "i IN (' 3 ', '-4') OR b BETWEEN '1' AND '+2'": "i IN (3, -4) OR b BETWEEN 1 AND 2",
        "d > '1e3'": "d > 1000D",
        "NOT n <=> '1.5'": "NOT n <=> 1.5D",
    }.items():
        assert parse_predicate(sql, schema) == parse_predicate(other, schema)
    for sql in ("i = '3.5'", "b = '9223372036854775808'", "d = '1_0'"):
        with pytest.raises(PredicateError, match="write a number, without quotes"):
            parse_predicate(sql, schema)


def test_the_session_time_zone() -> None:
    predicate = parse_predicate(
        "ltz IN ('2024-07-01 12:00:00', '2024-07-01 12:00:00Z') OR ts = '2024-07-01 12:00:00'",
        SCHEMA,
        time_zone="Europe/Berlin",
    )
    assert repr(bind(predicate, SCHEMA)) == (
        "ltz IN (TIMESTAMP_LTZ '2024-07-01 10:00:00Z', TIMESTAMP_LTZ '2024-07-01 12:00:00Z') "
        "OR ts = TIMESTAMP_NTZ '2024-07-01 12:00:00'"
    )


# SQL, and what the error must say.
ERRORS = {
    "zz = 1": "no column 'zz': the schema has status, amount",
    "m['k']['j'] = 1": "access of INT by this key is not supported",
    "amount['k'] = 1": "access of INT by this key is not supported",
    "amount = 'x'": "column 'amount' of type INT with 'x': write a number, without quotes",
    "flag = 1": "write TRUE or FALSE",
    "my_function(status) = 'A'": "the function my_function is not supported",
    "md5(status) = '1'": "the function md5 is not supported (MD5(status))",
    "isnan(status)": "column 'status' of type STRING with CAST('NaN' AS DOUBLE): write a string",
    "amount IN (SELECT 1)": "a subquery is not supported",
    "EXISTS (SELECT 1)": "a subquery is not supported",
    "status LIKE status": "a column where a literal is needed",
    "status COLLATE utf8 = 'a'": "not supported",
    "(amount, flag) = (1, true)": "TUPLE is not supported",
    "amount = INTERVAL 1 DAY": "INTERVAL is not supported",
    "amount = :parameter": "not supported",
    "zz.amount = 1": "a name with a dot outside of backticks is not supported (zz.amount)",
    "m[0] = 1": "access of MAP<STRING NOT NULL, INT> by this key is not supported",
    r"status LIKE 'a\\b'": "the escape character '\\\\' must come before",
    "amount = ": "cannot parse SQL: something is missing near '='",
    "amount = 1 foo": "cannot parse SQL",
    "amount = 1e": "1e is not a number: correct the literal",
    "amount IN (1, -2.5E)": "2.5E is not a number: correct the literal",
    "amount = 1 XOR flag": "cannot parse SQL",
    "amount = 1; flag": "one condition is needed",
    "": "the condition is empty",
    "status = 'abc": "a quote or comment is not closed in",
    "x = X'zz'": "cannot parse SQL",
}


@pytest.mark.parametrize(("sql", "says"), ERRORS.items())
def test_what_is_not_supported_is_named_in_one_line(sql: str, says: str) -> None:
    with pytest.raises(PredicateError) as error:
        parse_predicate(sql, SCHEMA)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text("0123456789.eELDFS_+-", min_size=1, max_size=8))
def test_what_looks_like_a_number_is_one_or_an_error(text: str) -> None:
    with contextlib.suppress(PredicateError):
        predicate = parse_predicate(f"price = 1{text}", SCHEMA)
        assert isinstance(bind(predicate, SCHEMA), Comparison | Always)


NUMBERS = ", ".join(map(str, range(-50, 50)))
TEXTS = ",".join(f"'it''s {n}'" for n in range(50))


@pytest.mark.parametrize(
    "text",
    [
        f"amount IN ({NUMBERS})",
        f"NOT amount in({NUMBERS}) OR status IN\n( {TEXTS} )",
        f"status NOT IN ({TEXTS}) AND amount IN ({NUMBERS}) AND amount IN ({NUMBERS})",
        f"status = 'amount IN ({NUMBERS})'",
        f"status = 'x''y amount IN ({NUMBERS}) ' AND amount IN (1)",
        f'status = "amount IN ({NUMBERS})"',
        f"amount IN ({NUMBERS}) -- AND amount IN ({NUMBERS})",
        f"/* amount IN ({NUMBERS}) */ amount = 1",
        f"amount IN ({NUMBERS}, 1.5, NULL)",
        f"status IN ({TEXTS}, 'a\\'b')",
        f"status IN ({TEXTS}, 'a' 'b')",
        f"status IN ({TEXTS}) AND status <> 'list0'",
        f"status IN ({NUMBERS})",
        f"nothing IN ({NUMBERS})",
        f"amount IN ({NUMBERS}",
        f"amount IN ({NUMBERS}) 'x",
        f"max IN ({NUMBERS}) + 1",
        f"IN ({NUMBERS})",
        f"amount\u0131N ({NUMBERS})",
    ],
)
def test_long_lists_mean_what_sqlglot_reads(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome() -> str:
        try:
            return repr(parse_predicate(text, SCHEMA))
        except PredicateError as error:
            return str(error)

    found = outcome()
    monkeypatch.setattr(reading, "_LONG", 10**9)
    assert found == outcome()


@pytest.mark.parametrize(
    ("sql", "is_plain"),
    [
        ("status = 'PENDING'", True),
        ("\tAMOUNT<>-5 And price >= 1.50\nAND status != 'AND amount = 1' ", True),
        ("f<=007 AND d>-0.0 AND `amount` = 1", False),
        ("user = 'a--b' AND date < '2020-01-01' AND été=1", False),
        ("x = '' AND amount=-0", True),
        ("status = 'it''s'", False),
        (r"status = 'a\nb'", False),
        ("amount = 5AND flag = 1", False),
        ("amount = 5 OR flag", False),
        ("amount = 5D", False),
        ("amount = 1e3", False),
        ("amount == 5", False),
        ("amount <=> 5", False),
        ("m.k = 5", False),
        ("null = 5", False),
        ("true = 'a'", False),
        ("state = 'PENDING'", False),
        ("NOT amount = 5", False),
    ],
)
def test_plain_comparisons_are_those_of_sqlglot(
    sql: str, is_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = Schema((*SCHEMA, *Schema.parse("`null` INT, `true` STRING")))

    def outcome() -> str:
        try:
            return str(parse_predicate(sql, schema))
        except PredicateError as error:
            return str(error)

    assert (reading._parse_plain(sql, schema) is not None) == is_plain
    found = outcome()
    monkeypatch.setattr(reading, "_parse_plain", lambda *_: None)
    assert found == outcome()


def test_ten_thousand_values_take_no_sqlglot(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    whole = sql_syntax.parse

    def parse(text: str) -> object:
        seen.append(text)
        return whole(text)

    monkeypatch.setattr(sql_syntax, "parse", parse)
    listed = ", ".join(f"'k{n}'" for n in range(10_000))
    leaf = bind(parse_predicate(f"status IN ({listed})", SCHEMA), SCHEMA)
    assert isinstance(leaf, In) and len(leaf.values) == 10_000
    assert seen == ["status IN ('list0')"]


def test_a_chain_of_thousands() -> None:
    chain = " OR ".join(f"amount = {n}" for n in range(5000))
    leaf = bind(parse_predicate(chain, SCHEMA), SCHEMA)
    assert isinstance(leaf, In) and len(leaf.values) == 5000


@pytest.mark.parametrize(
    ("sql", "plain"),
    [
        ("(" * 25 + "flag" + ")" * 25, "flag"),
        ("NOT " * 101 + "flag", "NOT flag"),
        ("(" * 25 + "flag" + " AND amount <> 5)" * 25, "flag AND amount <> 5"),
        ("(amount = 1 OR " * 25 + "amount = 2" + ")" * 25, "amount IN (1, 2)"),
        ("(flag AND (amount = 1 OR " * 12 + "flag" + "))" * 12, "flag"),
    ],
    ids=range(5),
)
def test_what_nests(sql: str, plain: str) -> None:
    rows = [
        {"flag": flag, "amount": amount} for flag in (None, False, True) for amount in (None, 1, 5)
    ]
    nested, flat = (bind(parse_predicate(text, SCHEMA), SCHEMA) for text in (sql, plain))
    assert matches(nested, rows, SCHEMA) == matches(flat, rows, SCHEMA)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("(" * 9000 + "flag" + ")" * 9000, "fewer parentheses, NOT and minus signs"),
        (
            "(flag AND (amount = 1 OR " * 60 + "flag" + "))" * 60,
            "fewer parentheses, NOT and minus signs",
        ),
        ("amount = " + "-(" * 30 + "(1" + ")" * 30, "cannot parse SQL"),
        ("(" * 25 + "flag", r"Expecting \)"),
        ("(" * 25 + "flag AND AND flag" + ")" * 25, "something is missing near 'AND'"),
        ("(" * 25 + ")" * 25, "not supported"),
        ("(" * 25 + "nothing = 1" + ")" * 25, "no column 'nothing'"),
    ],
)
def test_what_is_wrong_with_what_nests(sql: str, says: str) -> None:
    with pytest.raises(PredicateError, match=says) as error:
        parse_predicate(sql, SCHEMA)
    assert "\n" not in str(error.value)


@examples(150)
@given(tables_and_predicates([*BITMAP_TYPES, *OTHER_TYPES]))
def test_a_printed_bound_predicate_is_sql_of_the_same_meaning(
    case: tuple[Table, Predicate],
) -> None:
    table, predicate = case
    columns, schema, num_rows = table.columns, table.schema, table.num_rows
    rows = matching_rows(predicate, columns, schema, num_rows=num_rows)
    bound = parse_predicate(repr(bind(predicate, schema)), schema)
    assert matching_rows(bind(bound, schema), columns, schema, num_rows=num_rows) == rows


def test_columns_may_have_the_names_of_keywords() -> None:
    """They are printed in backticks where SQL needs these."""
    words = {word.lower() for word in Spark.Tokenizer.KEYWORDS if word.replace("_", "").isalpha()}
    assert len(words) > 200
    for word in sorted(words | {"sum", "first", "nulls", "if", "end", "year"}):
        schema = Schema.parse(f"`{word}` INT")
        column = col(word)
        for asked in (column == 1, column.is_null(), column.is_in([1, 2]), column.between(1, 5)):
            bound = bind(asked, schema)
            assert bind(parse_predicate(repr(bound), schema), schema) == bound, word


@pytest.mark.parametrize(
    "sql",
    [
        "flag IS NULL = flag",
        "flag IS NOT NULL IS FALSE",
        "flag = NOT flag",
        "status || amount + 1 = 'x'",
    ],
)
def test_chains_that_spark_reads_otherwise_are_refused(sql: str) -> None:
    with pytest.raises(PredicateError, match="without parentheses"):
        bind(parse_predicate(sql, SCHEMA), SCHEMA)


@pytest.mark.parametrize(
    ("sql", "same"),
    {
        "flag = flag < flag": "(flag = flag) < flag",
        "flag < flag = flag": "(flag < flag) = flag",
        "flag < flag IN (true, NULL)": "(flag < flag) IN (true, NULL)",
        "NOT flag = flag IS NULL": "NOT ((flag = flag) IS NULL)",
        "flag IS DISTINCT FROM flag = flag": "flag IS DISTINCT FROM (flag = flag)",
        "flag OR NOT flag > flag BETWEEN flag AND flag": (
            "flag OR NOT ((flag > flag) BETWEEN flag AND flag)"
        ),
    }.items(),
)
def test_comparisons_are_read_from_the_left(sql: str, same: str) -> None:
    """Spark's grammar has one level of comparisons, and a predicate tests what they give."""

    def tree(text: str) -> Any:
        node = parse(text)
        while node.find(Paren):
            node = node.transform(lambda part: part.unnest())
        return node

    assert tree(sql) == tree(same)


@pytest.mark.parametrize("sql", ["flag IN (flag) = flag", "flag NOT LIKE 'x' IN (true)"])
def test_a_predicate_ends_a_comparison(sql: str) -> None:
    with pytest.raises(PredicateError, match="cannot parse SQL"):
        parse_predicate(sql, SCHEMA)


def test_a_column_in_double_quotes_is_noted(caplog: pytest.LogCaptureFixture) -> None:
    assert parse_predicate("\"status\" = 'PENDING'", SCHEMA, time_zone="UTC") == Always(False)
    assert caplog.messages == ['"status" is a text here; a column is written `status`']
    caplog.clear()
    parse_predicate('status = \'"amount"\' OR `status` = "no column"', SCHEMA)
    assert caplog.messages == []


ARRAYS = Schema.parse("li ARRAY<INT>, ls ARRAY<STRING>, lm ARRAY<DECIMAL(4, 2)>, i INT, s STRING")


@pytest.mark.parametrize(
    ("sql", "printed"),
    [
        ("array_contains(li, 1)", None),
        ("array_contains(ls, 'a')", None),
        ("array_contains(lm, 1.25)", None),
        ("arrays_overlap(li, array(1, 2))", None),
        ("arrays_overlap(li, (array(1, NULL)))", "array_contains(li, 1)"),
        ("NOT arrays_overlap(li, array(1, NULL))", None),
        ("arrays_overlap(ls, array('a'))", "array_contains(ls, 'a')"),
        ("NOT array_contains(li, 1)", None),
    ],
)
def test_tests_of_elements_are_printed_as_they_are_read(sql: str, printed: str | None) -> None:
    parsed = bind(parse_predicate(sql, ARRAYS), ARRAYS)
    assert str(parsed) == (printed or sql)
    assert bind(parse_predicate(str(parsed), ARRAYS), ARRAYS) == parsed
    [leaf] = leaves(parsed)
    assert [*columns_in(leaf)] == re.findall(r"\bl\w\b", sql)
    assert literals_in(leaf)


@pytest.mark.parametrize(
    "sql",
    [
        *("array_contains(li, NULL)", "arrays_overlap(li, array())", "array_contains(i, 1)"),
        *("array_contains(ls, concat(s, 'x'))", "array_contains(li)", "array_contains(li, 'x')"),
    ],
)
def test_other_tests_of_elements_are_errors(sql: str) -> None:
    with pytest.raises(PredicateError):
        bind(parse_predicate(sql, ARRAYS), ARRAYS)


def test_each_condition_of_an_and_is_parsed_by_itself() -> None:
    sql = "i = 1 AND i IN (SELECT 1) AND (s LIKE 'a%' OR i IS NULL)"
    texts, parsed = zip(*parse_conditions(sql, ARRAYS), strict=True)
    assert texts == ("i = 1", "i IN (SELECT 1)", "s LIKE 'a%' OR i IS NULL")
    assert parsed == (
        parse_predicate("i = 1", ARRAYS),
        None,
        parse_predicate("s LIKE 'a%' OR i IS NULL", ARRAYS),
    )
    assert list(parse_conditions("i = ", ARRAYS)) == [("i = ", None)]


def test_the_dialect_reads_chains_from_the_left_and_keeps_names_of_calls() -> None:
    """Made anew, whatever this process parsed before."""
    dialect = sql_syntax._dialect.__wrapped__()
    [chain] = dialect.parse("a = b < c")
    assert isinstance(chain, LT) and isinstance(chain.this, EQ)
    [negated] = dialect.parse("a = b NOT IN (true)")
    assert isinstance(negated, Not) and isinstance(negated.this, InNode)
    [call] = dialect.parse("DateAdd(a, 1)")
    assert isinstance(call, Anonymous) and call.name == "DateAdd"
