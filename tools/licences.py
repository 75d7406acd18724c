"""Write docs/project/licences.md: the licences of the dependencies in pyproject.toml.

python -m tools.licences          # write the page from the installed packages
python -m tools.licences --all    # also print the licences of indirect dependencies
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "project" / "licences.md"

_HEAD = """# Licences

paimon-ksy is licensed under the Apache License 2.0. pip installs the packages below, which declare
these licences. `make licences` writes the table from the installed packages.

| package | needed by | licence |
| --- | --- | --- |
"""
_OF_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "ISC License (ISCL)": "ISC",
}
UNKNOWN = "declares none"
_LONGEST = 60
"""Characters of the field `License`, in which some packages put the whole text."""


def requirements() -> dict[str, list[str]]:
    """Return the packages in pyproject.toml, each with the parts of the project that need it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"paimon-ksy": project["dependencies"]}
    groups |= project["optional-dependencies"]
    del groups["fuzz"]  # atheris cannot be installed everywhere; only `make fuzz` uses it
    needed: dict[str, list[str]] = {}
    for group, listed in groups.items():
        for text in listed:
            needed.setdefault(canonicalize_name(Requirement(text).name), []).append(group)
    return dict(sorted(needed.items()))


def licence(name: str) -> str:
    """Return the licence that an installed package declares, or `UNKNOWN`."""
    found: Any = metadata.metadata(name)
    if expression := found.get("License-Expression"):
        return str(expression)
    classifiers = [
        text.rpartition(" :: ")[2]
        for text in found.get_all("Classifier") or []
        if text.startswith("License :: ") and text != "License :: OSI Approved"
    ]
    if classifiers:
        return " OR ".join(_OF_CLASSIFIERS.get(text, text) for text in classifiers)
    text = " ".join(str(found.get("License") or "").split())
    if not text or len(text) > _LONGEST:
        return UNKNOWN
    return text


def closure(names: Iterable[str]) -> set[str]:
    """Return the installed packages that these need, with them, and without their extras."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in found:
            continue
        try:
            listed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # of another system
        found.add(name)
        todo += [
            canonicalize_name(each.name)
            for each in map(Requirement, listed)
            if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return found


def page(needed: Mapping[str, Iterable[str]]) -> str:
    """Return the page of these packages."""
    rows = (f"| {name} | {', '.join(by)} | {licence(name)} |\n" for name, by in needed.items())
    return _HEAD + "".join(rows)


def listed(text: str) -> dict[str, str]:
    """Return the licence of each package on a page."""
    rows = re.findall(r"^\| ([\w.-]+) \| .* \| (.+) \|$", text, re.MULTILINE)
    return {name: found for name, found in rows if name not in ("package", "---")}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.licences")
    parser.add_argument("--all", action="store_true", help="also print those of indirect ones")
    arguments = parser.parse_args()
    if arguments.all:
        for name in sorted(closure(requirements())):
            print(f"{name}: {licence(name)}")
        return 0
    PAGE.write_text(page(requirements()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(requirements())} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
