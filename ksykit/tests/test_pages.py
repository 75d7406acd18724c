"""Pages show files and commands that run as written."""

import sys
from pathlib import Path

import pytest

from kit_support.compiled import need_compiler
from kit_support.pages import PAGES, run_page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_run_as_written(page: Path, tmp_path: Path) -> None:
    need_compiler()
    run_page(page, Path(sys.executable).parent, tmp_path)
