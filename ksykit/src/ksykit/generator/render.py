"""Texts of all generated files, by path below generated/."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .expression import evaluate
from .spec import Spec, SpecError, Type, Valid
from .structs import struct_modules
from .views import ViewModule, enum_name, view_modules
from .world import World, escaped

_T = TypeVar("_T")
HERE = Path(__file__).parent
COMMAND = "ksykit generate"
_RUFF = [
    "--isolated", "--config", "line-length=100", "--config", 'target-version="py311"',
    "--config", "lint.isort.split-on-trailing-comma=false",
    "--config", "format.skip-magic-trailing-comma=true",
]  # fmt: skip

_PACKAGES = {
    "__init__.py": '"""Readers and writers of the formats that the .ksy files describe."""',
    "views/__init__.py": '''\
"""Readers without objects, one module for each spec.

A view begins at place `p` of `d`, which starts at byte `start` of the file, and ends before byte
`end`. Other bytes raise FormatError.
"""''',
    "structs/__init__.py": '''\
"""The types of the specs, one module for each spec."""
from ksykit.runtime import types

MODULE_OF = {owners}

def type_named(name: str) -> types.Type:
    """Return the type of that name. Raises FormatError if it does not exist."""
    return types.type_named(__name__.rpartition(".")[0], name)
''',
    "checked.py": '''\
"""The fields that have `valid` or `contents`: errors name them by these paths."""
from typing import NamedTuple

class Checked(NamedTuple):
    """A field by its path, which begins with the spec, and the valid values that are listed."""
    path: str
    values: tuple[int, ...]

CHECKED: dict[str, Checked] = {{{checked}}}
"""By type and name."""
''',
}
"""Files that are there once."""


def header(spec: str = "") -> str:
    """Return the first line of what is generated from a spec, or from all."""
    source = f"{spec}.ksy" if spec else "all .ksy files"
    return f"# Generated from {source} by `{COMMAND}`. Do not edit."


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["doc"] = escaped
    return environment


def _possible(
    world: World, kind: str, make: Callable[[World], _T], missing: list[str]
) -> tuple[_T, World]:
    """Return what can be made, and of which types; add the others to `missing`, and why."""
    while True:
        try:
            return make(world), world
        except RecursionError as error:
            file = next(iter(world.specs.values())).file
            raise SpecError(
                file, "", "types nest too deep in each other", "flatten them"
            ) from error
        except SpecError as error:
            world, reasons = world.without(error, seq_only=kind == "views")
            missing += [reason.replace(": ", f": {kind}: ", 1) for reason in reasons]


def render_ours(
    specs: Mapping[str, Spec], missing: list[str], *, is_tidy: bool = True
) -> dict[str, str]:
    """Return all files, formatted if `is_tidy`; add what is missing in them, and why.

    Raises SpecError.
    """
    whole = World(specs)
    environment = _environment()
    modules, written = _possible(whole, "structs", struct_modules, missing)
    viewed, _ = _possible(whole, "views", view_modules, missing)
    viewed = _with_enums(whole, viewed)
    missing += [line for module in viewed for line in module.missing]
    owners = {name: type_.spec for name, type_ in sorted(written.types.items())}
    checked = ", ".join(line for type_ in whole.types.values() for line in _checked(type_))
    files = {
        name: f"{header()}\n{text.format(owners=owners, checked=checked)}\n"
        for name, text in _PACKAGES.items()
    }
    with_types = [module for module in modules if module.types]
    for kind, shown in (("structs", with_types), ("views", viewed)):
        template = environment.get_template(f"{kind[:-1]}.py.jinja")
        for module in shown:
            text = template.render(header=header(module.spec), m=module)
            files[f"{kind}/{module.spec}.py"] = text
    for name, content in files.items():
        check_python(name, content, specs)
    return tidy(files) if is_tidy else files


def _with_enums(world: World, modules: list[ViewModule]) -> list[ViewModule]:
    """Return the views, and the enums of all types: objects need them, too. Raises SpecError."""
    by_spec = {module.spec: module for module in modules}
    for spec in world.specs.values():
        enums: dict[str, str] = {}
        for type_, enum in ((t, enum) for t in spec.types for enum in t.enums):
            if (name := enum_name(world, type_, enum)) in enums:
                path = f"{type_.path}/enums/{enum}"
                raise world.fail(type_, path, f"is {name} in Python twice", "choose another name")
            # Enum has a method `mro`, and lets no member have its name
            members = {f"{one}_" if one.rstrip("_") == "mro" else one: number
                       for one, number in type_.enums[enum].items()}  # fmt: skip
            enums[name] = f'IntEnum("{name}", {members})'
        if enums:
            module = by_spec.setdefault(spec.name, ViewModule(spec.name, spec.title))
            module.constants = enums | module.constants
    return [*by_spec.values()]


def check_python(name: str, text: str, specs: Mapping[str, Spec]) -> None:
    """Refuse a file that is not Python."""
    try:
        with warnings.catch_warnings(action="error"):
            compile(text, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, Warning, RecursionError) as error:
        spec = specs.get(Path(name).stem)
        file = name if spec is None else spec.file
        line = (getattr(error, "text", "") or "").strip()
        message = f"{name} would not be Python: {error}: {line}"
        raise SpecError(file, "", message, "choose other names") from error


def _checked(type_: Type) -> Iterator[str]:
    """Yield the fields of a type that are checked: the path, and values that are listed."""
    for a in type_.seq:
        if a.valid != Valid() or a.contents is not None:
            options = a.valid.any_of or ((a.valid.equal,) if a.valid.equal is not None else ())
            values = [evaluate(node) for node in options]
            known = tuple(int(value) for value in values if value is not None)
            yield f'"{type_.name}.{a.id}": Checked("{type_.spec}{a.path}", {known})'


def tidy(files: Mapping[str, str]) -> dict[str, str]:
    """Python files without unused imports, with sorted imports, formatted by ruff."""
    rules = ["check", "--fix", "--quiet", "--select", "F401,I,RUF022", "--exit-zero"]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for arguments in (rules, ["format", "--quiet"]):
            command = [sys.executable, "-P", "-m", "ruff", *arguments, "--no-cache", *_RUFF, folder]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"ruff {arguments[0]}: {done.stdout}{done.stderr}".strip())
        return {name: Path(folder, name).read_text(encoding="utf-8") for name in sorted(files)}


_CODEC = re.compile(r"^from (?:zstd|lz4|lzo) import", re.MULTILINE)
_ZLIB = re.compile(r"\bzlib\.decompress\((.*)\)$", re.MULTILINE)
_RUNTIME = re.compile(
    r"^from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO\n", re.MULTILINE
)
_IMPORT = re.compile(r"^import (\w+)$", re.MULTILINE)


def render_parser(text: str, spec: Spec, specs: Mapping[str, Spec]) -> str:
    """Return the compiler's Python with relative, sorted imports and our header."""
    imported = [n for n in _IMPORT.findall(text) if n in specs]
    for name in imported:
        text = text.replace(f"import {name}\n", "", 1)
    text = _CODEC.sub(r"from ksykit.runtime.codecs import", text)
    text = text.replace("import zlib\n", "from ksykit.runtime.codecs import decode\n")
    text = _ZLIB.sub(r'decode("zlib", \1, 0)', text)
    found_runtime = _RUNTIME.search(text)
    if found_runtime is None:
        raise RuntimeError(f"{spec.file}: the compiler's imports are not where they were in 0.11.0")
    imports = "".join(f"from . import {name}\n" for name in sorted(imported))
    text = text.replace(found_runtime[0], found_runtime[0] + imports, 1)
    # Without the compiler's own notice; `type: ignore` would hide the classes from mypy.
    lines = ["# mypy: ignore-errors", "# ruff: noqa", *text.split("\n")[2:]]
    body = "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"
    return f"{header(spec.name)}\n{body}"
