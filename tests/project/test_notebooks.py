"""What notebooks show of objects: fragments that are escaped, styled inside a scope, and cheap."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.messages.findings import Finding
from tests.golden import bad_files
from tests.support.examples import ORDERS, TYPES, WORKED
from tests.support.tables import STATUS, make, rows, run_rewrite

HOSTILE = "</script></style><script>x()</script>\"'\u202e\x00"


class Fragment(HTMLParser):
    """The elements and the text of a fragment; fails where elements are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += f" {data}"


def shown(item: Any) -> str:
    """The text of an object in a notebook."""
    html = item._repr_html_()
    found = Fragment(html)
    assert found.elements[0] == ("div", {"class": "paimon-ksy fragment"})
    assert not {tag for tag, _ in found.elements} & {"script", "img", "link", "iframe"}
    assert not any(name.startswith("on") for _, each in found.elements for name in each)
    assert not set(html) & {"\u202e", "\x00"}
    return " ".join(found.text.split())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = make(tmp_path_factory.mktemp("notebooks"), [rows(0, 40), rows(40, 40)], STATUS)
    run_rewrite(path)
    return path


def test_style_has_a_scope() -> None:
    html = pk.DeletionVector.of()._repr_html_()
    style = re.sub(r"@media [^{]+\{", "", html.partition("<style>")[2].partition("</style>")[0])
    depth = 0
    for selector, bracket in re.findall(r"([^{}]*)([{}])", style):
        if depth <= 0 and bracket == "{":
            assert selector.strip().startswith(".paimon-ksy"), selector
            depth = 0
        depth += 1 if bracket == "{" else -1


def test_deletion_vector() -> None:
    text = shown(pk.DeletionVector.of([5, 1 << 40], 64))
    assert "bits 64 deleted rows 2 last 1,099,511,627,776 containers 2 arrays" in text
    assert "deleted rows 0" in shown(pk.DeletionVector.of())


def test_file_index() -> None:
    with pk.FileIndex.open(WORKED, pk.Schema.parse(TYPES)) as index:
        text = shown(index)
        assert "394 bytes" in text and "region STRING bitmap 146 bytes 80" in text
    with pk.FileIndex.open(ORDERS) as index:
        before = index.source.bytes_read
        assert "user_id bitmap 95.7 kB 16,113" in shown(index)
        assert index.source.bytes_read == before
    schema = pk.Schema((pk.Field(HOSTILE, pk.parse_type("INT")),))
    options = pk.FileIndexOptions.of([pk.IndexSpec("bitmap", HOSTILE)])
    data = pk.build_file_index(pa.table({HOSTILE: pa.array([1], pa.int32())}), schema, options)
    assert "</script></style>" in shown(pk.FileIndex.open(bytes(data), schema))


def test_explanation_and_advice(path: str) -> None:
    found = pk.explain(path, "status = 'PAID' AND id > 3")
    assert isinstance(found, list)
    text = shown(found)
    assert "files kept 2" in text and "status = 'PAID' bitmap 2 0 60" in text
    assert "PAID" not in shown(pk.explain(path))


def test_findings() -> None:
    finding = Finding("error", "index", HOSTILE, HOSTILE, 7, HOSTILE, "https://u:secret@host/x")
    text = shown(finding)
    assert "Byte 7." in text and "</script></style>" in text and "secret" not in text
    text = shown(pk.Findings([Finding("note", "a", "f", None, None, "m", "r"), finding]))
    assert text.index("error") < text.index("note")
    assert "No problems" in shown(pk.Findings())
    assert "and 100 more" in shown(pk.Findings([finding] * 101))
    kinds = [replace(finding, check=f"check {number}") for number in range(101)]
    assert "1 more finding not listed" in shown(pk.Findings(kinds))
    [bad] = [bad for bad in bad_files() if bad.name == "version_2"]
    assert "error" in shown(pk.verify(bad.data))
