"""Write the parts of pages that come from the code and the specs, and build the site in build/site.

    python -m tools.docs                 write, build, and check links between pages
    python -m tools.docs --check         only name the pages whose parts are stale
    python -m tools.docs --out FOLDER    use another folder than build/

The exit code is 1 if a page is stale, or if a link or an anchor leads nowhere. Links to other sites
are never fetched.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tools.docs.stage import stage
from tools.docs.written import stale

ROOT = Path(__file__).parents[2]
CONFIG = "zensical.toml"


def main() -> int:
    """Write the pages and build the site, which prints what is wrong; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build", metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="only name the stale pages")
    options = parser.parse_args()
    pages = list(stale())
    for path, text in pages:
        if options.check:
            print(f"{path} is not what the code and the specs give: run `make docs`")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path}")
    if options.check:
        return 1 if pages else 0
    out: Path = options.out
    for folder in ("docs", "site"):
        shutil.rmtree(out / folder, ignore_errors=True)
    stage(out / "docs")
    shutil.copy(Path(__file__).with_name(CONFIG), out / CONFIG)
    program = str(Path(sys.executable).with_name("zensical"))
    command = [program, "build", "--strict", "--clean", "--config-file", str(out / CONFIG)]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
