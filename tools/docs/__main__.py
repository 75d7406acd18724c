"""Build the documentation into build/site.

    python -m tools.docs                 build, and check links between pages
    python -m tools.docs --out FOLDER    use another folder than build/

The exit code is 1 if a link or an anchor leads nowhere. Links to other sites are never fetched.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tools.docs.stage import stage

ROOT = Path(__file__).parents[2]
CONFIG = "zensical.toml"


def main() -> int:
    """Build the site, which prints what is wrong with it; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build", metavar="FOLDER")
    out: Path = parser.parse_args().out
    for folder in ("docs", "site"):
        shutil.rmtree(out / folder, ignore_errors=True)
    stage(out / "docs")
    shutil.copy(Path(__file__).with_name(CONFIG), out / CONFIG)
    program = str(Path(sys.executable).with_name("zensical"))
    command = [program, "build", "--strict", "--clean", "--config-file", str(out / CONFIG)]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
