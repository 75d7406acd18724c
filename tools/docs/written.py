"""Parts of pages that are written from the code and the specs, between two comments.

The first comment, ``<!-- `make docs` writes: NAME ARGUMENTS -->``, names the function in `PARTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from paimon_ksy.table.store.options import known_options
from tools.docs import commands, formats, json_answers, parts
from tools.docs.text import render

DOCS = Path(__file__).parents[2] / "docs"

PARTS: Mapping[str, Callable[[str], str]] = {
    "api": parts.api,
    "casts": parts.casts,
    "column-types": parts.column_types,
    "commands": commands.index,
    "differences": parts.differences,
    "flags": commands.flags,
    "format": formats.part,
    "formats": formats.index,
    "functions": parts.functions,
    "json": json_answers.part,
    "kinds": parts.kinds,
    "layers": parts.layers,
    "options": commands.options,
    "table-options": lambda _: render("table_options.md", options=known_options().values()),
    "versions": parts.versions,
}
END = "<!-- end of what `make docs` writes -->"
PART = re.compile(rf"^(<!-- `make docs` writes: ([\w-]+)(.*) -->)$[^\0]*?^{END}$", re.MULTILINE)


def stale() -> Iterator[tuple[Path, str]]:
    """Yield the pages whose parts are not what the code and the specs give, with their new text."""
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text("utf-8")
        filled = PART.sub(lambda m: f"{m[1]}\n\n{_tidy(PARTS[m[2]](m[3].strip()))}\n\n{END}", text)
        if filled != text:
            yield path, filled


def _tidy(text: str) -> str:
    """Return a part without blanks at ends of lines, and with single empty lines."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" +$", "", text, flags=re.M)).strip()
