"""The page of pypaimon's private names lists what the code uses, and the installed version has."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pypaimon
import pytest

import paimon_ksy

PACKAGE = Path(str(paimon_ksy.__file__)).parent
PAGE = PACKAGE.parent / "docs" / "project" / "pypaimon.md"
FILES = [path for path in PACKAGE.rglob("*.py") if "generated" not in path.parts]


class PrivateName(NamedTuple):
    """A private name of pypaimon: `module` below `pypaimon`, and `name` in it."""

    module: str
    name: str
    why: str
    end: str


ROWS = re.findall(
    r"^\| `pypaimon\.(.+)` \| `(.+)` \| (.+) \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE
)
PRIVATE_NAMES = [PrivateName(*row) for row in ROWS]
LISTED = {(known.module, known.name) for known in PRIVATE_NAMES}
PUBLIC = {"_asdict", "_fields", "_make", "_replace"}  # of named tuples
ENDS = {known.name.rpartition(".")[2] for known in PRIVATE_NAMES}


@pytest.mark.parametrize("known", PRIVATE_NAMES, ids=lambda known: f"{known.module}:{known.name}")
def test_the_installed_pypaimon_has_it(known: PrivateName) -> None:
    *outer, last = known.name.split(".")
    found: Any = import_module(f"pypaimon.{known.module}")
    for part in outer:
        found = getattr(found, part)
    is_set = re.compile(rf"self\.{last}\b[^=\n]*=[^=]")
    assert hasattr(found, last) or is_set.search(inspect.getsource(found)), known.why


def test_each_use_has_an_end_and_there_are_few() -> None:
    assert all(re.search(r" or 20\d\d-\d\d-\d\d$", known.end) for known in PRIVATE_NAMES)
    assert len(PRIVATE_NAMES) < 15


def test_the_page_lists_each_once_and_counts_them() -> None:
    assert len(LISTED) == len(PRIVATE_NAMES)
    assert f"{len(PRIVATE_NAMES)} names" in PAGE.read_text("utf-8")


def test_what_the_code_uses_is_listed() -> None:
    assert {use for path in FILES for use in unlisted(path)} == set()


def test_what_is_listed_is_used() -> None:
    words = set(re.findall(r"\w+", " ".join(path.read_text() for path in FILES)))
    assert {name for _, name in LISTED if name.rpartition(".")[2] not in words} == set()


MODULE = r'pypaimon_module\(\s*"([\w.]+)"\s*\)'
IMPORT = re.compile(r"^\s*from pypaimon(?:\.([\w.]+))? import (.+)", re.MULTILINE)


def unlisted(path: Path) -> Iterator[str]:
    """Yield the names of pypaimon that a file uses and that are neither public nor listed."""
    text = path.read_text()
    uses = [(of, name) for of, names in IMPORT.findall(text) for name in names.split(", ")]
    uses += re.findall(MODULE + r"\.(\w+)", text)
    for variable, module in re.findall(r"(\w+) = " + MODULE + r"\n", text):
        uses += [(module, name) for name in re.findall(rf"\b{variable}\.(\w+)", text)]
    for module, name in uses:
        listed = {known.split(".")[0] for of, known in LISTED if of == module}
        if name not in (listed if module else pypaimon.__all__):
            yield f"{path.relative_to(PACKAGE)}: pypaimon.{module}: {name}"
    if PACKAGE / "table" / "store" not in path.parents:
        return
    for owner, name in re.findall(r"(\w+)\.(_[a-z]\w*)", text):  # which may be pypaimon's
        if owner not in ("self", "cls", "typing") and name not in ENDS | PUBLIC | own_names():
            yield f"{path.relative_to(PACKAGE)}: {owner}.{name}"


@cache
def own_names() -> set[str]:
    """Return the private names that the package's functions, classes and attributes have."""
    text = "\n".join(path.read_text() for path in FILES)
    return set(re.findall(r"(?:def |class |self\.|cls\.)(_\w+)", text))
