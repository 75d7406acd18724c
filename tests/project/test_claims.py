"""What pages about the code claim is so: paths, names, targets, counts, and where tests are."""

import re
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
from ksykit.generator.compiler import LANGUAGES

from tests import ROOT, conftest
from tests.project.test_publishing import PROJECT, jobs

PAGES = ("CONTRIBUTING.md", "docs/project/architecture.md", "docs/project/generator.md")
NOT_FILES = re.compile(r"build/|src$|site$|meta/|(paimon_ksy|tests)/a\b|.*[A-Z]{4}")
"""What commands write, keys of specs, and stand-ins for names."""


@cache
def page(name: str) -> str:
    """Return the text of a page without its blocks of code, on one line."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text("utf-8"), flags=re.M | re.S)
    return " ".join(text.split())


@cache
def files() -> list[str]:
    """Return all files and folders of the project, each after a slash."""
    folders = (
        "conformance",
        "docs",
        "generated",
        "ksykit",
        "paimon_ksy",
        "specs",
        "tests",
        "tools",
    )
    found = [*ROOT.glob("*"), *(ROOT / ".github").rglob("*"), *(ROOT / ".ci").glob("*")]
    found += [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return [f"/{path.relative_to(ROOT)}" for path in found]


def quoted(name: str) -> set[str]:
    """Return what a page has between backticks."""
    return set(re.findall(r"`([^`\s]+)`", page(name)))


@pytest.mark.parametrize("name", PAGES)
def test_paths_exist(name: str) -> None:
    for text in sorted(quoted(name)):
        path = text.strip("/")
        is_path = "/" in text or path.endswith((".py", ".md", ".toml", ".txt", ".yml", ".cff"))
        if is_path and re.fullmatch(r"[\w./*-]+", path) and not NOT_FILES.match(path):
            assert any(fnmatch(file, f"*/{path}") for file in files()), path


@cache
def words() -> set[str]:
    """Return all names in the code, the specs and the configuration."""
    suffixes = {".py", ".ksy", ".toml", ".sh", ".java", ".yml", ".yaml", ".json"}
    paths = [ROOT / file[1:] for file in files() if Path(file).suffix in suffixes]
    paths += [ROOT / "Makefile", ROOT / ".ci" / "run"]
    return {word for path in paths for word in re.findall(r"\w+", path.read_text("utf-8"))}


@pytest.mark.parametrize("name", PAGES)
def test_names_are_in_the_code(name: str) -> None:
    named = re.findall(r"`([A-Za-z_]\w+)", page(name))
    assert set(named) - words() == set()


def test_targets_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    for name in PAGES:
        text = (ROOT / name).read_text("utf-8")
        assert set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE)) <= targets
    nightly = re.search(r"^NIGHTLY := (.*)$", makefile, re.MULTILINE)
    assert nightly
    strategy = jobs("nightly.yml")["long"]["strategy"]
    assert sorted(strategy["matrix"]["target"]) == sorted(nightly[1].split())
    table = page("CONTRIBUTING.md").partition("## What CI does")[2].partition("## Release")[0]
    assert set(nightly[1].split()) <= set(re.findall(r"`make ([a-z-]+)", table))
    assert set(re.findall(r"`make (test-[a-z]+)` \|", page("CONTRIBUTING.md"))) == {
        f"test-{layer}" for layer in conftest.LAYERS
    }


def test_counts_are_those_of_the_code() -> None:
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert f"You need Python {pythons[0]} to {pythons[-2]}" in page("CONTRIBUTING.md")
    assert len(LANGUAGES) == 11 and "for eleven languages" in page("docs/project/generator.md")


def test_the_checks_of_ci_are_listed() -> None:
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    loops = " ".join(re.findall(r"for target in (.*); do", text)).split()
    run = [*loops, *re.findall(r"^run ([a-z-]+)", text, re.MULTILINE)]
    claim = re.search(r"`\.ci/run` runs `make (.*?)\. ", page("CONTRIBUTING.md"))
    assert claim and re.findall(r"[\w-]{4,}", claim[1]) == run


ACROSS = {"faults", "generator", "project", "table/formats"}
"""Folders of tests that are about several packages."""


def test_tests_of_a_package_are_in_its_folder() -> None:
    inits = (ROOT / "paimon_ksy").rglob("__init__.py")
    packages = {str(path.parent.relative_to(ROOT / "paimon_ksy")) for path in inits}
    tests = (ROOT / "tests").rglob("test_*.py")
    folders = {str(path.parent.relative_to(ROOT / "tests")) for path in tests}
    assert folders ^ packages == ACROSS
    named = re.search(r"The folders (.*?) are about several packages", page("CONTRIBUTING.md"))
    assert named and set(re.findall(r"`tests/(.*?)`", named[1])) == ACROSS
