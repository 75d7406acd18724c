"""`table rewrite-index`: its defaults and words are those of the code."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path

from paimon_ksy.cli.table_rewrite import run
from paimon_ksy.table.index import build, existing
from paimon_ksy.table.index.rewrite import BATCH_FILES
from paimon_ksy.table.index.summary import REASONS


def test_batches_are_as_large_as_in_python() -> None:
    assert signature(run).parameters["batch_files"].default == BATCH_FILES


def test_each_reason_has_its_words() -> None:
    """The reasons are those that the code returns."""
    sources = [Path(module.__file__ or "").read_text("utf-8") for module in (existing, build)]
    returned = {
        reason
        for source in sources
        for reason in re.findall(r'(?:return|reason =|reason or) "(\w+)"', source)
    }
    assert returned == REASONS.keys()
