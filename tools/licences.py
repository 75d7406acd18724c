"""Check the licences of the installed packages, and list those of our dependencies.

    python -m tools.licences    # writes docs/project/licences.md

pip-licenses reads them. The exit code is 1 if one puts conditions on programs that use the package.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "project" / "licences.md"
FREE = "MIT;BSD;Apache;ISC;PSF;Python Software;MPL;Mozilla;Unlicense;permission is hereby granted"
"""Licences that put no condition on programs that use the package, or a part of their text."""

_HEAD = """# Licences

paimon-ksy is licensed under the Apache License 2.0. pip installs the packages below, which declare
these licences. `make licences` writes the table from the installed packages.

| package | needed by | licence |
| --- | --- | --- |
"""


def pip_licenses(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip-licenses for this environment."""
    command = [sys.executable, "-m", "piplicenses", "--with-system", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check() -> str:
    """Return which package has another licence; "" if none has."""
    return pip_licenses("--partial-match", f"--allow-only={FREE}").stderr


def page() -> str:
    """Return the page of the packages in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"paimon-ksy": project["dependencies"], **project["optional-dependencies"]}
    needed: dict[str, list[str]] = {}
    for group, listed in groups.items():
        for text in listed:
            needed.setdefault(canonicalize_name(Requirement(text).name), []).append(group)
    packages = json.loads(pip_licenses("--format=json", "--packages", *needed).stdout)
    licences: dict[str, str] = {
        canonicalize_name(one["Name"]): one["License"].partition("\n")[0] for one in packages
    }
    rows = (f"| {name} | {', '.join(needed[name])} | {licences[name]} |" for name in sorted(needed))
    return _HEAD + "\n".join(rows) + "\n"


def main() -> int:
    """Write the page, and print what the check found."""
    PAGE.write_text(page(), encoding="utf-8")
    print(check() or "all packages have licences without conditions")
    return 1 if check() else 0


if __name__ == "__main__":
    sys.exit(main())
