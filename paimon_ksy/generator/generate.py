"""All files of some specs, and the folder that has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .compiler import compile_specs
from .load import Spec, SpecError
from .render import render_ours, render_parser

_HEAD = b"# Generated from "


def render_all(specs: Mapping[str, Spec]) -> dict[str, str]:
    """Return the text of each file, by its path. Raises SpecError, CompilerMissing."""
    files = render_ours(specs)
    compiled = compile_specs({s.name: s.raw for s in specs.values()}, ["python"])["python"]
    for spec in specs.values():
        answer = compiled[spec.name]
        if "error" in answer:
            message = " ".join(answer["error"].split())
            raise SpecError(spec.file, "", message, "the compiler refuses it")
        files[f"parsers/{spec.name}.py"] = render_parser(
            answer["files"][f"{spec.name}.py"], spec, specs
        )
    return files


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
