"""Changes of code: which there are, that tests notice some, and that others are reported."""

import re
import tomllib
from pathlib import Path

import pytest

from tests import ROOT
from tools import mutants
from tools.mutants import Group, Project
from tools.project_copy import copy_project

pytestmark = pytest.mark.posix

MODULE = """
import struct

LIMIT = 10

@dataclass(frozen=True)
class Box:
    size: int = 0

    def fits(self, other: int | None = None) -> bool:
        if not other:
            raise ValueError("no " + "box")
        assert other > 0
        log(f"{other + 1}")
        return self.size <= other and self.is_open

if TYPE_CHECKING:
    OTHER = 11

def pairs(a, b):
    match a:
        case 0 if b < 1:
            del a
    if a.ready:
        b += 1
    return zip(a, b, strict=True)
"""


def test_kinds_of_changes() -> None:
    text = mutants.plain(MODULE)
    found = list(mutants.mutants("m.py", text))
    assert [(one.place, one.change) for one in found] == [
        ("", "LIMIT = 10 => LIMIT = 11"),
        ("Box", "size: int = 0 => size: int = 1"),
        ("Box.fits", "if not other: => if other:"),
        ("Box.fits", "raise ValueError('no ' + 'box') => pass"),
        ("Box.fits", "log(f'{other + 1}') => pass"),
        (
            "Box.fits",
            "return self.size <= other and self.is_open => "
            "return self.size <= other or self.is_open",
        ),
        (
            "Box.fits",
            "return self.size <= other and self.is_open => "
            "return self.size < other and self.is_open",
        ),
        ("pairs", "case 0 if b < 1: => case 0 if b <= 1:"),
        ("pairs", "case 0 if b < 1: => case 0 if b < 2:"),
        ("pairs", "del a => pass"),
        ("pairs", "if a.ready: => if not a.ready:"),
        ("pairs", "b += 1 => b -= 1"),
        ("pairs", "b += 1 => b += 2"),
    ]
    lines = text.splitlines()
    for one in found:
        before, _, after = one.change.partition(" => ")
        assert lines[one.line - 1].strip() == before
        changed = one.source().splitlines()
        assert [line.strip() for line in changed if line not in lines] in ([after], [])
        assert len(changed) == len(lines) and changed != lines


def test_the_order_is_that_of_the_seed_whatever_else_there_is() -> None:
    short = {"m.py": mutants.plain(MODULE)}
    longer = {"l.py": "a = 1\n", "m.py": "b = 2\n" + short["m.py"]}
    names = [one.name for one in mutants.in_order(short, 1)]
    assert [one.name for one in mutants.in_order(longer, 1) if one.name in names] == names
    assert [one.name for one in mutants.in_order(short, 2)] != names


SMALL = {
    "small.py": """
def last(numbers):
    at = 0
    while at + 1 < len(numbers):
        at += 1
    return numbers[at]

def greater(one, other):
    return one if one > other else other
""",
    "test_small.py": """
import pytest
from small import greater, last

@pytest.fixture(scope="module")
def found():
    return last([5, 6])

def test_before(found):
    pass

def test_last(found):
    assert found == 6 and last([7]) == 7

def test_greater():
    assert greater(1, 2) == greater(2, 1) == 2
""",
    "conftest.py": """
def pytest_addoption(parser):
    parser.addoption("--seed")
""",
    "pytest.ini": "[pytest]\nmarkers = slow\n",
}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one module, in place of this one; return where its list stands."""

    def copy_small(folder: Path) -> Path:
        for name, text in SMALL.items():
            (folder / name).write_text(text)
        return folder

    listed = tmp_path / "mutants.toml"
    listed.write_text("survivor = []\n")
    monkeypatch.setattr(mutants, "copy_project", copy_small)
    monkeypatch.setattr(mutants, "GROUPS", {"small": Group(("small.py",), ("test_small.py",))})
    monkeypatch.setattr(mutants, "REVIEWED", listed)
    monkeypatch.setattr(mutants, "SECONDS", 1)
    return listed


def test_what_no_test_notices_is_reported_until_it_is_explained(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mutants.main([]) == 1
    printed = capsys.readouterr().out
    [survivor] = re.findall(r"\[\[survivor\]\]\n(?:.+\n)+", printed)
    assert tomllib.loads(survivor)["survivor"] == [
        {
            "module": "small.py",
            "place": "greater",
            "change": "return one if one > other else other => "
            "return one if one >= other else other",
        }
    ]
    assert "| small | 7 | 7 | 6 | 0 | 1 |" in printed
    small.write_text(survivor + 'reason = "equal numbers are the same"\n')
    assert mutants.main(["--changes", "7"]) == 0
    printed = capsys.readouterr().out
    assert "| small | 7 | 7 | 6 | 1 | 0 |" in printed and "[[survivor]]" not in printed


def test_tests_that_fail_without_a_change_are_an_error(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SMALL, "test_small.py", "def test_nothing():\n    assert False\n")
    with pytest.raises(RuntimeError, match=r"fail without a change:\n(.|\n)*def test_nothing"):
        mutants.main([])


def test_changes_of_a_module_are_noticed(tmp_path: Path) -> None:
    group = Group(("paimon_ksy/evaluation/selection.py",), ("tests/evaluation/test_selection.py",))
    project = Project(copy_project(tmp_path / "project"), group)
    chosen = mutants.in_order(project.texts, seed=1)[:3]
    assert [one.change for one in chosen if not project.notices(one)] == []


def test_what_is_listed_is_there() -> None:
    names = set()
    for module in {name[0] for name in mutants.reviewed()}:
        text = mutants.plain((ROOT / module).read_text(encoding="utf-8"))
        names |= {one.name for one in mutants.mutants(module, text)}
    assert {*mutants.reviewed()} <= names


def test_modules_and_tests_of_groups_exist() -> None:
    for name, group in mutants.GROUPS.items():
        for path in (*group.modules, *group.tests):
            assert list(ROOT.glob(path)), f"{name}: {path}"
