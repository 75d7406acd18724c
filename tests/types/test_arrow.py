"""Types as Arrow has them."""

import pyarrow as pa
import pytest

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.types.arrow import from_arrow, to_arrow
from paimon_ksy.types.parse import parse_type

ARROW = {
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "STRING": pa.string(),
    "BINARY(4)": pa.binary(4),
    "BYTES": pa.binary(),
    "BLOB": pa.large_binary(),
    "DECIMAL(10, 2)": pa.decimal128(10, 2),
    "DATE": pa.date32(),
    "TIME(3)": pa.time32("ms"),
    "TIMESTAMP(0)": pa.timestamp("s"),
    "TIMESTAMP(3)": pa.timestamp("ms"),
    "TIMESTAMP(6)": pa.timestamp("us"),
    "TIMESTAMP(9)": pa.timestamp("ns"),
    "TIMESTAMP(0) WITH LOCAL TIME ZONE": pa.timestamp("s", "UTC"),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": pa.timestamp("us", "UTC"),
    "ARRAY<INT NOT NULL>": pa.list_(pa.field("element", pa.int32(), nullable=False)),
    "VECTOR<FLOAT, 3>": pa.list_(pa.field("element", pa.float32()), 3),
    "MAP<STRING NOT NULL, INT>": pa.map_(pa.string(), pa.int32()),
    "ROW<`a` INT, `b` STRING NOT NULL>": pa.struct(
        [pa.field("a", pa.int32()), pa.field("b", pa.string(), nullable=False)]
    ),
}


@pytest.mark.parametrize(("text", "arrow"), ARROW.items())
def test_arrow_types_come_and_go(text: str, arrow: pa.DataType) -> None:
    assert str(from_arrow(arrow)) == text
    if text != "BINARY(4)":  # Paimon writes it with a variable length
        assert to_arrow(parse_type(text)) == arrow


@pytest.mark.parametrize(
    ("text", "arrow"),
    [
        ("CHAR(5)", pa.string()),
        ("VARCHAR(20)", pa.string()),
        ("BINARY(4)", pa.binary()),
        ("TIME(0)", pa.time32("ms")),
        ("TIMESTAMP(1)", pa.timestamp("ms")),
        ("TIMESTAMP(4)", pa.timestamp("us")),
        ("TIMESTAMP(7)", pa.timestamp("ns")),
        ("MULTISET<STRING>", pa.map_(pa.string(), pa.field("count", pa.int32(), nullable=False))),
    ],
)
def test_types_that_arrow_does_not_tell_apart(text: str, arrow: pa.DataType) -> None:
    assert to_arrow(parse_type(text)) == arrow


@pytest.mark.parametrize(
    ("arrow", "text"),
    [
        (pa.large_string(), "STRING"),
        (pa.string_view(), "STRING"),
        (pa.dictionary(pa.int32(), pa.string()), "STRING"),
        (pa.run_end_encoded(pa.int32(), pa.int64()), "BIGINT"),
        (pa.decimal256(20, 3), "DECIMAL(20, 3)"),
        (pa.time64("ns"), "TIME(9)"),
        (pa.date64(), "DATE"),
        (pa.large_list(pa.int8()), "ARRAY<TINYINT>"),
    ],
)
def test_other_arrow_layouts_of_the_same_values(arrow: pa.DataType, text: str) -> None:
    assert str(from_arrow(arrow)) == text


@pytest.mark.parametrize("arrow", [pa.uint32(), pa.null(), pa.duration("s"), pa.decimal256(50, 3)])
def test_arrow_types_that_paimon_lacks(arrow: pa.DataType) -> None:
    with pytest.raises(UnsupportedError, match="cast"):
        from_arrow(arrow)
