"""Change one field of a spec at a time, and check that the golden tests of its format notice.

It changes each field's size, byte order, place before the next field, and `valid`. Each mutant is
generated in a copy of the project, whose golden tests run until the first failure. The table in
tests/mutants_specs.md has one line for each mutant that was tried, and is written by this tool. A
run of some mutants changes only their lines.

    python -m tools.mutants_specs --share 0.2 --seed 1
    python -m tools.mutants_specs --spec bitmap_index_v2
    python -m tools.mutants_specs --again
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tools.project_copy import CACHE, copy_project

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "mutants_specs.md"
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
ALL_INDEXES = (
    *_INDEXES,
    "tests/generated/test_json.py",
    "tests/file_index/test_builder.py",
    "tests/file_index/test_container.py",
    "tests/file_index/test_ordered_indexes.py",
    "tests/file_index/bitmap/test_reader.py",
    "tests/file_index/bloom_filter/test_reader.py",
    "tests/file_index/bsi/test_reader.py",
    "tests/file_index/range_bitmap/test_reader.py",
)


@dataclass(frozen=True)
class Mutant:
    """A spec with one change."""

    spec: str
    place: str
    kind: str
    change: str
    document: Any


@dataclass(frozen=True)
class Result:
    """What noticed a mutant; "" if nothing did."""

    mutant: Mutant
    killer: str


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--share", type=float, default=1, help="random share of all mutants; 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--spec", help="only mutants of this spec")
    parser.add_argument(
        "--again", action="store_true", help="only mutants that survived, or that are new"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", type=Path, default=TABLE, help="file of the table")
    arguments = parser.parse_args()
    chosen = choose(arguments.spec, arguments.share, arguments.seed)
    results = {_order(one.mutant): one for one in read_table(arguments.table)}
    if arguments.again:
        killed = {key for key, one in results.items() if one.killer}
        chosen = [one for one in chosen if _order(one) not in killed]
    start = time.monotonic()
    for result in run(chosen, arguments.jobs):
        results[_order(result.mutant)] = result
        lines = table([results[key] for key in sorted(results)])
        arguments.table.write_text(lines, encoding="utf-8")  # also if this is interrupted
    survivors = [one for one in results.values() if not one.killer and _reason(one) is None]
    seconds = time.monotonic() - start
    print(f"{len(chosen)} mutants in {seconds:.0f} s, {len(survivors)} of {len(results)} survived")
    for one in survivors:
        print(f"  {one.mutant.spec}: {one.mutant.place}: {one.mutant.change}")
    return 1 if survivors else 0


def choose(spec: str | None, share: float, seed: int) -> list[Mutant]:
    """Return a share of all mutants, at random."""
    found = [one for one in mutants(ROOT / "specs") if spec in (None, one.spec)]
    random.Random(seed).shuffle(found)
    return found[: math.ceil(share * len(found))]


def mutants(specs: Path) -> Iterator[Mutant]:
    """Yield all mutants of all specs."""
    for path in sorted(specs.glob("*.ksy")):
        document = YAML(typ="safe").load(path)
        endian = document["meta"].get("endian", "")
        for place, fields in _sequences(document):
            for i in range(len(fields)):
                for kind, change, edit in _edits(fields, i, endian):
                    changed = copy.deepcopy(document)
                    edit(dict(_sequences(changed))[place])
                    name = f"{place}/{fields[i]['id']}"
                    yield Mutant(path.stem, name, kind, change, changed)


def _sequences(document: Any) -> Iterator[tuple[str, Any]]:
    yield document["meta"]["id"], document.get("seq", [])
    for name, type_ in document.get("types", {}).items():
        yield name, type_.get("seq", [])


def _edits(fields: Any, i: int, endian: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the changes of a field: the kind, words for it, and what makes it in a copy."""
    field = fields[i]

    def to(key: str, value: Any) -> Any:
        return lambda copied: copied[i].__setitem__(key, value)

    number = re.fullmatch(r"([suf])([1248])(le|be)?", str(field.get("type")))
    if number:
        sign, size, order = number[1], int(number[2]), number[3] or ""
        other = {1: 2, 2: 4, 4: 8, 8: 4}[size]
        new: Any = f"{sign}{other}{order or ('' if endian else 'be')}"
        yield "size", f"{field['type']} → {new}", to("type", new)
        if size > 1:
            new = f"{sign}{size}{'le' if (order or endian) == 'be' else 'be'}"
            yield "endianness", f"{field['type']} → {new}", to("type", new)
    elif "size" in field:
        new = f"({field['size']}) + 1"
        yield "size", f"{field['size']} → {new}", to("size", new)
    if "contents" in field:
        old = field["contents"]
        new = f"{old}x" if isinstance(old, str) else [*old[:-1], (old[-1] + 1) % 256]
        yield "valid", f"contents {old} → {new}", to("contents", new)
    yield from (("valid", words, to("valid", new)) for words, new in _valids(field.get("valid")))
    if i + 1 < len(fields) and not _exclude_each_other(field.get("if"), fields[i + 1].get("if")):

        def swap(copied: Any) -> None:
            copied[i], copied[i + 1] = copied[i + 1], copied[i]

        yield "order", f"after {fields[i + 1]['id']}", swap


