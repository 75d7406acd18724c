"""The documentation as a site: it builds, its links lead somewhere, and it leaves nothing out."""

import html
import re
import tomllib
from pathlib import Path

import pytest
from ksykit.generator.load import load_specs
from packaging.requirements import Requirement
from ruamel.yaml import YAML

import paimon_ksy
from kit_support.compiled import compile_errors
from paimon_ksy.predicates.functions import FUNCTIONS
from tests import ROOT
from tools.docs import commands, formats, json_answers, parts
from tools.docs.__main__ import main
from tools.docs.example import EXAMPLES
from tools.docs.json_schema import answers, json_schema
from tools.docs.stage import DOCS, OF_KSYKIT, OF_THE_PROJECT, python_markdown


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


def test_each_command_has_its_options_on_a_page(site: Path) -> None:
    for command in commands.commands():
        page = text(
            site / "reference/commands" / Path(commands.page_of(command.name)).with_suffix(".html")
        )
        assert f"paimon-ksy {command.name} [OPTIONS]" in page
        assert len(command.options) > 2 and command.help
        for option in command.options:
            assert option.written.split(",")[0].split()[0] in page, command.name


def test_each_answer_has_its_keys_on_a_page(site: Path) -> None:
    sections = re.split("<h3[^>]*>", text(site / "reference/json.html"))
    for name in answers():
        [section] = [one for one in sections if one.startswith(f"{name}<")]
        for found in json_answers.objects(json_schema(name)):
            assert found.name in section
            for key in found.keys:
                assert f"<code>{key.name}</code>" in section, (name, key.name)
                assert not key.meaning or key.meaning.split("`")[0] in html.unescape(section)


def test_types_of_json_in_words() -> None:
    either = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert json_answers.in_words({"type": "array", "items": either}) == "list of integer or null"
    assert json_answers.in_words({"$ref": "#/$defs/Finding"}) == "Finding"
    assert json_answers.in_words({}) == "any value"
    listed = {"type": "object", "additionalProperties": {"type": "string"}}
    assert json_answers.in_words(listed) == "object of string"


def test_each_public_name_has_an_entry(site: Path) -> None:
    page = text(site / "reference/api.html")
    entries = set(re.findall(r'<h3 id="paimon_ksy\.[\w.]+\.(\w+)"', page))
    assert entries == set(paimon_ksy.__all__)


def test_each_spec_has_a_page_with_all_its_types_and_fields(site: Path) -> None:
    for spec in load_specs(ROOT / "specs").values():
        page = text(site / f"formats/{spec.name}.html")
        for found in spec.types:
            for field in found.names - {parameter.id for parameter in found.params}:
                assert f'id="{found.name}-{field}"' in page
    page = text(site / "formats/bsi_index.html")
    assert "Name in its source: <code>hasPositive</code> or <code>hasNegative</code>" in page


def test_each_spec_with_bytes_has_an_example() -> None:
    specs = {path.stem for path in (ROOT / "specs").glob("*.ksy")}
    assert specs - EXAMPLES.keys() == {"position"}
    for name, make in EXAMPLES.items():
        example = make()
        covered = {at for row in example._rows for at in range(row.start, row.start + 1)}
        assert 0 in covered, name


def test_the_specs_that_pages_offer_compile_for_each_language() -> None:
    specs = {name: YAML(typ="safe").load(make().ksy) for name, make in EXAMPLES.items()}
    assert compile_errors(specs) == {}


def test_each_page_is_in_the_navigation() -> None:
    config = (ROOT / "tools/docs/zensical.toml").read_text("utf-8")
    listed = re.findall(r'"([\w/-]+\.md)"', config)
    assert len(listed) == len(set(listed))
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    outside = {f"project/{name.lower()}.md" for name in OF_THE_PROJECT}
    outside |= {f"ksykit/{Path(name).name.lower()}" for name in OF_KSYKIT}
    assert set(listed) == pages | outside


def test_nothing_is_shown_as_markdown_and_anchors_within_html_exist(site: Path) -> None:
    """Lists, tables and code that Python-Markdown takes for paragraphs, and parts not generated."""
    unread = re.compile(r"<p>[^<]*\n(?:- |\| |```|1\. )|<!-- generated:")
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
    page = (ROOT / "docs" / "reference" / "sql.md").read_text("utf-8")
    groups = {function.group for function in FUNCTIONS.values()}
    assert groups == set(re.findall(r"<!-- generated: functions (.+) -->", page))
    for name, function in FUNCTIONS.items():
        assert f"`{name}`" in parts.functions(function.group)
