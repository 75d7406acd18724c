from paimon_ksy.types.data_type import MAX_LENGTH, DataType, column_type
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import BITMAP_TYPES


def test_the_index_stores_timestamps_in_two_units() -> None:
    from tests.reference.typed_value import TypedValue

    kinds = TypedValue.StoredType
    for precision in range(10):
        unit = kinds.timestamp_millis if precision <= 3 else kinds.timestamp_micros
        assert column_type(parse_type(f"TIMESTAMP({precision})")) == unit.value
        assert column_type(parse_type(f"TIMESTAMP_LTZ({precision})")) == unit.value


def test_bitmap_takes_these_types_and_refuses_the_others() -> None:
    from tests.reference.typed_value import TypedValue

    taken = {column_type(data_type) for data_type in BITMAP_TYPES}
    assert taken == {kind.value for kind in TypedValue.StoredType}
    for text in ["DECIMAL(10, 2)", "BINARY(4)", "BYTES", "ARRAY<INT>", "MAP<STRING, INT>", "BLOB"]:
        assert column_type(parse_type(text)) is None


def test_types_are_values() -> None:
    assert parse_type("STRING") == DataType("VARCHAR", length=MAX_LENGTH)
    assert len({parse_type("INT"), parse_type("integer"), parse_type("INT NOT NULL")}) == 2
