"""All files of some specs, and the folder that has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .compiler import compile_specs
from .render import check_python, header, render_ours, render_parser
from .spec import Spec, SpecError
from .world import World, escaped

_HEAD = b"# Generated from "


def render_all(specs: Mapping[str, Spec], missing: list[str] | None = None) -> dict[str, str]:
    """Return the text of each file, by its path.

    Args:
        specs: By name.
        missing: Gets a line for each type that views, writers or strategies leave out, and why.
            Without it, such a type is an error.

    Raises:
        SpecError: The specs are not supported, or the compiler refuses them.
        CompilerMissing: The compiler is not installed.
    """
    left_out: list[str] = []
    files = render_ours(specs, left_out)
    types = [line for line in left_out if ": left out: " not in line]  # not a member of a view
    if types and missing is None:
        file, _, why = types[0].partition(": ")
        kind, path, message = why.split(": ", 2)
        raise SpecError(file, path, f"{kind}: {message}", "simplify it")
    raws = {spec.name: for_compiler(spec.raw) for spec in specs.values()}
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
        files |= _kaitai_writers(World(specs), raws, left_out)
        missing += left_out
    return files


_USAGE = '''
"""Readers and writers by `kaitai-struct-compiler -w`, of specs with types that writers/ lacks.

    thing = Thing(KaitaiStream(BytesIO(data)))
    thing._read()
    thing.name = "new"
    thing._check()  # this computes nothing: set counts, lengths and offsets yourself
    out = KaitaiStream(BytesIO(bytearray(size)))  # all bytes of the file
    thing._write(out)
    out.to_byte_array()
"""
'''


def _kaitai_writers(world: World, raws: Mapping[str, Any], left_out: list[str]) -> dict[str, str]:
    """Return Kaitai's own writers of the specs whose types ours lack; add that to `left_out`."""
    starts = {name: f"{spec.file}: writers: " for name, spec in world.specs.items()}
    lacking = [name for name in starts if any(line.startswith(starts[name]) for line in left_out)]
    needed = {name: {name, *world.imported(name)} for name in lacking}
    files: dict[str, str] = {}
    if not lacking:
        return files
    compiled = compile_specs(raws, ["python_write"], sorted(set().union(*needed.values())))
    answers = compiled["python_write"]
    for name in lacking:
        errors = [answers[n]["error"] for n in sorted(needed[name]) if "error" in answers[n]]
        instead = f"instead, rw/{name}.py has Kaitai's own writer"
        if errors:
            instead = f"Kaitai's own writer is missing, too: {' '.join(errors[0].split())}"
        for i, line in enumerate(left_out):
            if line.startswith(starts[name]):
                left_out[i] = f"{line}; {instead}"
        for each in () if errors else needed[name]:
            text, spec = answers[each]["files"][f"{each}.py"], world.specs[each]
            files[f"rw/{each}.py"] = render_parser(text, spec, world.specs)
            check_python(f"rw/{each}.py", files[f"rw/{each}.py"], world.specs)
    if files:
        files["rw/__init__.py"] = f"{header('specs/*.ksy')}{_USAGE}"
    return files


_PROSE = {"title", "application", "file-extension", "xref", "license", "ks-version", "tags"}
"""Keys of `meta` that are no code: the compiler does not get them."""


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
    for folder in {out / "rw", *((out / name).parent for name in files)}:
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
