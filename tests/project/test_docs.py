"""The documentation as a site: it builds, its links lead somewhere, and it leaves nothing out."""

import re
import tomllib
from pathlib import Path

import pytest
from ksykit.generator.load import load_specs
from packaging.requirements import Requirement

import paimon_ksy
from paimon_ksy.predicates.functions import FUNCTIONS
from tests import ROOT
from tools.docs import commands, formats, json_answers, written
from tools.docs.__main__ import main
from tools.docs.example import EXAMPLES
from tools.docs.stage import DOCS, OF_KSYKIT, OF_THE_PROJECT, python_markdown
from tools.docs.written import stale


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site. Zensical checks all links between its pages, with their anchors."""
    out = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["docs", "--out", str(out)])
        assert main() == 0
    return out / "site"


def text(page: Path) -> str:
    return page.read_text("utf-8")


def test_pages_ask_no_other_server_for_anything(site: Path) -> None:
    loaded = re.compile(
        r"<(?:script|img|iframe|source)[^>]* src=.?(?:https?:)?//|url\((?:https?:)?//"
    )
    stylesheet = re.compile(r"<link[^>]*stylesheet[^>]* href=.?(?:https?:)?//")
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        assert not loaded.search(text(page)), page
        assert not stylesheet.search(text(page)), page


def test_parts_of_pages_are_what_the_code_and_the_specs_give() -> None:
    assert [path for path, _ in stale()] == [], "run `make docs`"


def test_a_changed_part_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "position.md"
    page.write_text(text(DOCS / "formats/position.md").replace("remembers", "forgets"))
    monkeypatch.setattr(written, "DOCS", tmp_path)
    [(path, filled)] = stale()
    assert (path, filled) == (page, text(DOCS / "formats/position.md"))


def test_each_command_has_its_options_on_a_page() -> None:
    for command in commands.commands():
        page = text(DOCS / "reference/commands" / commands.page_of(command.name))
        assert re.search(f"writes: options ({command.name}|{command.name.split()[0]}) -->", page)
        assert len(command.options) > 2 and command.help


def test_types_of_json_in_words() -> None:
    either = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert json_answers.in_words({"type": "array", "items": either}) == "list of integer or null"
    assert json_answers.in_words({"$ref": "#/$defs/Finding"}) == "Finding"
    assert json_answers.in_words({}) == "any value"
    listed = {"type": "object", "additionalProperties": {"type": "string"}}
    assert json_answers.in_words(listed) == "object of string"


def test_each_public_name_has_an_entry() -> None:
    entries = re.findall(r"^### (\w+)$", text(DOCS / "reference/api.md"), re.MULTILINE)
    assert sorted(entries) == sorted(paimon_ksy.__all__)


def test_each_spec_has_a_page_with_all_its_types_and_fields() -> None:
    for spec in load_specs(ROOT / "specs").values():
        page = text(DOCS / f"formats/{spec.name}.md")
        sections = re.split("^### ", page, flags=re.MULTILINE)
        for found in spec.types:
            [section] = [one for one in sections if one.startswith(f"{found.name}\n")] or [page]
            for field in found.names - {parameter.id for parameter in found.params}:
                assert f" | `{field}` | " in section
    page = text(DOCS / "formats/bsi_index.md")
    assert "Name in its source: `hasPositive` or `hasNegative`" in page


def test_each_spec_with_bytes_has_an_example() -> None:
    specs = {path.stem for path in (ROOT / "specs").glob("*.ksy")}
    assert specs - EXAMPLES.keys() == {"position"}
    for name, make in EXAMPLES.items():
        example = make()
        assert "0" in {start for start, *_ in example._rows}, name


def test_each_page_is_in_the_navigation() -> None:
    config = (ROOT / "tools/docs/zensical.toml").read_text("utf-8")
    listed = re.findall(r'"([\w/-]+\.md)"', config)
    assert len(listed) == len(set(listed))
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    outside = {f"project/{name.lower()}.md" for name in OF_THE_PROJECT}
    outside |= {f"ksykit/{Path(name).name.lower()}" for name in OF_KSYKIT}
    assert set(listed) == pages | outside


def test_nothing_is_shown_as_markdown_and_anchors_within_html_exist(site: Path) -> None:
    """Lists, tables and code that Python-Markdown takes for paragraphs."""
    unread = re.compile(r"<p>[^<]*\n(?:- |\| |```|1\. )")
    for path in site.rglob("*.html"):
        page = text(path)
        assert unread.search(page) is None, path
        ids = set(re.findall(r' id="([^"]+)"', page))
        assert set(re.findall(r'href="#([^"]+)"', page)) <= ids | {"__skip"}, path


def test_packages_that_workers_of_a_cluster_need() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["spark"]]
    page = " ".join((DOCS / "howto/clusters.md").read_text("utf-8").split())
    named = re.search(r"this package and its dependencies: ([\w, ]+)\.", page)
    assert named is not None
    packages = {Requirement(text).name for text in needed} - {"pyspark"}
    assert sorted(re.split(", | and ", named[1])) == sorted(packages)


def test_lists_are_read_as_on_github() -> None:
    assert python_markdown("a:\n- b\n  - c\n    d\n\n1. e\n   f\n") == (
        "a:\n\n- b\n    - c\n        d\n\n1. e\n    f\n"
    )
    fenced = "```text\n- a\n  - b\n```\n"
    assert python_markdown(fenced) == fenced


def test_offsets_end_at_the_first_field_of_unknown_size() -> None:
    fields = {field.name: field for field in formats._type("file_index", "file_index").fields}
    assert [fields[name].place for name in ("magic", "version", "len_head", "head")] == [
        "0",
        "8",
        "12",
        "16",
    ]
    entry = {field.name: field for field in formats._type("file_index_entry", "file_index").fields}
    assert entry["ofs_body"].place == "after `index_type`"
    assert entry["ofs_body"].valid == "at least `-1`"
    assert entry["body"].place == "at byte `ofs_body` of the file"


def test_each_function_of_conditions_is_documented() -> None:
    groups = {function.group for function in FUNCTIONS.values()}
    page = text(DOCS / "reference" / "sql.md")
    assert groups == set(re.findall(r"writes: functions (.+) -->", page))
