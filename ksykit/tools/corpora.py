"""Try the specs of others, such as Kaitai's gallery and its tests, and count what comes of them.

    python ksykit/tools/corpora.py FORMATS [--data DATA [--cases KST]] [--refused]

FORMATS is a folder of .ksy files: a checkout of kaitai_struct_formats, or the folder `formats` of
kaitai_struct_tests, of which DATA is `src` and KST is `spec/ks`. Each file with data is read by
Kaitai's parser, as an object, as JSON and by the view, and is written again. `--refused` lists why
specs are refused. The exit code is 1 if an accepted spec reads or writes wrongly.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import pytest
from hypothesis import HealthCheck, given, settings
from ksykit.generator.generate import write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError
from ksykit.runtime.objects import from_json, gaps, to_bytes, to_json
from ksykit.runtime.types import type_named
from ksykit.testing import objects

from kit_support.agreement import check_come_back, check_readers
from kit_support.bounds import bounded
from kit_support.compiled import with_judge


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all specs; print counts, and what is wrong."""
    parser = argparse.ArgumentParser(prog="corpora", description=__doc__)
    parser.add_argument("formats", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--only", default="", help="specs whose names match")
    parser.add_argument("--draw", type=int, default=0, help="objects to draw of each spec")
    asked = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    wrong = 0

    def report(line: str) -> None:
        nonlocal wrong
        wrong += 1
        print(f"WRONG: {line}", flush=True)

    cases = dict(cases_of(asked.cases, asked.data)) if asked.cases else {}
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for at, path in enumerate(sorted(asked.formats.rglob("*.ksy"))):
            if asked.only and not re.search(asked.only, path.stem):
                continue
            counts["specs"] += 1
            missing: list[str] = []
            package = f"made_{at}"
            try:
                folders = [asked.formats, asked.formats / "ks_path"]
                files = with_judge(load_specs(path, import_path=folders), missing)
            except SpecError as error:
                counts["refused"] += 1
                reasons[cause(error)] += 1
                if asked.refused:
                    print(f"refused: {path.name}: {str(error)[:300]}")
                continue
            except Exception as error:
                report(f"{path.name}: {error!r:.300}")
                traceback.print_exc()
                continue
            counts["accepted"] += 1
            counts["whole"] += not missing
            counts["whole but for views"] += not any(": structs: " in line for line in missing)
            if asked.refused:
                for line in missing:
                    print(f"left out: {line[:300]}")
            if path.stem not in cases and not asked.draw:
                continue
            write_files(files, Path(folder, package))
            if asked.draw and not any(": structs: " in line for line in missing):
                outcome = drawn(package, path.stem, asked.draw)
                counts[f"drawn: {outcome.partition(': ')[0]}"] += 1
                if outcome != "all":
                    report(f"{path.name}: drawn: {outcome}")
            if path.stem not in cases:
                continue
            counts["with data"] += 1
            try:
                problem = disagreement(package, path.stem, cases[path.stem].read_bytes(), missing)
            except (Exception, pytest.fail.Exception) as error:
                problem = f"{error!r:.300}"
                if asked.only:
                    traceback.print_exc()
            if problem:
                report(f"{path.name}: {problem}")
    print(*(f"{name}: {count}" for name, count in counts.items()), sep="\n")
    for reason, count in reasons.most_common():
        print(f"{count:5}  {reason}")
    return 1 if wrong else 0


def cases_of(folder: Path, data: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name of a spec, and the file that it describes."""
    for path in sorted(folder.glob("*.kst")):
        text = path.read_text("utf-8")
        name, file = (re.search(rf"^{key}:\s*(\S+)", text, re.MULTILINE) for key in ("id", "data"))
        if name and file and "exception:" not in text:
            yield name[1].strip("'\""), data / file[1].strip("'\"")


def drawn(package: str, name: str, count: int) -> str:
    """Return "all" if objects that are drawn come back from their bytes, or else why not."""
    type_ = type_named(package, name)

    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=[*HealthCheck],
    )
    @given(objects(type_))
    def come_back(obj: object) -> None:
        check_come_back(obj)

    try:
        with bounded(60, 500):
            come_back()
    except (Exception, pytest.fail.Exception) as error:
        return f"{type(error).__name__}: {error!s:.160}".replace("\n", " ")
    return "all"


def cause(error: SpecError) -> str:
    """Return a refusal without its names."""
    return re.sub(r"'[^']*'|\b\d+\b", "..", error.message)[:100]


def disagreement(package: str, name: str, data: bytes, missing: Sequence[str]) -> str:
    """Return how readings of a file differ, or what is written again; "" if nothing does."""
    if any(": structs: " in line for line in missing):
        importlib.import_module(f"{package}.parsers.{name}")
        return ""
    type_ = type_named(package, name)
    if type_.params:
        return ""
    parsed = type_.read(data)
    if not check_readers(type_, data, {}):
        return "a reader refuses it"
    pieces = gaps(parsed, data)
    if to_bytes(parsed, pieces) != data:
        return "it is written as other bytes"
    if to_bytes(from_json(type_, to_json(parsed)), pieces) != data:
        return "its JSON is written as other bytes"
    return ""


if __name__ == "__main__":
    sys.exit(main())