def _exclude_each_other(one: str | None, other: str | None) -> bool:
    """Return whether two fields are never both there, so that their order means nothing."""
    return (
        one is not None
        and other is not None
        and all(_contradict(a, b) for a in _either(one) for b in _either(other))
    )


def _either(condition: str) -> list[list[str]]:
    """Return the terms of which all hold, for each way in which a condition can hold."""
    return [re.split(r"\s+and\s+", way) for way in re.split(r"\s+or\s+", condition.strip())]


def _contradict(terms: list[str], others: list[str]) -> bool:
    return any(_opposite(a, b) for a in terms for b in others)


def _opposite(one: str, other: str) -> bool:
    if f"not {one}" == other or one == f"not {other}":
        return True
    (a, op, b), (c, op_other, d) = _compared(one), _compared(other)
    if a != c:
        return False
    return (op, op_other) == ("==", "==") if b != d else {op, op_other} in _OPPOSITES


_OPPOSITES = ({"==", "!="}, {"<=", ">"})


def _compared(term: str) -> tuple[str, ...]:
    return tuple(term.split()) if re.fullmatch(r"\S+ (==|!=|<=|>) \S+", term) else (term, "", "")


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


def run(chosen: list[Mutant], jobs: int) -> Iterator[Result]:
    """Try mutants, some at once, each in a copy of the project."""
    folders = [copy_project(_folder(number)) for number in range(jobs)]
    free, lock = list(folders), threading.Lock()

    def one(mutant: Mutant) -> Result:
        with lock:
            folder = free.pop()
        try:
            found = Result(mutant, _killer(folder, mutant))
        finally:
            with lock:
                free.append(folder)
        print(
            f"{mutant.spec}: {mutant.place}: {mutant.change}: {found.killer or 'SURVIVED'}",
            flush=True,
        )
        return found

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, chosen)


def _folder(number: int) -> Path:
    return CACHE / "mutants" / str(number)


def _killer(folder: Path, mutant: Mutant) -> str:
    """Return the first test that fails, or the generator's refusal; "" if there is none."""
    for path in (ROOT / "specs").glob("*.ksy"):
        shutil.copy(path, folder / "specs")
    with (folder / "specs" / f"{mutant.spec}.ksy").open("w", encoding="utf-8") as file:
        YAML(typ="safe").dump(mutant.document, file)
    done = _python(folder, "-m", "tools.ksy", "generate")
    if done is None or done.returncode != 0:
        return "the generator refuses it"
    tests = GOLDEN.get(mutant.spec, ALL_INDEXES)
    options = ("-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist")
    done = _python(
        folder, "-m", "pytest", *options, "--seed=0", "-m", "not slow and not java", *tests
    )
    if done is None:
        return "the tests do not end"
    return _first_failure(mutant, done)


def _first_failure(mutant: Mutant, done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode < 0:  # a wrong number reached native code
        return f"the tests end by {signal.Signals(-done.returncode).name}"
    if "ImportError while loading conftest" in done.stderr:
        return "the code cannot be imported"
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 and failed is None:
        raise RuntimeError(f"{mutant.place}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return failed[1] if failed else ""


def _python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str] | None:
    command = [sys.executable, *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return None


def _reason(result: Result) -> str | None:
    return REASONS.get((result.mutant.place, result.mutant.change))


def _order(mutant: Mutant) -> tuple[str, ...]:
    return mutant.spec, mutant.place, mutant.kind, mutant.change


REASONS = {
    ("thrift_value/truth", "after int_8"): "the same: only one of these fields exists",
    ("bit_slice/len_bitmap", "min 0 → 1"): "a bitmap of no bytes is refused, too",
    ("bit_slice_index/len_rows", "min 0 → 1"): "a bitmap of no bytes is refused, too",
}
"""Why mutants survive, by place and change."""


def read_table(path: Path) -> list[Result]:
    """Return the results of a table whose mutants are still made."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    cells = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in lines if line.startswith("| ")]
    killers = {tuple(found[:3]): found[3] for found in cells[1:]}
    there = [(one, killers.get(_cells(one))) for one in mutants(ROOT / "specs")]
    return [
        Result(one, "" if killer.startswith("nothing: ") else killer.strip("`").replace("\\|", "|"))
        for one, killer in there
        if killer is not None
    ]


def _cells(mutant: Mutant) -> tuple[str, str, str]:
    """Return what a line says of a mutant."""
    change = mutant.change.replace("|", "\\|")
    return mutant.spec, mutant.place, f"{mutant.kind}: {change}"


def table(results: list[Result]) -> str:
    """Return the table of results as Markdown."""
    lines = [
        "# Mutants of the specs, and the tests that killed them",
        "",
        "`make mutants-specs` writes this file. Each line is a spec with one change: "
        f"{len(results)} of {sum(1 for _ in mutants(ROOT / 'specs'))} mutants were tried.",
        "",
        "| spec | field | change | killed by |",
        "|---|---|---|---|",
    ]
    for one in results:
        mutant = one.mutant
        killer = one.killer.replace("|", "\\|")
        killer = f"`{killer}`" if "::" in killer else killer
        killer = killer or f"nothing: {_reason(one) or '**a test is missing**'}"
        lines.append(f"| {' | '.join(_cells(mutant))} | {killer} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
