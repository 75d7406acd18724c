"""Tests mirror the package: whoever changes `paimon_ksy/a/b.py` finds `tests/a/test_b.py`."""

import ast
from pathlib import Path

import pytest

from tests import ROOT

PACKAGE, TESTS = ROOT / "paimon_ksy", ROOT / "tests"

EXCEPTIONS = {
    "__main__": "it only calls `main`, which tests of commands run",
    "file_index/bsi/report": "it has the fields of a report, and no behaviour",
}
"""Modules without a test file of their name, and why."""


OWN_TESTS = {"generated", "generator", "runtime"}
"""Packages that tests/generator and tests/generated test together, by what is generated."""


def file_for(module: str) -> Path:
    """Where the tests of a module stand."""
    folder, _, name = module.rpartition("/")
    return TESTS / folder / f"test_{name}.py"


def modules() -> list[str]:
    """The modules that are written by hand, as paths below the package."""
    found = [path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.py")]
    return sorted(
        str(path) for path in found if path.name != "__init__" and path.parts[0] not in OWN_TESTS
    )


@pytest.mark.parametrize("module", [name for name in modules() if name not in EXCEPTIONS])
def test_each_module_has_a_test_file_of_its_name(module: str) -> None:
    file = file_for(module)
    assert file.is_file(), f"write {file.relative_to(ROOT)}, or say in EXCEPTIONS why not"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert any(name.startswith("test_") for name in names), f"{file.name} has no test"


@pytest.mark.parametrize("module", EXCEPTIONS)
def test_exceptions_are_needed(module: str) -> None:
    assert module in modules(), "there is no such module: drop the exception"
    assert not file_for(module).exists(), "it has a test file: drop the exception"
