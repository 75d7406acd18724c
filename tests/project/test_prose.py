"""The prose check: each rule can fail, code is left alone, and findings name the line."""

from pathlib import Path

import pytest

from tools.prose import Rule, Text, all_texts, check, main, rules

RULES = rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_its_bad_examples_and_no_good_ones(rule: Rule) -> None:
    kind = "message" if "markdown" in rule.not_in else "markdown"
    for bad in rule.bad:
        assert list(check(Text("x", 0, kind, bad), [rule])), bad
    for good in rule.good:
        assert not list(check(Text("x", 0, kind, good), [rule])), good


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


def test_everything_that_people_read_is_checked() -> None:
    texts = list(all_texts())
    places = {text.place for text in texts}
    assert {"README.md", "CHANGELOG.md", "docs/reference/errors.md", "examples/README.md"} <= places
    assert {"specs/file_index.ksy", "paimon-ksy table query --help, --where"} <= places
    assert {"paimon_ksy.FileIndex", "paimon_ksy.FileIndex.open", "paimon_ksy.Selection"} <= places
    assert {"paimon_ksy/errors.py", "paimon_ksy/table/audit/data_files.py"} <= places
    kinds = {"markdown", "spec", "help", "epilog", "docstring", "internal", "message"}
    assert {text.kind for text in texts} == kinds
