"""Templates escape what they are given; tests/project/test_pages.py opens pages in a browser."""

import re

import pytest
from jinja2 import UndefinedError

from paimon_ksy.display import printable
from paimon_ksy.pages import render
from paimon_ksy.pages.render import Report, page
from paimon_ksy.pages.section import Section, Where


def filled(text: str, **values: object) -> str:
    return str(render._templates().from_string(text).render(**values))


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x85", "\u202e", "\u2066", "\ud800"])
def test_what_is_not_printable_is_escaped(character: str) -> None:
    shown = filled('{{ x }}<p title="{{ x }}">', x=f"a{character}b")
    assert character not in shown and shown.count("a\\") == 2
    shown.encode("utf-8")


def test_markup_is_escaped_and_a_missing_value_is_an_error() -> None:
    assert filled("{{ x }}", x="<b>\"'&") == "&lt;b&gt;&#34;&#39;&amp;"
    assert filled("{{ x }}", x=None) == ""
    assert printable("déjà ✓") == "déjà ✓"
    with pytest.raises(UndefinedError):
        filled("{{ x }}")


@pytest.mark.parametrize(
    ("size", "shown"),
    [(1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (157_636, "158 kB"), (5e6, "5.0 MB")],
)
def test_sizes(size: float, shown: str) -> None:
    assert filled("{{ x | bytes }}", x=size) == shown


def test_layers_join_neighbours_of_one_shade() -> None:
    layers = dict(render._layers([0, 1, 1, 0.01, 0, 1]))
    assert layers == {5: "M1 0h2V1H1zM5 0h1V1H5z", 1: "M3 0.8h1V1H3z"}
    assert render._layers([]) == []


def test_strips_of_scattered_rows_show_where_they_are_dense() -> None:
    assert dict(render._layers([0.1, 0.05, 0.1])) == {1: "M0 0h1V1H0zM1 0.5h1V1H1zM2 0h1V1H2z"}
    where = Where(lambda first, last: (last - first) // 10, 100_000, "rows")
    assert "rows; the fullest part has 9.92 % of its rows" in page(
        Report("x", "k", "x", sections=[Section(facts=(("rows", where),))])
    )


def test_no_script_may_run() -> None:
    text = page(Report("x", "k", "x", sections=[Section("<s>", facts=(("<f>", "<v>"),))]))
    assert "default-src 'none'" in text and "script" not in text
    assert "http:" not in text and "https:" not in text
    assert not {"<s>", "<f>", "<v>"} & set(re.findall("<[sfv]>", text))


@pytest.mark.parametrize("template", sorted(render._templates().list_templates(["html"])))
def test_each_expression_in_a_tag_is_in_an_attribute(template: str) -> None:
    text, _, _ = render._templates().loader.get_source(render._templates(), template)
    text = re.sub(r"\{%.*?%\}", "", text)
    tags = re.findall(r"<[a-z]+(?:\{\{.*?\}\})?( (?:\{\{.*?\}\}|[^<>])*)>", text)
    assert not [tag for tag in tags if "{{" in render._ATTRIBUTE.sub("", tag)]


def test_long_texts_are_cut_unless_they_are_commands_or_attributes() -> None:
    text = "<" * 70_000
    attribute = '<path class="a {{ x }}" y="{{ 2 }}{{ None if y else x }}">'
    whole = "&lt;" * 70_000
    assert filled(attribute, x=text, y=0) == f'<path class="a {whole}" y="2{whole}">'
    assert filled("{{ x }}", x=text) == "&lt;" * render._LONGEST + "…"
    assert filled("{{ x | whole }}", x=text + "\u202e") == "&lt;" * 70_000 + "\\u202e"


def test_a_section_is_bounded_and_says_what_it_leaves_out() -> None:
    row = ("a", 1)
    below = Section("below", columns=("x", "y"), rows=(row,) * 5)
    section = Section("top", rows=(row,) * 2, columns=("x", "y"), sections=(below, below))
    cut = section.bounded(4)
    assert (len(cut.rows), [len(each.rows) for each in cut.sections]) == (2, [1])
    assert cut.notes[0].startswith("1 more") and cut.sections[0].notes[0].startswith("4 more")
    assert section.bounded(14) == section
