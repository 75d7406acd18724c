"""kaitai-struct-compiler 0.11: a module fetched once from npm, or the command of that name."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .npm import NpmMissing, on_path, package_file, tool
from .spec import SpecError

HERE = Path(__file__).parent
LANGUAGES = {
    "python": "Python",
    "javascript": "JavaScript",
    "java": "Java",
    "cpp_stl_11": "C++11",
    "go": "Go",
    "rust": "Rust",
    "php": "PHP",
    "ruby": "Ruby",
    "lua": "Lua",
    "csharp": "C#",
    "nim": "Nim",
}


COMMAND = "kaitai-struct-compiler"
MOST_SECONDS = 120
"""For which the compiler may run."""

CompilerMissing = NpmMissing


def compiler_path() -> Path:
    """Return the compiler's module, installed into the cache if missing. Raises CompilerMissing."""
    return package_file(HERE, "kaitai-struct-compiler/kaitai-struct-compiler.js")


def _exact(raw: Any) -> Any:
    """Return the YAML with numbers that JavaScript or the compiler does not hold as expressions."""
    if isinstance(raw, dict):
        return {key: _exact(value) for key, value in raw.items()}
    if isinstance(raw, list):
        return [_exact(value) for value in raw]
    is_big = isinstance(raw, int) and abs(raw) > 2**53
    return str(raw) if is_big or isinstance(raw, float) else raw


def compile_specs(
    specs: Mapping[str, Any], languages: Iterable[str], only: Iterable[str] | None = None
) -> dict[str, dict[str, dict[str, Any]]]:
    """`{language: {spec: {"files": {path: text}} or {"error": message}}}`.

    `specs` maps names to parsed YAML; `languages` are keys of LANGUAGES.

    Raises:
        SpecError: The compiler does not end in time.
        CompilerMissing: The compiler is not installed.
    """
    names, specs = list(specs if only is None else only), _exact(specs)
    try:
        compiler, node = compiler_path(), tool("node")
    except CompilerMissing as error:
        command = on_path(COMMAND)
        if command is None:
            raise CompilerMissing(f"{error}, or put {COMMAND} 0.11 on the PATH") from error
        return {key: _by_command(command, specs, key, names) for key in languages}
    request = {
        "compiler": str(compiler),
        "languages": list(languages),
        "compile": names,
        "specs": specs,
    }
    done = _run(
        [*node, str(HERE / "compile.cjs")],
        names,
        input=json.dumps(request),
        env={**os.environ, "NODE_OPTIONS": ""},
    )
    if done.returncode:
        raise CompilerMissing(f"node failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    if not done.stdout:  # it waits for what never comes
        files = ", ".join(f"{name}.ksy" for name in names)
        raise SpecError(files, "", "the Kaitai compiler gives no answer", "simplify the types")
    answer: dict[str, dict[str, dict[str, Any]]] = json.loads(done.stdout)
    return answer


def _run(
    command: list[str], names: Iterable[str], **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a compiler of these specs within its time."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=MOST_SECONDS, **options
        )
    except subprocess.TimeoutExpired as error:
        files = ", ".join(f"{name}.ksy" for name in names)
        message = f"the Kaitai compiler did not end in {MOST_SECONDS} s"
        raise SpecError(files, "", message, "simplify the types") from error


def _by_command(
    command: str, specs: Mapping[str, Any], language: str, names: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Return what the compiler's own command answers, which runs for each spec."""
    answers: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, raw in specs.items():  # JSON is YAML
            Path(folder, f"{name}.ksy").write_text(json.dumps(raw), encoding="utf-8")
        for name in names:
            out = Path(folder, f"{name}.out")
            arguments = ["--target", language, "--outdir", str(out), f"{name}.ksy"]
            done = _run([command, *arguments], [name], cwd=folder)
            if done.returncode:
                answers[name] = {"error": done.stderr}
                continue
            made = [path for path in out.rglob("*") if path.is_file()]
            texts = {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in made}
            answers[name] = {"files": texts}
    return answers
