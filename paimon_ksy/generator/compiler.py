"""kaitai-struct-compiler 0.11.0: fetched once from npm by the lock file, run by node."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .npm import NpmMissing, package_file, tool

HERE = Path(__file__).parent
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


def compiler_path() -> Path:
    """The compiler's module; installed into .cache/ if it is not there. Raises CompilerMissing."""
    try:
        return package_file(HERE, "kaitai-struct-compiler/kaitai-struct-compiler.js")
    except NpmMissing as error:
        raise CompilerMissing(str(error)) from error


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
        [*tool("node"), str(HERE / "compile.cjs")],
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
