"""What is on a page about a file; tests/project/test_pages.py opens pages in a browser."""

import html
import re
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.inspection.file_page import LISTED, VALUES, file_page
from paimon_ksy.inspection.verify import verify, verify_as
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, VECTORS, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import VectorMeta, join_vectors
from paimon_ksy.types.schema import Schema
from tests.golden import bad_files, golden_index
from tests.golden.vectors import bad_vectors, golden_hashes
from tests.support.damage import flipped
from tests.support.examples import ORDERS, TYPES, WORKED
from tests.support.golden_json import schema_from_spec


def made(
    data: bytes, kind: FileKind = FILE_INDEX, schema: Schema | None = None, **more: Any
) -> str:
    with open_source(data) as source:
        subject = Subject(source, schema, **more)
        return file_page(kind, subject, verify_as(kind, subject))


def words(page: str) -> str:
    """The text of a page, with one blank between words."""
    body = page.partition("<body")[2]
    return " ".join(html.unescape(re.sub(r"<script>.*|<[^>]+>", " ", body)).split())


def test_values_and_where_their_rows_lie() -> None:
    page = made(WORKED.read_bytes(), schema=Schema.parse(TYPES))
    text = words(page)
    assert "No problems" in text and "region STRING" in text
    assert "'US' 4 1 array 'ASIA' 3 1 array 'EU' 3 1 array" in text
    assert 'aria-label="4 of 10 rows; the fullest part has 100 % of its rows"' in page
    [us] = re.findall(r"'US'|&#39;US&#39;.*?</svg>", page, re.DOTALL)[:1]
    assert "M0 0h1V1H0zM3 0h1V1H3zM5 0h1V1H5zM9 0h1V1H9z" in us


def test_without_types_it_asks_for_them() -> None:
    text = words(made(WORKED.read_bytes()))
    assert "--schema" in text and "'US'" not in text and "rows 10" in text


@pytest.mark.parametrize(
    "name", ["types_bitmap_v1", "types_bitmap_v2", "types_range", "types_bsi", "types_bloom"]
)
def test_every_type_of_index(name: str) -> None:
    case = golden_index(name)
    text = words(made(case.data, schema=schema_from_spec(case.spec)))
    assert "Broken" not in text and "No problems" in text
    for column in case.columns:
        assert column["name"] in text


def test_parts_of_several_types() -> None:
    case = golden_index("c_all_indexes_one_column")
    text = words(made(case.data, schema=schema_from_spec(case.spec)))
    for fact in ("false positives", "slices (", "positive", "bits set", "nulls"):
        assert fact in text


def test_long_lists_are_cut_and_say_so() -> None:
    schema = Schema.parse("user_id BIGINT, order_date DATE")
    text = words(made(ORDERS.read_bytes(), schema=schema))
    assert f"{365 - VALUES} more" in text and "A sample: " in text
    _, data = join_vectors(
        "index-1", {f"f{i}": DeletionVector.of([i]).stored() for i in range(LISTED + 5)}
    )
    text = words(made(data, VECTORS))
    assert "... 5 more" in text


def test_an_index_of_many_columns_is_bounded() -> None:
    names = [f"c{i}" for i in range(30)]
    values = pa.array([f"{i % 25:02d}" * 1_000 for i in range(200)])
    schema = Schema.parse(", ".join(f"{name} STRING" for name in names))
    specs = [IndexSpec("bitmap", name) for name in names]
    table = pa.table(dict.fromkeys(names, values))
    data = bytes(build_file_index(table, schema, FileIndexOptions.of(specs)))
    page = made(data, schema=schema)
    assert len(page) < 5_000_000
    assert words(page).count("... 5 more") == len(names), "each of them says what is left out"
    assert all(f"{name} STRING" in page for name in names)


def test_vectors_with_their_data_files() -> None:
    files, data = join_vectors("index-1", {"a.parquet": DeletionVector.of([3, 70_000]).stored()})
    [meta] = files.vectors
    meta = VectorMeta(meta.offset, meta.length, meta.cardinality, "<a>.parquet")
    page = made(data, VECTORS, vectors=[meta])
    assert "<a>.parquet" in words(page) and "<a>" not in page
    assert "max 70,000" in words(page) and "2 arrays" in words(page)
    [bad] = [bad for bad in bad_vectors() if bad.name == "crc_flipped"]
    text = words(made(bad.data, VECTORS))
    assert (
        "CRC of the vector is wrong" in text
        and "1 error" not in text
        and "error deletion-vector" in text
    )


def test_bucket_index() -> None:
    text = words(made(golden_hashes()["many"][0] + b"\x00", BUCKET_INDEX))
    assert "trailing bytes 1" in text and "1 byte left over after the last" in text
    text = words(made(b"", BUCKET_INDEX))
    assert "num hash codes 0" in text and "cannot be read" not in text


@pytest.mark.parametrize("bad", bad_files(), ids=lambda bad: bad.name)
def test_broken_files_have_a_page(bad: object) -> None:
    data = bad.data  # type: ignore[attr-defined]
    found = verify(data, Schema.parse("a INT"), kind="index")
    text = words(made(data, schema=Schema.parse("a INT")))
    assert all(finding.message[:40] in text for finding in found)


def test_damaged_bits_have_a_page() -> None:
    data, schema = WORKED.read_bytes(), Schema.parse(TYPES)
    for bit in range(0, len(data) * 8, 151):
        assert "</html>" in made(flipped(data, bit), schema=schema)


def test_each_finding_is_at_its_field() -> None:
    data = bytearray(WORKED.read_bytes())
    [bad] = [bad for bad in bad_files() if bad.name == "version_2"]
    assert "0 00 05 4e 4e d0 1a 35 ae 00 00 00 02 00 00 00 2f no field error" in words(
        made(bad.data)
    )
    data[226] = 3
    text = words(made(bytes(data), schema=Schema.parse(TYPES)))
    assert "Byte 226." in text and "226 03" in text
    assert text.partition("Every byte")[2].count(" error") == 1


def test_errors_come_first() -> None:
    [bad] = [bad for bad in bad_files() if bad.name == "start_past_end"]
    severities = re.findall(r'class="severity">(\w+)', made(bad.data))
    assert severities == ["error", "warning"]
