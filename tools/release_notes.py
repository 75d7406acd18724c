"""Print the section of CHANGELOG.md about this version, without its heading.

    python -m tools.release_notes [--tag v0.1.0]

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

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


class NotesError(Exception):
    """A changelog that has no notes for a release."""


def notes(changelog: str, version: str, tag: str | None) -> str:
    """Return the notes for a version, or for the release of a tag.

    Raises:
        NotesError: There are none, or the tag may not be released.
    """
    if tag not in (None, f"v{version}"):
        raise NotesError(f"the tag {tag} is not v{version}, the version of this checkout")
    pattern = rf"^## {re.escape(version)} \(([^)\n]+)\)\n(.*?)(?=^## |\Z)"
    section = re.search(pattern, changelog, re.MULTILINE | re.DOTALL)
    if section is None or not section[2].strip():
        raise NotesError(f"CHANGELOG.md has no notes below `## {version} (DATE)`")
    if tag or section[1] != "not released":
        try:
            date.fromisoformat(section[1])
        except ValueError:
            raise NotesError(f"CHANGELOG.md: {section[1]!r} is not a date") from None
    return section[2].strip() + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.release_notes")
    parser.add_argument("--tag", help="the tag of the release")
    try:
        print(notes(CHANGELOG.read_text("utf-8"), __version__, parser.parse_args().tag), end="")
    except NotesError as error:
        sys.exit(str(error))
