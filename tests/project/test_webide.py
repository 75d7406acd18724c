"""Entry points in the real Kaitai Web IDE, in headless Chromium, with lazy parsing off."""

import datetime as dt
import io
import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from paimon_ksy.inspection.entry_point import entry_point
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, ORC, PARQUET, VECTORS, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.types.data_type import DataType, from_unscaled, to_utf8
from paimon_ksy.types.schema import Schema
from tests.golden import bad_files, golden_index
from tests.golden.vectors import GoldenVectors, golden_hashes, golden_vectors
from tests.support.browser import Page
from tests.support.golden_json import columns_from_spec, schema_from_spec
from tests.support.vectors import written
from tests.support.webide import Node, ide_folder, parse, web_ide

pytestmark = [pytest.mark.browser, pytest.mark.web_ide]

_EPOCH = dt.datetime(1970, 1, 1)
FULL = [
    "types_bitmap_v1",
    "types_bitmap_v2",
    "types_bitmap_v2_block",
    "types_range",
    "types_range_chunk",
    "types_bsi",
    "types_bloom",
    "c_all_indexes_one_column",
    "c_one_row_null",
    "c_map_nested",
]
"""Golden files with each index type on each column type, and MAP keys."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = ide_folder()
    assert folder is not None
    with web_ide(folder, tmp_path_factory.mktemp("chromium")) as page:
        yield page


class Tree:
    """What the IDE shows of a file: labels and rows by path."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.problems = {node.path: node.problem for node in nodes if node.problem}
        self._rows: dict[str, list[range]] = defaultdict(list)
        for node in nodes:
            if found := _rows_of_label(node.text):
                parts = node.path.split(".")
                for at in range(len(parts)):
                    self._rows[".".join(parts[:at])] += found

    def labels(self, path: str) -> dict[str, str]:
        """The labels of the nodes whose path is like this pattern, by path."""
        pattern = re.compile(path)
        found = {n.path: n.text for n in self.nodes if pattern.fullmatch(n.path)}
        return {path: text.partition(": ")[2] for path, text in found.items()}

    def rows(self, path: str) -> list[range]:
        """The rows below a node, as labels of containers' values have them."""
        return joined(self._rows.get(path, []))

    def number(self, path: str) -> int:
        """The value of a number."""
        [text] = [node.text for node in self.nodes if node.path == path]
        return int(text.rpartition("= ")[2])


def _rows_of_label(text: str) -> list[range]:
    if "[RowOfValue]" in text or "[RowsOfWord]" in text:
        rows = map(int, re.findall(r"(?<= )\d+", text.partition(": ")[2]))
        return [range(row, row + 1) for row in rows]
    if "[RowsOfRun]" in text:
        first, last = map(int, re.findall(r"\d+", text.partition(": ")[2]))
        return [range(first, last + 1)]
    return []


def joined(ranges: Iterable[range]) -> list[range]:
    """Ascending ranges, with those in one that touch."""
    found: list[range] = []
    for each in ranges:
        if found and found[-1].stop == each.start:
            found[-1] = range(found[-1].start, each.stop)
        else:
            found.append(each)
    return found


def ranges_of(rows: Iterable[int]) -> list[range]:
    """Ascending rows as ranges."""
    return joined(range(row, row + 1) for row in rows)


def opened(
    page: Page,
    data: bytes,
    kind: FileKind = FILE_INDEX,
    schema: Schema | None = None,
) -> Tree:
    """The tree of a file and its entry point."""
    made = entry_point(kind, Subject(open_source(data), schema))
    files = {"entry.ksy": made.text.encode(), "data": data}
    return Tree(parse(page, files, "entry.ksy", "data"))


@pytest.mark.parametrize("form", ["parquet", "orc", "orc zlib"])
def test_data_files_show_their_footers(page: Page, form: str) -> None:
    data = io.BytesIO()
    table = pa.table({"status": [1, 2, 3]})
    if form == "parquet":
        pq.write_table(table, data)
    else:
        orc.write_table(table, data, compression=form.partition(" ")[2] or "uncompressed")
    tree = opened(page, data.getvalue(), PARQUET if form == "parquet" else ORC)
    assert tree.problems == {}
    numbers = {
        node.path.removesuffix(".number"): int(node.text.split(" ")[-1])
        for node in tree.nodes
        if node.path.endswith(".number")
    }
    if form == "parquet":  # version, schema, rows, row groups, metadata, writer, orders
        assert [numbers[f"file.footer.fields.{i}"] for i in range(7)] == [1, 2, 3, 4, 5, 6, 7]
        return
    assert [numbers[f"file.postscript.fields.{i}"] for i in (0, 1, 6)] == [1, 2, 8000]
    if form == "orc":
        assert [numbers[f"file.footer.fields.{i}"] for i in range(4)] == [1, 2, 3, 4]
    else:
        [chunk] = tree.labels(r"file\.footerChunks\.chunks\.\d+").values()
        assert chunk.endswith(" bytes")


