"""Which field each byte of a file belongs to: no gaps, and each byte's value is in its field."""

from dataclasses import replace

import pytest
from ksykit.runtime import objects

from paimon_ksy.inspection import byte_map
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.json import file_parts
from paimon_ksy.io.file_format import FieldBytes
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema
from tests.golden import GoldenIndex, golden_indexes
from tests.support.file_indexes import FILES
from tests.support.golden_json import schema_from_spec


def fields_of(data: bytes, schema: Schema | None, start: int, length: int) -> list[FieldBytes]:
    with open_source(data) as source:
        return hex_fields(source, schema, start, length)


@pytest.mark.parametrize(
    "case",
    [case for case in golden_indexes() if len(case.data) < 10_000],
    ids=lambda case: case.name,
)
def test_any_range_has_the_fields_that_the_parsed_file_has(case: GoldenIndex) -> None:
    """Of a bitmap index, only the parts in the range are parsed."""
    schema = schema_from_spec(case.spec)
    with open_source(case.data) as source:
        whole = byte_map.hex_fields(source, schema, 0, len(case.data))
        for part in file_parts(source, schema)[1:]:
            leaves = objects.layout([(part.start, part.parsed(source))])
            # By their text, since NaN is not equal to itself.
            assert [repr((f.start, f.end, f.value)) for f in leaves] == [
                repr((f.start, f.end, f.value))
                for f in whole
                if f.path and part.start <= f.start < part.start + part.size
            ]
        for start in range(0, len(case.data), max(1, len(case.data) // 20)):
            some = byte_map.hex_fields(source, schema, start, 30)
            end = min(start + 30, len(case.data))
            cut = [
                replace(field, start=low, end=high, data=case.data[low:high])
                for field in whole
                if field.start < end and field.end > start
                for low, high in [(max(field.start, start), min(field.end, end))]
            ]
            assert repr(some) == repr(cut)


def test_bodies_of_unknown_types_and_other_files_are_one_field() -> None:
    data, schema = FILES["INT V2"]
    typed = fields_of(data, schema, 0, len(data))
    plain = fields_of(data, None, 0, len(data))
    assert len(plain) < len(typed)
    assert (plain[-1].end, plain[-1].path is None) == (len(data), False)
    assert fields_of(b"nothing known", None, 2, 5) == [FieldBytes(2, 7, None, data=b"thing")]
    assert fields_of(b"", None, 0, 5) == []
