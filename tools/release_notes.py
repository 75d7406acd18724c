"""Print the section of CHANGELOG.md about a version, without its heading.

    python -m tools.release_notes              # the version of this checkout
    python -m tools.release_notes --tag v0.1.0 # for the release of a tag

With --tag, the tag must be `v` and the version of this checkout, and the changelog must contain
the date of the release: `## 0.1.0 (2026-12-01)`. Otherwise, the exit code is 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import date
from pathlib import Path

from paimon_ksy import __version__

ROOT = Path(__file__).parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"
UNRELEASED = "not released"


class NotesError(Exception):
    """A changelog that has no notes for a release."""


def section(changelog: str, version: str) -> tuple[str, str]:
    """Return when a version was released, or `UNRELEASED`, and the text about it.

    Raises:
        NotesError: There is no such heading, or nothing below it.
    """
    pattern = rf"^## {re.escape(version)} \(([^)\n]+)\)\n(.*?)(?=^## |\Z)"
    found = re.search(pattern, changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found[2].strip():
        raise NotesError(f"CHANGELOG.md has no notes below `## {version} (DATE)`")
    if found[1] != UNRELEASED:
        try:
            date.fromisoformat(found[1])
        except ValueError:
            raise NotesError(f"CHANGELOG.md: {found[1]!r} is not a date") from None
    return found[1], found[2].strip() + "\n"


def notes(changelog: str, version: str, tag: str | None) -> str:
    """Return the notes for a version, or for the release of a tag.

    Raises:
        NotesError: There are none, or the tag may not be released.
    """
    if tag is not None and tag != f"v{version}":
        raise NotesError(f"the tag {tag} is not v{version}, the version of this checkout")
    when, text = section(changelog, version)
    if tag is not None and when == UNRELEASED:
        raise NotesError(f"CHANGELOG.md has no date for {version}")
    return text


def main(arguments: list[str] | None = None) -> int:
    """Print the notes; exit code 1 if there are none."""
    parser = argparse.ArgumentParser(prog="python -m tools.release_notes")
    parser.add_argument("--tag", help="the tag of the release")
    tag = parser.parse_args(arguments).tag
    try:
        print(notes(CHANGELOG.read_text(encoding="utf-8"), __version__, tag), end="")
    except NotesError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
