import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES


def test_parse() -> None:
    schema = Schema.parse(
        "status STRING, user_id BIGINT NOT NULL COMMENT 'who', `a b.c` DECIMAL(10, 2), "
        "été INT, date DATE, `tick``ed` MAP<STRING, ROW<x INT>>"
    )
    assert schema.names == ("status", "user_id", "a b.c", "été", "date", "tick`ed")
    assert schema["user_id"] == parse_type("BIGINT NOT NULL")
    assert schema.fields[1].description == "who"
    assert len(schema) == 6
    assert "a b.c" in schema and "zz" not in schema and 7 not in schema
    assert Schema.parse(str(schema)) == schema


def test_an_empty_text_is_a_schema_without_columns() -> None:
    assert Schema.parse(" ") == Schema(())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a INT, a STRING", "column 'a' is given twice"),
        ("a", "type expected"),
        ("a INT b INT", "',' expected"),
        ("a INT,", "column name expected"),
        ("a.b INT", "cannot read '.b INT' at character 1"),
        ("a INT COMMENT 'open", "cannot read"),
        ("a UUID", "unknown type 'UUID'"),
    ],
)
def test_what_is_not_a_schema(text: str, says: str) -> None:
    with pytest.raises(SchemaError) as error:
        Schema.parse(text)
    assert says in str(error.value)


@given(
    st.lists(
        st.builds(
            Field,
            st.text(),
            st.sampled_from([*BITMAP_TYPES, *OTHER_TYPES]),
            st.none() | st.text(min_size=1),
        ),
        unique_by=lambda field: field.name,
    )
)
def test_the_printed_text_is_the_schema(fields: list[Field]) -> None:
    schema = Schema(tuple(fields))
    assert Schema.parse(str(schema)) == schema


def test_arrow() -> None:
    arrow = pa.schema(
        [
            pa.field("a", pa.int32(), nullable=False),
            pa.field("b", pa.dictionary(pa.int8(), pa.string())),
            pa.field("t", pa.timestamp("us", "Europe/Berlin")),
        ]
    )
    schema = Schema.from_arrow(arrow)
    assert str(schema) == "`a` INT NOT NULL, `b` STRING, `t` TIMESTAMP(6) WITH LOCAL TIME ZONE"
    assert schema.to_arrow() == pa.schema(
        [
            pa.field("a", pa.int32(), nullable=False),
            pa.field("b", pa.string()),
            pa.field("t", pa.timestamp("us", "UTC")),
        ]
    )
    with pytest.raises(UnsupportedError, match="column 'n'"):
        Schema.from_arrow(pa.schema([("n", pa.null())]))


def test_paimon_schema_file() -> None:
    document = {
        "version": 3,
        "id": 0,
        "fields": [
            {"id": 0, "name": "id", "type": "INT NOT NULL"},
            {"id": 1, "name": "t", "type": "TIMESTAMP(3)", "description": "when"},
            {"id": 4, "name": "m", "type": {"type": "MAP", "key": "STRING", "value": "INT"}},
        ],
        "options": {"bucket": "-1"},
    }
    schema = Schema.from_paimon_json(json.dumps(document))
    assert schema == Schema.from_paimon_json(document)
    assert str(schema) == (
        "`id` INT NOT NULL, `t` TIMESTAMP(3) COMMENT 'when', `m` MAP<STRING, INT>"
    )
    assert [field.id for field in schema] == [0, 1, 4]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"fields": 1}', '{"fields": [{"name": "a"}]}'])
def test_what_is_not_a_paimon_schema_file(text: str) -> None:
    with pytest.raises(SchemaError):
        Schema.from_paimon_json(text)


def test_a_misspelt_column_is_told_with_the_nearest_ones() -> None:
    schema = Schema.parse("Status STRING, " + ", ".join(f"c{n} INT" for n in range(100)))
    with pytest.raises(SchemaError) as error:
        schema["statsu"]
    assert str(error.value).startswith("no column 'statsu' (did you mean 'Status'?): the schema")
    assert str(error.value).endswith("c38, c39 and 60 more")
    with pytest.raises(SchemaError, match="no column 'a': the schema has none"):
        Schema(())["a"]


def test_a_key_of_a_map_is_a_column_that_may_be_null() -> None:
    schema = Schema.parse("m MAP<STRING, INT NOT NULL>, `x[y` MAP<STRING, DATE>, n INT")
    assert schema.resolve("m[k1]") == parse_type("INT")
    assert schema["m[a]b[c]]"] == parse_type("INT")
    assert schema["x[y[z]"] == parse_type("DATE")
    assert "m[k1]" in schema and "n[k1]" not in schema
    with pytest.raises(SchemaError, match=r"no column 'n\[k1\]': the schema has m, x\[y, n"):
        schema["n[k1]"]


def test_names_are_the_same_or_differ_in_case_only() -> None:
    schema = Schema.parse("a INT, A BIGINT, Mixed DATE, M MAP<STRING, INT>")
    assert schema.column("A", ignore_case=True).type.root == "BIGINT"
    assert schema.column("mixed", ignore_case=True).name == "Mixed"
    # The key of a map is data: its case counts.
    assert schema.column("m[Key]", ignore_case=True).name == "M[Key]"
    with pytest.raises(SchemaError, match="no column 'mixed'"):
        schema.column("mixed")
    twice = Schema.parse("ab INT, AB INT")
    with pytest.raises(SchemaError, match="'Ab' is ambiguous: write one of ab, AB"):
        twice.column("Ab", ignore_case=True)
