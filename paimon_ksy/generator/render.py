"""Texts of all generated files, by path below generated/."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .expression import evaluate
from .load import Spec, Type, Valid
from .plan import plans
from .strategies import strategy_modules
from .world import World
from .writers import writer_modules

HERE = Path(__file__).parent
COMMAND = "paimon-ksy generate"
_RUFF = [
    "--isolated", "--config", "line-length=100", "--config", 'target-version="py311"',
]  # fmt: skip

_PACKAGES = {
    "__init__.py": "Readers and writers of the formats in specs/.",
    "views/__init__.py": "Readers without objects, one module for each spec.",
    "strategies/__init__.py": "How objects of the specs are drawn, one module for each spec.",
    "parsers/__init__.py": "Readers, as kaitai-struct-compiler writes them.",
}


def _header(source: str) -> str:
    return f"# Generated from {source} by `{COMMAND}`. Do not edit."


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render_ours(specs: Mapping[str, Spec]) -> dict[str, str]:
    """All files but the compiler's parsers. Raises SpecError."""
    world = World(specs)
    environment = _environment()
    files: dict[str, str] = {}
    writer = environment.get_template("writer.py.jinja")
    for module in writer_modules(world):
        files[f"writers/{module.spec}.py"] = writer.render(
            header=_header(specs[module.spec].file), m=module
        )
    strategy = environment.get_template("strategy.py.jinja")
    for found in strategy_modules(world):
        files[f"strategies/{found.spec}.py"] = strategy.render(
            header=_header(specs[found.spec].file), m=found
        )
    view = environment.get_template("view.py.jinja")
    for plan in plans(world):
        files[f"views/{plan.spec}.py"] = view.render(header=_header(specs[plan.spec].file), m=plan)
    checked = [line for spec in specs.values() for t in spec.types for line in _checked(world, t)]
    files["checked.py"] = environment.get_template("checked.py.jinja").render(
        header=_header("specs/*.ksy"), fields=checked
    )
    owners = {t.name: s.name for s in specs.values() for t in s.types}
    first = _header("specs/*.ksy")
    files["writers/__init__.py"] = environment.get_template("writers.py.jinja").render(
        header=first, owners=sorted(owners.items())
    )
    for name, doc in _PACKAGES.items():
        files[name] = f'{first}\n"""{doc}"""\n'
    return tidy(files)


def _checked(world: World, type_: Type) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield name, path and listed values of the fields of a type that are checked."""
    for a in type_.seq:
        if a.valid != Valid() or a.contents is not None:
            options = a.valid.any_of or ((a.valid.equal,) if a.valid.equal is not None else ())
            values = [evaluate(node, lambda name: None, world.enum(type_)) for node in options]
            known = tuple(int(value) for value in values if value is not None)
            yield f"{type_.name}.{a.id}", f"{type_.spec}{a.path}", known


def tidy(files: Mapping[str, str]) -> dict[str, str]:
    """Python files without unused imports, with sorted imports, formatted by ruff."""
    rules = ["check", "--fix", "--quiet", "--select", "F401,I,RUF022", "--exit-zero"]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for arguments in (rules, ["format", "--quiet"]):
            command = [sys.executable, "-m", "ruff", *arguments, "--no-cache", *_RUFF, folder]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"ruff {arguments[0]}: {done.stdout}{done.stderr}".strip())
        return {name: Path(folder, name).read_text(encoding="utf-8") for name in sorted(files)}


_IMPORT = re.compile(r"^import (\w+)$", re.MULTILINE)


def render_parser(text: str, spec: Spec, specs: Mapping[str, Spec]) -> str:
    """The compiler's Python with relative, sorted imports and our header."""
    found = [n for n in _IMPORT.findall(text) if n in specs]
    for name in found:
        text = text.replace(f"import {name}\n", "", 1)
    anchor = "from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO\n"
    if anchor not in text:
        raise RuntimeError(f"{spec.file}: the compiler's imports are not where they were in 0.11.0")
    imports = "".join(f"from . import {name}\n" for name in sorted(found))
    ours = "from kaitaistruct import KaitaiStruct, BytesIO\n"
    ours += "from paimon_ksy.runtime.stream import KaitaiStream\n"
    text = text.replace(anchor, ours + imports, 1)
    # Without the compiler's own notice; `type: ignore` would hide the classes from mypy.
    lines = ["# mypy: ignore-errors", "# ruff: noqa", *text.split("\n")[2:]]
    body = "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"
    return f"{_header(spec.file)}\n{body}"
