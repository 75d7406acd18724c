"""A copy of the project in which tools change files, and run the tests.

python -m tools.project_copy FOLDER
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache"
_PARTS = (
    "specs",
    "tools",
    "generated",
    "ksykit",
    "paimon_ksy",
    "tests",
    "examples",
    "docs",
    "conformance",
)


def copy_project(folder: Path) -> Path:
    """Write what generating and testing need into a folder in place of what it has; return it."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in _PARTS:
        unneeded = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=unneeded)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy(path, folder)
    (folder / ".cache").symlink_to(CACHE)
    return folder


if __name__ == "__main__":
    copy_project(Path(sys.argv[1]))
