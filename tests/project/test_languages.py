"""Generated readers in other languages read what Python's Kaitai parser reads."""

import dataclasses
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from ksykit.generator.compiler import CompilerMissing, compile_specs, compiler_path
from ksykit.generator.npm import NpmMissing, package_file, tool

import paimon_ksy as pk
from kit_support.needs import skip_or_fail
from tests import ROOT
from tools.languages.cases import all_cases, share
from tools.languages.compare import compare
from tools.languages.readers import READERS, LanguageMissing, Reader
from tools.languages.specs import raw_specs
from tools.languages.trees import Case, Rules, differences, python_tree

LANGUAGES = ROOT / "tools" / "languages"
DOCUMENT = ROOT / "docs" / "howto" / "other-languages.md"
FILE = re.compile(r"^### `([^`]+)`\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BY_KEY = {reader.key: reader for reader in READERS}
JAVASCRIPT = BY_KEY["javascript"]
JAVA = pytest.param(BY_KEY["java"], marks=pytest.mark.java)
GO = pytest.param(BY_KEY["go"], marks=pytest.mark.go)


def name_of(reader: Reader) -> str:
    return reader.title


@pytest.mark.parametrize("reader", [JAVASCRIPT, JAVA], ids=name_of)
def test_a_share_of_all_files_gives_the_trees_of_python(reader: Reader) -> None:
    """The whole is `make specs-conformance`, with Go. A spec that javac refuses fails here."""
    cases = share(120, seed=7)
    cases += [case for case in all_cases() if case.name.startswith("made/extreme/")]
    ours = [python_tree(case) for case in cases]
    try:
        outcome = compare(reader, cases, ours)
    except LanguageMissing as error:
        skip_or_fail("network", f"network: {error}")
    assert outcome.differ == []
    assert outcome.same > 120
    assert outcome.refused > 20


def test_the_files_are_of_all_specs() -> None:
    """Each spec is that of a file, or is imported by one that is."""
    reached = {case.type.partition("::")[0] for case in all_cases()}
    todo = list(reached)
    while todo:
        new = set(raw_specs()[todo.pop()]["meta"].get("imports", ())) - reached
        reached |= new
        todo += new
    assert reached == set(raw_specs())


@pytest.mark.parametrize("reader", [JAVASCRIPT, JAVA, GO], ids=name_of)
def test_the_programs_of_the_page_find_the_rows_of_a_value(reader: Reader, tmp_path: Path) -> None:
    folder = tmp_path / "readers"
    try:
        shutil.copytree(reader.folder(), folder)
        (*start, last), environment = reader.command(folder)
    except LanguageMissing as error:
        skip_or_fail("network", f"network: {error}")
    for name, language, text in FILE.findall(DOCUMENT.read_text(encoding="utf-8")):
        if language == {"javascript": "js"}.get(reader.key, reader.key):
            (folder / name).write_text(text, encoding="utf-8")
    if reader.key == "go":
        (folder / "dump.go").unlink()
        reader.build(folder)
    else:
        last = str(folder / {"javascript": "rows.cjs", "java": "Rows.java"}[reader.key])
    index = ROOT / "examples" / "orders" / "orders.parquet.index"
    schema = pk.Schema.parse("region STRING, note STRING")
    for column, value in (("region", "AFRICA"), ("note", "call first"), ("note", "no such")):
        done = subprocess.run(
            [*start, last, str(index), column, value],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        with pk.FileIndex.open(index, schema) as opened:
            rows = opened.evaluate(pk.col(column) == value).rows
        assert [int(line) for line in done.stdout.split()] == list(rows or ())


def test_the_compiler_of_the_page_writes_what_ours_does(tmp_path: Path) -> None:
    """Also in the given folder: the compiler names files of Java and Go by absolute paths."""
    page = {name: text for name, _, text in FILE.findall(DOCUMENT.read_text(encoding="utf-8"))}
    (tmp_path / "ksc.cjs").write_text(page["ksc.cjs"], encoding="utf-8")
    try:
        packages = [compiler_path().parents[1], package_file(LANGUAGES, "yaml/package.json")]
        expected = compile_specs(raw_specs(), ["javascript", "java"])
    except (CompilerMissing, NpmMissing) as error:
        skip_or_fail("network", f"network: {error}")
    paths = os.pathsep.join((str(packages[0]), str(packages[1].parents[1])))
    specs = [str(path) for path in sorted((ROOT / "specs").glob("*.ksy"))]
    for language, compiled in expected.items():
        folder = tmp_path / language
        command = [*tool("node"), str(tmp_path / "ksc.cjs"), language, str(folder), *specs]
        subprocess.run(command, env={**os.environ, "NODE_PATH": paths}, check=True)
        texts = {
            Path(name).name: text
            for answer in compiled.values()
            for name, text in answer["files"].items()
        }
        assert {path.name: path.read_text("utf-8") for path in folder.iterdir()} == texts


def test_the_page_has_the_module_that_is_compared() -> None:
    page = {name: text for name, _, text in FILE.findall(DOCUMENT.read_text(encoding="utf-8"))}
    assert page["exact.cjs"] == (LANGUAGES / "exact.cjs").read_text(encoding="utf-8")


WORDS: dict[str, Callable[[Rules], str | None]] = {
    "`u8` values of 2^63 and above": lambda rules: "negative" if rules.signed_u8 else "exact",
    "integers computed in 64 bits": lambda rules: (
        "rounded above 2^53" if rules.inexact else "exact"
    ),
    "fields that do not exist": lambda rules: "0 or empty" if rules.no_absent else None,
    "numbers that an enum does not list": lambda rules: (
        "null" if rules.null_enums else "the number"
    ),
    "positions beyond the end of the file": lambda rules: (
        "an error" if rules.strict_positions else "an error only if bytes are read there"
    ),
}


def test_the_table_is_what_the_rules_are() -> None:
    lines = [line for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith("| ")]
    titles, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    assert titles[1:4] == [reader.title for reader in READERS]
    table = {row[0]: dict(zip(titles[1:], row[1:], strict=True)) for row in rows}
    for row, words in WORDS.items():
        for reader in READERS:
            absent = {"JavaScript": "undefined", "Java": "null"}.get(reader.title)
            assert table[row][reader.title] == (words(reader.rules) or absent)


def cases_for_rules() -> list[Case]:
    """Return files on which each rule of a language counts."""
    by_name = {case.name: case for case in all_cases()}
    chunk = by_name["golden/types_range_chunk/c_float.range-bitmap"]
    return [
        by_name["made/varint/12297829382473034410"],
        by_name[chunk.name],
        dataclasses.replace(chunk, data=chunk.data[:101]),
        Case("fixed_64", "protobuf", b"\x09" + b"\xff" * 8),
    ]


@pytest.mark.parametrize("reader", [JAVASCRIPT, JAVA, GO], ids=name_of)
def test_each_rule_of_a_language_is_needed(reader: Reader) -> None:
    cases = cases_for_rules()
    ours = [python_tree(case) for case in cases]
    try:
        theirs = [*reader.trees(cases)]
    except LanguageMissing as error:
        skip_or_fail("network", f"network: {error}")

    def found(rules: Rules) -> list[str]:
        pairs = zip(ours, theirs, strict=True)
        return [line for one, other in pairs for line in differences(one, other, rules)]

    assert found(reader.rules) == []
    for name, rule in vars(reader.rules).items():
        if rule:
            assert found(dataclasses.replace(reader.rules, **{name: type(rule)()})), name
