"""Change one field of a spec at a time, and check that the golden tests of its format notice.

It changes each field's size, byte order, place before the next field, and `valid`: mutation tools
for code do not know specs. Each mutant is generated in a copy of the project, whose golden tests
run until the first failure.

    python -m tools.mutants_specs
    python -m tools.mutants_specs --spec bitmap_index_v2
    python -m tools.mutants_specs --share 0.05 --seed 1
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tools.project_copy import CACHE, copy_project

ROOT = Path(__file__).parents[1]
SECONDS = 300  # for the tests of a mutant: reading may not end

_INDEXES = ("tests/file_index/test_golden_answers.py", "tests/generated/test_writers.py")
_VECTORS = ("tests/table_index/test_deletion_vector.py", "tests/roaring")
_ORC = ("tests/data_files/orc",)
_PARQUET = ("tests/generated/test_compact_thrift.py", "tests/data_files")
GOLDEN = {
    "binary_row": ("tests/rows/test_binary_row.py", "tests/rows/test_many_rows.py"),
    "bucket_index": ("tests/table_index/test_bucket_index.py",),
    "compact_thrift": _PARQUET,
    "deletion_vectors": (*_VECTORS, "tests/table_index/test_deletion_vector_file.py"),
    "file_kind": ("tests/table/test_newer_tables.py",),
    "orc_metadata": _ORC,
    "parquet_metadata": _PARQUET,
    "protobuf": _ORC,
    "roaring_bitmap_64": _VECTORS,
    "roaring_bitmap_32": (*_INDEXES, "tests/roaring"),
    "snappy_block": ("tests/table/manifests/test_containers.py",),
    "varint": (*_PARQUET, *_ORC),
}
"""Tests with files that other software wrote; of all other specs, those of indexes."""
ALL_INDEXES = (*_INDEXES, "tests/generated/test_json.py", "tests/file_index")

NO_EFFECT = {
    ("bit_slice/len_bitmap", "min 0 → 1"): "a bitmap of no bytes is refused, too",
    ("bit_slice_index/len_rows", "min 0 → 1"): "a bitmap of no bytes is refused, too",
}
"""Why mutants survive, by place and change."""


@dataclass(frozen=True)
class Mutant:
    """A spec with one change."""

    spec: str
    place: str
    change: str
    document: Any


def main() -> int:
    """Try mutants, and print the first test that fails with each; return 1 if one survives."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--share", type=float, default=1, help="random share of all mutants; 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--spec", help="only mutants of this spec")
    arguments = parser.parse_args()
    chosen = [one for one in mutants(ROOT / "specs") if arguments.spec in (None, one.spec)]
    random.Random(arguments.seed).shuffle(chosen)
    del chosen[math.ceil(arguments.share * len(chosen)) :]
    folder = copy_project(CACHE / "mutants-specs")
    survivors = 0
    for mutant in chosen:
        killer = _killer(folder, mutant) or NO_EFFECT.get((mutant.place, mutant.change))
        survivors += not killer
        print(f"{mutant.place}: {mutant.change}: {killer or 'SURVIVED'}", flush=True)
    print(f"{survivors} of {len(chosen)} mutants survived")
    return 1 if survivors else 0


def mutants(specs: Path) -> Iterator[Mutant]:
    """Yield all mutants of all specs."""
    for path in sorted(specs.glob("*.ksy")):
        document = YAML(typ="safe").load(path)
        endian = document["meta"].get("endian", "")
        for place, fields in _sequences(document):
            for i in range(len(fields)):
                for change, edit in _edits(fields, i, endian):
                    changed = copy.deepcopy(document)
                    edit(dict(_sequences(changed))[place])
                    yield Mutant(path.stem, f"{place}/{fields[i]['id']}", change, changed)


def _sequences(document: Any) -> Iterator[tuple[str, Any]]:
    yield document["meta"]["id"], document.get("seq", [])
    for name, type_ in document.get("types", {}).items():
        yield name, type_.get("seq", [])


def _edits(fields: Any, i: int, endian: str) -> Iterator[tuple[str, Any]]:
    """Yield the changes of a field: words for it, and what makes it in a copy."""
    field = fields[i]

    def to(key: str, value: Any) -> Any:
        return lambda copied: copied[i].__setitem__(key, value)

    number = re.fullmatch(r"([suf])([1248])(le|be)?", str(field.get("type")))
    if number:
        sign, size, order = number[1], int(number[2]), number[3] or ""
        other = {1: 2, 2: 4, 4: 8, 8: 4}[size]
        new: Any = f"{sign}{other}{order or ('' if endian else 'be')}"
        yield f"{field['type']} → {new}", to("type", new)
        if size > 1:
            new = f"{sign}{size}{'le' if (order or endian) == 'be' else 'be'}"
            yield f"{field['type']} → {new}", to("type", new)
    elif "size" in field:
        new = f"({field['size']}) + 1"
        yield f"{field['size']} → {new}", to("size", new)
    if "contents" in field:
        old = field["contents"]
        new = f"{old}x" if isinstance(old, str) else [*old[:-1], (old[-1] + 1) % 256]
        yield f"contents {old} → {new}", to("contents", new)
    yield from ((words, to("valid", new)) for words, new in _valids(field.get("valid")))
    # Two fields that both depend on a condition are mostly alternatives: their order means nothing.
    if i + 1 < len(fields) and not ("if" in field and "if" in fields[i + 1]):

        def swap(copied: Any) -> None:
            copied[i], copied[i + 1] = copied[i + 1], copied[i]

        yield f"after {fields[i + 1]['id']}", swap


def _valids(valid: Any) -> Iterator[tuple[str, Any]]:
    """Yield other values of `valid`, each a little stricter, or another constant."""
    if isinstance(valid, int):
        yield f"valid {valid} → {valid + 1}", valid + 1
    if isinstance(valid, dict):
        for key, step in (("min", 1), ("max", -1)):
            if isinstance(old := valid.get(key), int):
                yield f"{key} {old} → {old + step}", valid | {key: old + step}
        if several := valid.get("any-of"):
            yield f"without {several[-1]}", valid | {"any-of": several[:-1]}


def _killer(folder: Path, mutant: Mutant) -> str:
    """Return the first test that fails, or what else notices; "" if nothing does."""
    for path in (ROOT / "specs").glob("*.ksy"):
        shutil.copy(path, folder / "specs")
    with (folder / "specs" / f"{mutant.spec}.ksy").open("w", encoding="utf-8") as file:
        YAML(typ="safe").dump(mutant.document, file)
    tests = GOLDEN.get(mutant.spec, ALL_INDEXES)
    options = ("-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--seed=0")
    try:
        if _python(folder, "-m", "tools.ksy", "generate").returncode:
            return "the generator refuses it"
        done = _python(folder, "-m", "pytest", *options, "-m", "not slow and not java", *tests)
    except subprocess.TimeoutExpired:
        return "the tests do not end"
    return _first_failure(mutant, done)


def _first_failure(mutant: Mutant, done: subprocess.CompletedProcess[str]) -> str:
    if failed := re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE):
        return failed[1]
    if done.returncode < 0:  # a wrong number reached native code
        return "the tests crash"
    if "ImportError while loading conftest" in done.stderr:
        return "the code cannot be imported"
    if done.returncode:
        raise RuntimeError(f"{mutant.place}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return ""


def _python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS
    )


if __name__ == "__main__":
    sys.exit(main())
