"""All files of some specs, and the folder that has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .compiler import compile_specs
from .render import check_python, header, render_ours, render_parser
from .spec import Spec, SpecError
from .world import escaped

_HEAD = b"# Generated from "


def render_all(specs: Mapping[str, Spec], missing: list[str] | None = None) -> dict[str, str]:
    """Return the text of each file of the package, by its path.

    Args:
        specs: By name.
        missing: Gets a line for each type that views or structs leave out, and why. Without it,
            such a type is an error.

    Raises:
        SpecError: The specs are not supported.
    """
    left_out: list[str] = []
    files = render_ours(specs, left_out)
    types = [line for line in left_out if ": left out: " not in line]  # not a member of a view
    if types and missing is None:
        file, _, why = types[0].partition(": ")
        kind, path, message = why.split(": ", 2)
        raise SpecError(file, path, f"{kind}: {message}", "simplify it")
    if missing is not None:
        missing += left_out
    return files


def render_kaitai(specs: Mapping[str, Spec]) -> dict[str, str]:
    """Return Kaitai's own readers of the specs, a package beside ours, by path.

    Raises:
        SpecError: The compiler refuses a spec.
        CompilerMissing: The compiler is not installed.
    """
    raws = {spec.name: for_compiler(spec.raw) for spec in specs.values()}
    compiled = compile_specs(raws, ["python"])["python"]
    files = {"__init__.py": f'{header()}\n"""Readers by kaitai-struct-compiler."""\n'}
    for spec in specs.values():
        answer = compiled[spec.name]
        if "error" in answer:
            message = " ".join(answer["error"].split())
            raise SpecError(spec.file, "", message, "the compiler refuses it")
        name = f"{spec.name}.py"
        files[name] = render_parser(answer["files"][name], spec, specs)
        check_python(name, files[name], specs)
    return files


_PROSE = {
    "title", "application", "file-extension", "xref", "license", "ks-version", "ks-debug", "tags",
}  # fmt: skip
"""Keys of `meta` that do not change what is read: the compiler does not get them."""


def for_compiler(raw: Any, key: str = "") -> Any:
    """Return the YAML with docs escaped, and without other texts that are no code."""
    if key in ("doc", "doc-ref") and isinstance(raw, str):
        return escaped(raw)
    if key == "imports" and isinstance(raw, str):
        return raw.rpartition("/")[2]
    if isinstance(raw, list):
        return [for_compiler(each, key) for each in raw]
    if not isinstance(raw, Mapping):
        return raw
    left_out = _PROSE if key == "meta" else set()
    return {
        name: for_compiler(value, str(name))
        for name, value in raw.items()
        if name not in left_out and (key == "cases" or str(name)[:1] != "-")
    }


def write_files(files: Mapping[str, str], out: Path) -> None:
    """Write the files that differ from those in a folder; remove others that were generated."""
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for folder in {(out / name).parent for name in files}:
        for path in folder.glob("*.py"):
            if path.relative_to(out).as_posix() not in files and _is_generated(path):
                path.unlink()


def differing(files: Mapping[str, str], out: Path) -> list[str]:
    """Return the paths of files that a folder lacks, has with other text, or should not have."""
    there = {path.relative_to(out).as_posix(): path for path in out.rglob("*.py")}
    others = (name for name, path in there.items() if name not in files and _is_generated(path))
    changed = (
        name
        for name, text in files.items()
        if not (out / name).is_file() or (out / name).read_text(encoding="utf-8") != text
    )
    return sorted({*changed, *others})


def in_the_way(files: Mapping[str, str], out: Path) -> Path | None:
    """Return one of the files that exists, and was not generated."""
    paths = (out / name for name in files)
    return next((path for path in paths if path.exists() and not _is_generated(path)), None)


def _is_generated(path: Path) -> bool:
    with path.open("rb") as file:
        return path.suffix != ".py" or file.read(len(_HEAD)) in (b"", _HEAD)
