"""Make the pictures in README.md: docs/screenshot.svg, and docs/report.png with Chromium.

They show real commands. The files are those of `make demo` and of examples/, so a reader can repeat
the commands.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tools import demo
from tools.demo import command_line

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "screenshot.svg"
WIDTH = 112  # columns
COMMANDS = [
    ["inspect", demo.INDEX, "-s", demo.SCHEMA, "--max-items", "4"],
    ["eval", demo.INDEX, "-s", demo.SCHEMA, "-w", demo.WHERE],
    ["table", "explain", demo.TABLE, "-w", demo.WHERE],
]
PAGE = ROOT / "docs" / "report.png"
INDEX = "examples/worked/orders.parquet.index"
REPORT = ["report", INDEX, "--schema", "status STRING, region STRING", "-o"]
SIZE = 1100, 1520  # of the window: the whole page


def main() -> None:
    screenshot()
    report()


def screenshot() -> None:
    """Write the picture of a terminal."""
    with tempfile.TemporaryDirectory() as name, Path(os.devnull).open("w") as nowhere:
        folder = Path(name, "demo")
        folder.mkdir()
        demo.run(folder)
        console = Console(record=True, width=WIDTH, file=nowhere)
        for command in COMMANDS:
            prompt = Text("$ ", style="bold green")
            console.print(prompt + Text(f"paimon-ksy {command_line(command)}", style="default"))
            console.print(Text.from_ansi(printed(command, folder).rstrip()))
            console.print()
    svg = console.export_svg(title="paimon-ksy", unique_id="paimon-ksy")
    PICTURE.write_text(svg + "\n", encoding="utf-8")
    print(PICTURE.relative_to(ROOT))


def printed(command: list[str], folder: Path) -> str:
    """Return what a paimon-ksy command prints in a terminal of WIDTH columns, with its colours."""
    settings = {"COLUMNS": str(WIDTH), "TERM": "xterm-256color", "FORCE_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "paimon_ksy", *command],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"paimon-ksy {command_line(command)} failed:\n{done.stderr}")
    return done.stdout


def report() -> None:
    """Write the picture of a page, as Chromium shows it."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("docs/report.png: no `chromium` on PATH")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "orders.html")
        command = [sys.executable, "-m", "paimon_ksy", *REPORT, str(page)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={folder}/profile", "--blink-settings=preferredColorScheme=1"]
        options += ["--window-size={},{}".format(*SIZE), f"--screenshot={PAGE}", page.as_uri()]
        subprocess.run([chromium, *options], check=True, capture_output=True)
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
