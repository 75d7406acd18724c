"""Which field each byte of a file belongs to: no gaps, and each byte's value is in its field."""

import pytest

from paimon_ksy.inspection.byte_map import HexField, hex_fields
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema
from tests.support.file_indexes import FILES


def fields_of(data: bytes, schema: Schema | None, start: int, length: int) -> list[HexField]:
    with open_source(data) as source:
        return hex_fields(source, schema, start, length)


@pytest.mark.parametrize("name", FILES)
def test_any_range_is_covered_without_gaps_by_the_fields_of_the_whole(name: str) -> None:
    data, schema = FILES[name]
    whole = fields_of(data, schema, 0, len(data))
    path_at = [found.path for found in whole for _ in range(found.start, found.end)]
    assert len(path_at) == len(data)
    assert None not in path_at
    for start in range(0, len(data), 7):
        for length in (0, 1, 10, len(data)):
            found = fields_of(data, schema, start, length)
            end = min(start + length, len(data))
            assert [n for f in found for n in range(f.start, f.end)] == [*range(start, end)]
            assert [f.path for f in found for _ in range(f.start, f.end)] == path_at[start:end]


def test_bodies_of_unknown_types_and_other_files_are_one_field() -> None:
    data, schema = FILES["INT V2"]
    typed = fields_of(data, schema, 0, len(data))
    plain = fields_of(data, None, 0, len(data))
    assert len(plain) < len(typed)
    assert (plain[-1].end, plain[-1].path is None) == (len(data), False)
    assert fields_of(b"nothing known", None, 2, 5) == [HexField(2, 7, None)]
    assert fields_of(b"", None, 0, 5) == []
