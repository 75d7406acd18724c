"""Types as SQL and JSON write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.types.arrow import LEAVE_OUT, to_arrow
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.parse import _ELSEWHERE, _ROOTS, parse_type, type_from_json
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES

# Written as people do, and Paimon's own text (DataType.asSQLString).
TEXTS = {
    "boolean": "BOOLEAN",
    "TINYINT": "TINYINT",
    "SMALLINT NULL": "SMALLINT",
    "INTEGER NOT NULL": "INT NOT NULL",
    "int": "INT",
    "BIGINT": "BIGINT",
    "FLOAT": "FLOAT",
    "DOUBLE PRECISION": "DOUBLE",
    "DECIMAL": "DECIMAL(10, 0)",
    "DEC(5)": "DECIMAL(5, 0)",
    "NUMERIC( 38 , 18 )": "DECIMAL(38, 18)",
    "CHAR": "CHAR(1)",
    "CHAR(3)": "CHAR(3)",
    "VARCHAR": "VARCHAR(1)",
    "VARCHAR(20)": "VARCHAR(20)",
    "VARCHAR(2147483647)": "STRING",
    "string not null": "STRING NOT NULL",
    "GEOMETRY NOT NULL": "GEOMETRY(OGC:CRS84) NOT NULL",
    "geometry(EPSG:4326)": "GEOMETRY(EPSG:4326)",
    "GEOMETRY('4326')": "GEOMETRY('4326')",
    "GEOMETRY('it''s here')": "GEOMETRY('it''s here')",
    "GEOGRAPHY": "GEOGRAPHY(OGC:CRS84, spherical)",
    "GEOGRAPHY(EPSG:1, KARNEY)": "GEOGRAPHY(EPSG:1, karney)",
    "BINARY": "BINARY(1)",
    "BINARY(4)": "BINARY(4)",
    "VARBINARY(10)": "VARBINARY(10)",
    "VARBINARY(2147483647)": "BYTES",
    "BYTES": "BYTES",
    "DATE": "DATE",
    "TIME": "TIME(0)",
    "TIME(3) WITHOUT TIME ZONE": "TIME(3)",
    "TIMESTAMP": "TIMESTAMP(6)",
    "TIMESTAMP(9) WITHOUT TIME ZONE": "TIMESTAMP(9)",
    "TIMESTAMP WITH LOCAL TIME ZONE": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "TIMESTAMP_LTZ(3) NOT NULL": "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL",
    "VARIANT": "VARIANT",
    "BLOB": "BLOB",
    "ARRAY<INT NOT NULL>": "ARRAY<INT NOT NULL>",
    "INT ARRAY": "ARRAY<INT>",
    "INT NOT NULL MULTISET NOT NULL": "MULTISET<INT NOT NULL> NOT NULL",
    "MULTISET<STRING>": "MULTISET<STRING>",
    "map<string,map<string,int>>": "MAP<STRING, MAP<STRING, INT>>",
    "VECTOR<FLOAT,3>": "VECTOR<FLOAT, 3>",
    "ROW<>": "ROW<>",
    "ROW<a INT 'one', `b ``c` ROW<`int` STRING> NOT NULL COMMENT 'it''s'>": (
        "ROW<`a` INT COMMENT 'one', `b ``c` ROW<`int` STRING> NOT NULL COMMENT 'it''s'>"
    ),
}


@pytest.mark.parametrize(("text", "canonical"), TEXTS.items())
def test_a_type_prints_as_paimon_does(text: str, canonical: str) -> None:
    parsed = parse_type(text)
    assert str(parsed) == canonical
    assert parse_type(canonical) == parsed


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "type expected"),
        ("TEXT", "unknown type 'TEXT' (did you mean 'STRING'?) at character 0"),
        ("array<long>", "unknown type 'long' (did you mean 'BIGINT'?) at character 6"),
        ("BIGIN", "unknown type 'BIGIN' (did you mean 'BIGINT'?): the types are BOOLEAN, "),
        ("INT NOT", "'NOT' not expected at character 4"),
        ("CHAR(0)", "length must be from 1 to 2147483647"),
        ("CHAR(99999999999)", "length must be"),
        ("VARCHAR(x)", "length expected"),
        ("DECIMAL(39)", "precision must be from 1 to 38"),
        ("DECIMAL(5, 6)", "scale must be from 0 to 5"),
        ("TIMESTAMP(10)", "precision must be from 0 to 9"),
        ("GEOMETRY()", "coordinate reference system expected"),
        ("GEOMETRY(a, b)", "')' expected"),
        ("GEOGRAPHY(a, plane)", "one of spherical, vincenty, thomas, andoyer, karney expected"),
        ("MAP<INT>", "',' expected"),
        ("ARRAY<INT", "'>' expected"),
        ("ROW<a>", "type expected"),
        ("`INT`", "type expected"),
        ("ROW<`a INT>", "cannot read"),
        ("ARRAY<" * 101 + "INT" + ">" * 101, "types nested more than 100 deep at character 605"),
        ("ROW<a " * 5000 + "INT" + ">" * 5000, "types nested more than 100 deep"),
        (f"ROW<{'a ARRAY<INT>, ' * 50}b {'ARRAY<' * 100}INT{'>' * 101}", "more than 100 deep"),
        (f"CHAR({'9' * 5000})", "length must be"),
    ],
)
def test_what_is_not_a_type_is_an_error_that_says_where(text: str, says: str) -> None:
    with pytest.raises(SchemaError) as error:
        parse_type(text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


leaf_types = st.sampled_from([*BITMAP_TYPES, *OTHER_TYPES, parse_type("VARIANT")])

any_type = st.recursive(
    st.builds(DataType.with_nullable, leaf_types, st.booleans()),
    lambda inner: (
        st.builds(
            lambda root, part, nullable: DataType(root, nullable, fields=(Field("element", part),)),
            st.sampled_from(["ARRAY", "MULTISET"]),
            inner,
            st.booleans(),
        )
        | st.builds(
            lambda key, value: DataType("MAP", fields=(Field("key", key), Field("value", value))),
            inner,
            inner,
        )
        | st.builds(
            lambda names, part: DataType("ROW", fields=tuple(Field(n, part, n) for n in names)),
            # Paimon prints no empty comment, so that one would not come back.
            st.lists(st.text(min_size=1), max_size=3, unique=True),
            inner,
        )
    ),
    max_leaves=5,
)


@given(any_type)
def test_the_printed_text_is_the_type(data_type: DataType) -> None:
    assert parse_type(str(data_type)) == data_type


def test_nested_types_in_a_schema_file() -> None:
    node = {
        "type": "MAP NOT NULL",
        "key": "STRING NOT NULL",
        "value": {
            "type": "ROW",
            "fields": [
                {"id": 7, "name": "a", "type": {"type": "ARRAY", "element": "INT"}},
                {"id": 8, "name": "b", "type": "DATE", "description": "a day"},
            ],
        },
    }
    parsed = type_from_json(node)
    assert str(parsed) == (
        "MAP<STRING NOT NULL, ROW<`a` ARRAY<INT>, `b` DATE COMMENT 'a day'>> NOT NULL"
    )
    assert [field.id for field in parsed.fields[1].type.fields] == [7, 8]
    vector = type_from_json({"type": "VECTOR", "element": "FLOAT", "length": 3})
    assert str(vector) == "VECTOR<FLOAT, 3>"


def deep(levels: int) -> object:
    node: object = "INT"
    for _ in range(levels):
        node = {"type": "ARRAY", "element": node}
    return node


@pytest.mark.parametrize(
    ("node", "text"),
    [
        ("INTERVAL YEAR(2) TO MONTH NOT NULL", "INTERVAL YEAR(2) TO MONTH NOT NULL"),
        ("ARRAY<UUID>", "ARRAY<UUID>"),
        ({"type": "SET", "element": "INT"}, "SET"),
        ({"type": "ARRAY NOT NULL", "element": "UUID"}, "ARRAY<UUID> NOT NULL"),
    ],
)
def test_types_of_later_versions_in_a_schema_file(node: object, text: str) -> None:
    found = type_from_json(node)
    assert (str(found), found.is_known) == (text, False)
    with pytest.raises(UnsupportedError, match="unknown to this version") as refused:
        to_arrow(found)
    assert refused.value.remedy == LEAVE_OUT


def test_nesting_has_a_limit() -> None:
    assert str(parse_type(str(type_from_json(deep(100))))).count("ARRAY") == 100


@pytest.mark.parametrize(
    "node",
    [
        7,
        {},
        {"type": "ARRAY"},
        {"type": 1},
        {"type": "ROW", "fields": 5},
        {"type": "ROW", "fields": [{"name": 5, "type": "INT"}]},
        {"type": "VECTOR", "element": "FLOAT", "length": "x"},
        deep(101),
        deep(5000),
    ],
    ids=range(9),
)
def test_broken_types_in_a_schema_file(node: object) -> None:
    with pytest.raises(SchemaError):
        type_from_json(node)


def test_each_suggestion_is_a_type() -> None:
    """No type of another system is one of Paimon's, and each suggested name is."""
    assert set(_ELSEWHERE.values()) <= set(_ROOTS)
    assert not any("unknown type" in refused(root) for root in _ROOTS)
    assert all("unknown type" in refused(name) for name in _ELSEWHERE)


def refused(text: str) -> str:
    """Return the error about a type; an empty text if it is one."""
    try:
        parse_type(text)
    except SchemaError as error:
        return str(error)
    return ""
