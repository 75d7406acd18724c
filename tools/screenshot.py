"""Make docs/screenshot.svg, the picture in README.md: real commands, run in a terminal.

The files are those of `paimon-ksy demo`, so a reader can repeat the commands.
"""

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from paimon_ksy.cli import demo
from paimon_ksy.cli.demo import command_line

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "screenshot.svg"
WIDTH = 112  # columns
COMMANDS = [
    ["inspect", demo.INDEX, "-s", demo.SCHEMA, "--max-items", "4"],
    ["eval", demo.INDEX, "-s", demo.SCHEMA, "-w", demo.WHERE],
    ["table", "explain", demo.TABLE, "-w", demo.WHERE],
]


def main() -> None:
    with tempfile.TemporaryDirectory() as name, Path(os.devnull).open("w") as nowhere:
        folder = Path(name, "demo")
        demo.run(str(folder))
        console = Console(record=True, width=WIDTH, file=nowhere)
        for command in COMMANDS:
            prompt = Text("$ ", style="bold green")
            console.print(prompt + Text(f"paimon-ksy {command_line(command)}", style="default"))
            console.print(Text.from_ansi(in_terminal(command, folder).rstrip()))
            console.print()
    svg = console.export_svg(title="paimon-ksy", unique_id="paimon-ksy")
    PICTURE.write_text(svg + "\n", encoding="utf-8")
    print(PICTURE.relative_to(ROOT))


def in_terminal(command: list[str], folder: Path) -> str:
    """Return what a paimon-ksy command prints in a terminal of WIDTH columns, with its colours."""
    ours, theirs = pty.openpty()
    settings = {"COLUMNS": str(WIDTH), "LINES": "50", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [sys.executable, "-m", "paimon_ksy", *command],
        cwd=folder,
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    output = b""
    while chunk := _read(ours):
        output += chunk
    os.close(ours)
    if process.wait():
        sys.exit(f"paimon-ksy {command_line(command)} failed:\n{output.decode()}")
    return output.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says EIO at the end
        return b""


if __name__ == "__main__":
    main()
