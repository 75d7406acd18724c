"""All files of some specs, and the folder that has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .compiler import compile_specs
from .load import Spec, SpecError
from .render import check_python, render_ours, render_parser
from .world import escaped

_HEAD = b"# Generated from "


def render_all(specs: Mapping[str, Spec], missing: list[str] | None = None) -> dict[str, str]:
    """Return the text of each file, by its path.

    Args:
        specs: By name.
        missing: Gets a line for each type that views, writers or strategies leave out, and why.
            Without it, such a type is an error.

    Raises:
        SpecError: The specs are not supported, or the compiler refuses them.
        CompilerMissing: There is no compiler.
    """
    left_out: list[str] = []
    files = render_ours(specs, left_out)
    types = [line for line in left_out if ": left out: " not in line]  # not a member of a view
    if types and missing is None:
        file, _, why = types[0].partition(": ")
        kind, path, message = why.split(": ", 2)
        raise SpecError(file, path, f"{kind}: {message}", "simplify it")
    raws = {spec.name: _escaped(spec.raw) for spec in specs.values()}
    compiled = compile_specs(raws, ["python"])["python"]
    for spec in specs.values():
        answer = compiled[spec.name]
        if "error" in answer:
            message = " ".join(answer["error"].split())
            raise SpecError(spec.file, "", message, "the compiler refuses it")
        name = f"parsers/{spec.name}.py"
        files[name] = render_parser(answer["files"][f"{spec.name}.py"], spec, specs)
        check_python(name, files[name], specs)
    if missing is not None:
        missing += left_out
    return files


def _escaped(raw: Any) -> Any:
    """Return the YAML with docs that the compiler may put between quotes."""
    if isinstance(raw, Mapping):
        return {
            key: escaped(text) if key == "doc" and isinstance(text, str) else _escaped(text)
            for key, text in raw.items()
        }
    return [_escaped(each) for each in raw] if isinstance(raw, list) else raw


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


def in_the_way(files: Mapping[str, str], out: Path) -> Path | None:
    """Return one of the files that exists, and was not generated."""
    paths = (out / name for name in files)
    return next((path for path in paths if path.exists() and not _is_generated(path)), None)


def _is_generated(path: Path) -> bool:
    with path.open("rb") as file:
        return path.suffix != ".py" or file.read(len(_HEAD)) in (b"", _HEAD)
