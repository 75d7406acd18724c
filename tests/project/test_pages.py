"""Pages in headless Chromium: accessibility by axe, hostile content, size and time."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.inspection.file_page import file_page
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, VECTORS, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.pages.section import PARTS
from paimon_ksy.table.inspect.table_page import table_page
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.golden import bad_files, golden_index
from tests.golden.vectors import golden_hashes, golden_vectors
from tests.support.browser import Page, chromium
from tests.support.golden_json import schema_from_spec
from tests.support.pages import accessibility_problems, elements, opened
from tests.support.tables import STATUS, make, run_rewrite

pytestmark = pytest.mark.browser

MOST_BYTES = 5_000_000
MOST_ELEMENTS = 20_000  # a page of these opens within two seconds
HOSTILE = (
    "</script><script>window.hacked = 1</script>\"'><img src=x onerror='window.hacked=1'>\u202e\x07"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("chromium")) as page:
        yield page


def written(
    folder: Path, data: bytes, kind: FileKind = FILE_INDEX, schema: Schema | None = None
) -> Path:
    """The page about a file."""
    path = folder / "report.html"
    with open_source(data) as source:
        subject = Subject(source, schema)
        text = file_page(kind, subject, verify_as(kind, subject))
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name", ["types_bitmap_v2", "c_all_indexes_one_column", "vectors", "bucket-index", "broken"]
)
def test_pages_are_accessible(page: Page, tmp_path: Path, name: str, scheme: str) -> None:
    if name == "vectors":
        [many] = [each for each in golden_vectors() if each.name == "dv32_many"]
        path = written(tmp_path, many.data, VECTORS)
    elif name == "bucket-index":
        path = written(tmp_path, golden_hashes()["few"][0], BUCKET_INDEX)
    elif name == "broken":
        path = written(tmp_path, next(b.data for b in bad_files() if b.name == "truncated_body"))
    else:
        case = golden_index(name)
        path = written(tmp_path, case.data, schema=schema_from_spec(case.spec))
    check_accessible(page, path, scheme)


def test_strips_of_alternating_rows_are_complete(page: Page, tmp_path: Path) -> None:
    values = pa.table({"v": ["ab"[row % 2] for row in range(PARTS)]})
    schema, asked = Schema.parse("v STRING"), pk.FileIndexOptions.of([pk.IndexSpec("bitmap", "v")])
    path = written(tmp_path, pk.build_file_index(values, schema, asked), schema=schema)
    with opened(page, path) as tab:
        drawn = "[...document.querySelectorAll('.strip path')].map(e => e.getTotalLength())"
        assert tab.evaluate(drawn) == [PARTS / 2 * 4] * 2


def table(folder: Path, num_files: int) -> str:
    """A table with a file in each partition, some of them with hostile names."""
    per_file = 20
    ids = range(num_files * per_file)
    day = [f"{HOSTILE if not i // per_file % 7 else 'd'}{i // per_file:04d}" for i in ids]
    status = [f"s{i * 7 % 5}" for i in ids]
    data = pa.table({"id": pa.array(ids, pa.int64()), "status": status, "day": day})
    path = make(folder, [data], STATUS | {"metadata.stats-mode": "full"}, ["day"])
    run_rewrite(path)
    return path


def table_report(folder: Path, path: str) -> Path:
    """The page about a table, with a query."""
    opened_table = Table.at(path)
    found = list(pk.audit(opened_table, engine=pk.local_engine()))
    where = "status = 's3' AND day < 'd0100' AND id > 50"
    report = folder / "table.html"
    report.write_text(table_page(opened_table, found, where=where), encoding="utf-8")
    return report


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_tables_are_accessible(page: Page, tmp_path: Path, scheme: str) -> None:
    path = table_report(tmp_path, table(tmp_path, 8))
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text and not set(text) & {"\u202e", "\x07"}
    check_accessible(page, path, scheme)
    with opened(page, path) as tab:
        assert tab.evaluate("window.hacked") is None


@pytest.mark.slow
def test_a_large_table(page: Page, tmp_path: Path) -> None:
    path = table_report(tmp_path, table(tmp_path, 2000))
    assert path.stat().st_size < MOST_BYTES
    assert elements(page, path) < MOST_ELEMENTS


def check_accessible(page: Page, path: Path, scheme: str) -> None:
    """No problem in a browser of this colour scheme; and nothing is wider than a narrow window."""
    with opened(page, path, 1000, scheme) as tab:
        assert accessibility_problems(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= 1000


def test_nothing_of_a_file_runs_or_hides(page: Page, tmp_path: Path) -> None:
    column = HOSTILE
    values = [HOSTILE, "\u2066<b>", None, "]]>", "{{ 7 * 7 }}"]
    schema = Schema((pk.Field(column, pk.parse_type("STRING")),))
    data = pk.build_file_index(
        pa.table({column: values}), schema, pk.FileIndexOptions.of([pk.IndexSpec("bitmap", column)])
    )
    path = written(tmp_path, data, schema=schema)
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text and "</script" not in text
    assert not set(text) & {"\u202e", "\u2066", "\x07"}
    with opened(page, path) as tab:
        assert tab.evaluate("window.hacked") is None
        assert tab.evaluate("document.images.length") == 0
        shown = tab.evaluate("document.body.innerText")
        assert "\\u202e" in shown and "onerror" in shown and "{{ 7 * 7 }}" in shown


def test_a_large_index_is_sampled(page: Page, tmp_path: Path) -> None:
    rows = 1_500_000
    table = pa.table({"v": pa.array([i * 7919 % 400_000 for i in range(rows)], pa.int32())})
    schema = Schema.parse("v INT")
    data = bytes(
        pk.build_file_index(table, schema, pk.FileIndexOptions.of([pk.IndexSpec("bitmap", "v")]))
    )
    assert len(data) > 14 << 20
    path = written(tmp_path, data, schema=schema)
    assert path.stat().st_size < MOST_BYTES
    assert "A sample: " in path.read_text(encoding="utf-8")
    assert elements(page, path) < MOST_ELEMENTS
