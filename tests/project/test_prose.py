"""The prose check: each rule can fail, code is left alone, and findings name the line."""

from pathlib import Path

import pytest

from tools.prose import Rule, Text, all_texts, check, main, messages, rules, sentences

RULES = rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_its_bad_examples_and_no_good_ones(rule: Rule) -> None:
    kind = "message" if "markdown" in rule.not_in else "markdown"
    for bad in rule.bad:
        assert list(check(Text("x", 0, kind, bad), [rule])), bad
    for good in rule.good:
        assert not list(check(Text("x", 0, kind, good), [rule])), good


def test_sentences_of_markdown() -> None:
    text = """# A heading

First sentence, with `code. And more` in it. Version 2.1 is no end.

- item: **bold.** And more

| cell | other cell |
```sh
said # not prose
```
"""
    found = [" ".join(sentence.replace("\x00", "").split()) for _, sentence in sentences(text)]
    assert found == [
        *("# A heading", "First sentence, with in it.", "Version 2.1 is no end."),
        *("- item: **bold.", "And more", "cell", "other cell"),
    ]


def test_findings_name_the_line_and_show_the_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "a.md"
    document.write_text("Fine. `It says so`.\n\n```\nit says so\n```\nFine.\nThis one\nsays so.\n")
    assert main([str(document)]) == 1
    out = capsys.readouterr().out
    assert f"{document}:7: tell-say: " in out and "    This one says so.\n" in out
    assert "prose: 1 findings in 1 texts" in out
    document.write_text("Fine.")
    assert main([str(document)]) == 0


def test_messages_are_found_with_their_lines(tmp_path: Path) -> None:
    module = tmp_path / "a.py"
    module.write_text(
        '"""It says what it is."""\nREMEDY = "see to it that it runs"\n'
        'Option(help="It says what it is.")\nraise Error(f"{path}: it says {count:,}")\n'
    )
    texts = list(messages(module))
    assert [text.text for text in texts] == ["see to it that it runs", "{}: it says {}"]
    found = [(f.line, f.rule.name) for text in texts for f in check(text, RULES)]
    assert found == [(2, "message"), (4, "tell-say")]


def test_everything_that_people_read_is_checked() -> None:
    texts = list(all_texts())
    places = {text.place for text in texts}
    assert {"README.md", "CHANGELOG.md", "docs/reference/errors.md", "examples/README.md"} <= places
    assert {"specs/file_index.ksy", "paimon-ksy table query --help, --where"} <= places
    assert {"paimon_ksy.FileIndex", "paimon_ksy.FileIndex.open", "paimon_ksy.Selection"} <= places
    assert {"paimon_ksy/errors.py", "paimon_ksy/table/audit/data_files.py"} <= places
    kinds = {"markdown", "spec", "help", "epilog", "docstring", "internal", "message"}
    assert {text.kind for text in texts} == kinds
