"""Pages that show files, and commands in order."""

import os
import re
import subprocess
from pathlib import Path

from kit_support.page_text import pattern, tidy

KIT = Path(__file__).parents[2]
PAGES = KIT / "README.md", KIT / "docs" / "tutorial.md", KIT / "docs" / "formats.md"
_FILE = re.compile(r"^### `([^`]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(page: Path, bin_folder: Path, folder: Path) -> None:
    """Run a page in an empty folder, with the commands `python` and `ksykit` of another folder."""
    text = page.read_text(encoding="utf-8")
    for name, content in _FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    blocks = _COMMANDS.findall(text)
    assert blocks
    for block in blocks:
        command, _, expected = block.removeprefix("$ ").partition("\n")
        done = subprocess.run(
            command.split(),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert re.fullmatch(pattern(expected), tidy(done.stdout)), f"{command}\n{done.stdout}"
