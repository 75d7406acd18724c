"""The specs and the examples' entry points in the real Kaitai Web IDE, in headless Chromium."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import golden_index
from tests.support.webide import Node, Page, ide_folder, parse, web_ide
from tools.entry_point import entry_point

pytestmark = [pytest.mark.browser, pytest.mark.web_ide]

SPECS = {path.name: path.read_bytes() for path in (ROOT / "specs").glob("*.ksy")}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = ide_folder()
    assert folder is not None
    with web_ide(folder, tmp_path_factory.mktemp("chromium")) as page:
        yield page


def test_worked_example_shows_its_values(page: Page) -> None:
    nodes = open_example(page, ROOT / "examples" / "worked")
    assert [node for node in nodes if node.problem] == []
    assert values(nodes, "statusBitmap") == ['"CANCELLED"', '"COMPLETED"', '"PENDING"']
    assert values(nodes, "regionBitmap") == ['"ASIA"', '"EU"', '"US"']
    assert rows_of(nodes, "statusBitmap", '"PENDING"') == [0, 2, 5, 8]
    names = [node.text for node in nodes if re.fullmatch(r"file\.head\.columns\.\d+", node.path)]
    assert names == ['0 [FileIndexColumn]: "region"', '1 [FileIndexColumn]: "status"']


def test_orders_show_their_values(page: Page) -> None:
    nodes = open_example(page, ROOT / "examples" / "orders")
    assert [node for node in nodes if node.problem] == []
    assert '"PENDING"' in values(nodes, "statusBitmap")
    assert len(values(nodes, "userIdBitmap")) == 1998


@pytest.mark.parametrize(
    ("name", "sql_type", "shown"),
    [
        ("t_bitmap_v1_double", "DOUBLE", {"NaN", "Infinity", "-Infinity", "0"}),
        ("t_bitmap_v2_boolean", "BOOLEAN", {"0", "1"}),
        ("t_bitmap_v2_timestamp_6", "TIMESTAMP(6)", {"-1", "0", "1704110400123456"}),
        ("t_bitmap_v1_string", "STRING", {'""', '"k1"', '"k2"'}),
    ],
)
def test_values_of_other_types(
    page: Page, tmp_path: Path, name: str, sql_type: str, shown: set[str]
) -> None:
    index = tmp_path / "golden.index"
    index.write_bytes(golden_index(name).data)
    spec = entry_point(index, Schema.parse(f"c {sql_type}"), "golden").encode()
    files = {**SPECS, "golden.ksy": spec, index.name: index.read_bytes()}
    nodes = parse(page, files, "golden.ksy", index.name)
    assert [node for node in nodes if node.problem] == []
    assert shown <= set(values(nodes, "cBitmap"))


def test_damage_is_shown(page: Page) -> None:
    """The test of the tests: a wrong byte is a problem in the tree."""
    folder = ROOT / "examples" / "worked"
    data = bytearray((folder / "orders.parquet.index").read_bytes())
    data[80] = 9  # the version of the first bitmap index
    nodes = open_example(page, folder, bytes(data))
    assert "Error: not any of the list, got [9]" in {node.problem for node in nodes}
    data[11] = 9  # the version of the file
    with pytest.raises(AssertionError, match=r"expected \[1\], but got \[9\]"):
        open_example(page, folder, bytes(data))


def open_example(page: Page, folder: Path, data: bytes | None = None) -> list[Node]:
    """The tree that the IDE shows for an example's index and entry point."""
    (spec,), index = folder.glob("*.ksy"), folder / "orders.parquet.index"
    files = {**SPECS, spec.name: spec.read_bytes(), index.name: data or index.read_bytes()}
    return parse(page, files, spec.name, index.name)


def values(nodes: list[Node], instance: str) -> list[str]:
    """The values of an index as the tree shows them, in the order of the file."""
    entry = re.compile(rf"{instance}\.v[12]\.(.+\.)?entries\.\d+")
    return [node.text.partition(": ")[2] for node in nodes if entry.fullmatch(node.path)]


def rows_of(nodes: list[Node], instance: str, value: str) -> list[int]:
    """The rows of a value, from an array container."""
    (entry,) = [
        node.path
        for node in nodes
        if node.path.startswith(f"{instance}.") and node.text.endswith(f"[BitmapEntryV2]: {value}")
    ]
    row = re.compile(rf"{re.escape(entry)}\.bitmap\.containers\.0\.values\.\d+")
    return [int(node.text.rpartition("= ")[2]) for node in nodes if row.fullmatch(node.path)]