# File indexes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FULL)
def test_golden_index_shows_values_and_rows(page: Page, name: str) -> None:
    case = golden_index(name)
    schema, columns = schema_from_spec(case.spec), columns_from_spec(case.spec)
    tree = opened(page, case.data, schema=schema)
    assert tree.problems == {}
    seen: set[str] = set()
    for column in case.dump["columns"]:
        for index in column["indexes"]:
            if index["empty"]:
                continue
            node = _instance(f"{column['name']} {index['type']}", seen)
            data_type = schema[column["name"]]
            values = columns.get(column["name"], [None] * len(case.rows))
            expected = rows_by_label(data_type, values)
            if index["type"] == "bitmap":
                assert bitmap(tree, node, data_type) == expected
            elif index["type"] == "range-bitmap":
                assert dictionary(tree, node, data_type) == expected.keys() - {None}
                assert tree.rows(f"{node}.slices.rows") == present(values)
            elif index["type"] == "bsi":
                both = tree.rows(f"{node}.positive.rows") + tree.rows(f"{node}.negative.rows")
                rows = sorted(row for rows in both for row in rows)
                assert ranges_of(rows) == present(values)
            else:
                [label] = tree.labels(node).values()
                assert re.fullmatch(r"\d+ hashes, \d+ bits", label)


def _instance(words: str, seen: set[str]) -> str:
    """The IDE's name of an index's instance."""
    first, *others = map(str, re.findall("[a-z0-9]+", words.lower()))
    name = first + "".join(word.capitalize() for word in others)
    numbers = (f"{name}{n}" for n in range(2, 99))
    found: str = next(each for each in (name, *numbers) if each not in seen)
    seen.add(found)
    return found


def bitmap(tree: Tree, node: str, data_type: DataType) -> dict[str | None, list[range]]:
    """The rows of each value of a bitmap index, by its label, and of None those of nulls."""
    found: dict[str | None, list[range]] = {}
    for path, text in tree.labels(rf"{node}\.v[12]\.(.+\.)?entries\.\d+").items():
        key, _, where = text.rpartition(": row")
        of_one = re.fullmatch(r" (\d+)", where)
        found[canonical(data_type, key)] = (
            ranges_of([int(of_one[1])]) if of_one is not None else tree.rows(path)
        )
    for version in ("v1", "v2"):
        if rows := tree.rows(f"{node}.{version}.nullBitmap"):
            found[None] = rows
        elif tree.labels(f"{node}.{version}.isNullSingle") and (
            (single := next(n.text for n in tree.nodes if n.path == f"{node}.{version}.nullRow"))
            != "nullRow = <no value>"
        ):
            found[None] = ranges_of([int(single.rpartition("= ")[2])])
    return found


def dictionary(tree: Tree, node: str, data_type: DataType) -> set[str]:
    """The labels of all values of a range bitmap."""
    keys = rf"{node}\.dictionary\.heads\.(fixed|text)Chunks\.\d+\.(key|keys\.keys\.\d+\.key)"
    return {canonical(data_type, text) for text in tree.labels(keys).values()}


def present(values: Sequence[Any]) -> list[range]:
    return ranges_of(row for row, value in enumerate(values) if value is not None)


def rows_by_label(data_type: DataType, values: Sequence[Any]) -> dict[str | None, list[range]]:
    found: dict[str | None, list[int]] = defaultdict(list)
    for row, value in enumerate(values):
        found[None if value is None else label_of(data_type, value)].append(row)
    return {label: ranges_of(rows) for label, rows in found.items()}


def label_of(data_type: DataType, value: Any) -> str:
    """The label that an internal value should have."""
    if data_type.root in ("FLOAT", "DOUBLE"):
        return repr(value)
    if data_type.root == "BOOLEAN":
        return str(value).lower()
    if data_type.is_string:
        return f"'{to_utf8(value).decode('utf-8', 'replace')}'"
    if data_type.is_binary or data_type.fields:
        return repr(value)  # which has no label
    return readable(data_type, stored_number(data_type, value))


