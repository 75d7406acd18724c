"""`python -m tools.ksy generate | check | specs`: see docs/project/generator.md."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ksykit.generator.compiler import LANGUAGES, CompilerMissing, compile_specs
from ksykit.generator.generate import differing, render_all, render_kaitai, write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError

from . import lint
from .inlined import inlined_types

ROOT = Path(__file__).parent.parent.parent


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _rendered(folder: Path, out: Path, judge: Path) -> dict[Path, dict[str, str]]:
    """Our package, and Kaitai's own readers, with which tests compare it."""
    specs = load_specs(folder)
    inlined = json.dumps(inlined_types(specs), indent=1, ensure_ascii=False) + "\n"
    return {out: {**render_all(specs), "inlined.json": inlined}, judge: render_kaitai(specs)}


def generate(folder: Path, out: Path, judge: Path) -> int:
    """Writes all files, removes those that are no longer made; returns how many there are."""
    rendered = _rendered(folder, out, judge)
    for each, files in rendered.items():
        write_files(files, each)
    return sum(map(len, rendered.values()))


def check(folder: Path, out: Path, judge: Path) -> list[Path]:
    """Files that differ from what the specs give."""
    rendered = _rendered(folder, out, judge)
    return [each / name for each, files in rendered.items() for name in differing(files, each)]


def compile_table(folder: Path) -> bool:
    """Compiles each spec for each language and prints what came of it; whether all did."""
    specs = load_specs(folder)
    compiled = compile_specs({s.name: s.raw for s in specs.values()}, LANGUAGES)
    width = max(map(len, specs))
    print(" " * width, *LANGUAGES.values(), sep="  ")
    errors = []
    for name in specs:
        cells = []
        for key, title in LANGUAGES.items():
            answer = compiled[key][name]
            cells.append(("FAIL" if "error" in answer else "ok").ljust(len(title)))
            if "error" in answer:
                errors.append(f"{specs[name].file}: {title}: {_one_line(answer['error'])}")
        print(name.ljust(width), *cells, sep="  ")
    errors += lint.lint(folder, specs)
    print(*errors, sep="\n" if errors else "")
    return not errors


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.ksy", description=__doc__)
    parser.add_argument("command", choices=("generate", "check", "specs"))
    parser.add_argument(
        "--specs", type=Path, default=ROOT / "specs", help="folder of the .ksy files"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "generated", help="folder to write to")
    what = "folder of Kaitai's own readers"
    parser.add_argument("--judge", type=Path, default=ROOT / "tests" / "reference", help=what)
    options = parser.parse_args(arguments)
    try:
        if options.command == "specs":
            return 0 if compile_table(options.specs) else 1
        if options.command == "generate":
            many = generate(options.specs, options.out, options.judge)
            print(f"{many} files in {options.out} and {options.judge}")
            return 0
        differ = check(options.specs, options.out, options.judge)
        for path in differ:
            print(f"{path} is not what specs/ gives: run `python -m tools.ksy generate`")
        return 1 if differ else 0
    except (SpecError, CompilerMissing) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
