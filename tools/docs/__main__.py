"""Build the documentation into build/site.

    python -m tools.docs                 build, and check all links
    python -m tools.docs --out FOLDER    use another folder than build/

The exit code is 1 if a link or an anchor leads nowhere. Links to other sites are listed in
FOLDER/links.txt, and never fetched.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tools.docs.links import check
from tools.docs.stage import stage

ROOT = Path(__file__).parents[2]
CONFIG = "zensical.toml"


def build(out: Path) -> list[str]:
    """Build the site into `out/site`; return what is wrong with it.

    Raises:
        OSError: Zensical is not installed, or a file cannot be written.
    """
    for folder in ("docs", "site"):
        shutil.rmtree(out / folder, ignore_errors=True)
    stage(out / "docs")
    shutil.copy(Path(__file__).with_name(CONFIG), out / CONFIG)
    program = str(Path(sys.executable).with_name("zensical"))
    command = [program, "build", "--strict", "--clean", "--config-file", str(out / CONFIG)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return [done.stdout + done.stderr]
    problems, external = check(out / "site")
    (out / "links.txt").write_text("".join(f"{link}\n" for link in external), encoding="utf-8")
    return problems


def main() -> int:
    """Build the site and print what is wrong; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build", metavar="FOLDER")
    out: Path = parser.parse_args().out
    problems = build(out)
    for problem in problems:
        print(problem)
    pages = sum(1 for _ in (out / "site").rglob("*.html"))
    external = (out / "links.txt").read_text("utf-8").count("\n") if not problems else 0
    print(
        f"{out / 'site'}: {pages} pages, {len(problems)} problems, {external} links to other sites"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