def stored_number(data_type: DataType, value: Any) -> int:
    if data_type.root == "DECIMAL":
        return int(Decimal(value).scaleb(data_type.scale or 0))
    return int(value) // (data_type.stored_nanos if data_type.is_timestamp else 1)


def readable(data_type: DataType, number: int) -> str:
    """The label of a stored number."""
    if data_type.root == "DECIMAL":
        return f"{from_unscaled(number, data_type.scale or 0):f}"
    if data_type.root == "DATE":
        return str((_EPOCH + dt.timedelta(days=number)).date())
    if data_type.root == "TIME":
        return (_EPOCH + dt.timedelta(milliseconds=number)).time().isoformat("milliseconds")
    if data_type.is_timestamp:
        unit = data_type.stored_nanos // 1000
        finest = "milliseconds" if unit == 1000 else "microseconds"
        return (_EPOCH + dt.timedelta(microseconds=number * unit)).isoformat(" ", finest)
    return str(number)


def canonical(data_type: DataType, label: str) -> str:
    """A label as `label_of` writes it: floats in the form of Python."""
    if data_type.root in ("FLOAT", "DOUBLE"):
        return repr(float(label))
    return label


# Deletion vectors and bucket indexes -----------------------------------------------------------


@pytest.mark.parametrize("case", golden_vectors(), ids=lambda case: case.name)
def test_vectors(page: Page, case: GoldenVectors) -> None:
    tree = opened(page, case.data, VECTORS)
    assert tree.problems == {}
    expected = {vector["name"]: ranges_of(written(dict(vector))) for vector in case.vectors}
    for number, place in enumerate(sorted(case.ranges, key=lambda place: place["offset"])):
        assert rows_of_vector(tree, f"file.vectors.{number}") == expected[place["name"]]


def rows_of_vector(tree: Tree, path: str) -> list[range]:
    """The rows below a vector; those of 64 bits with the key of their bitmap."""
    keyed = [
        node.path
        for node in tree.nodes
        if node.path.startswith(f"{path}.") and re.search(r"bitmap64\.bitmaps\.\d+$", node.path)
    ]
    if not keyed:
        return tree.rows(path)
    found = []
    for bitmap in keyed:
        base = tree.number(f"{bitmap}.key") << 32
        found += [range(base + each.start, base + each.stop) for each in tree.rows(bitmap)]
    return joined(found)


@pytest.mark.parametrize("name", ["empty", "few", "many"])
def test_bucket_index(page: Page, name: str) -> None:
    data, count, _ = golden_hashes()[name]
    tree = opened(page, data, BUCKET_INDEX)
    assert tree.problems == {}
    shown = [
        int(node.text.rpartition("= ")[2])
        for node in tree.nodes
        if re.fullmatch(r"file\.groups\.\d+\.hashes\.\d+", node.path)
    ]
    assert shown == [hash_code for (hash_code,) in struct.iter_unpack(">i", data)]
    labels = list(tree.labels(r"file\.groups\.\d+").values())
    assert labels == [
        f"hash codes {first} .. {min(first + 1000, count) - 1}" for first in range(0, count, 1000)
    ]


# Broken files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("bitmap_version_3", "aBitmap.version"),
        ("truncated_body", "aBitmap.v2"),
        ("version_2", None),
        ("truncated_head", None),
        ("wrong_magic", None),
        ("bsi_version_2", "aBsi.head.version"),
    ],
)
def test_damage_is_shown_at_its_node(page: Page, name: str, node: str | None) -> None:
    """The tests above can fail, and the entry point of a broken file still opens it."""
    [bad] = [bad for bad in bad_files() if bad.name == name]
    made = entry_point(FILE_INDEX, Subject(open_source(bad.data), Schema.parse("a INT")))
    files = {"x.ksy": made.text.encode(), "x": bad.data}
    if node is None:
        assert made.notes
        with pytest.raises(AssertionError):
            parse(page, files, "x.ksy", "x")
        return
    tree = Tree(parse(page, files, "x.ksy", "x"))
    assert any(path == node or path.startswith(f"{node}.") for path in tree.problems)
    others = {path for path in tree.problems if not path.startswith("a")}
    assert others <= {"file.head.columns.0.indexes.0.body"}, "the bytes of the body, if cut"
