"""What becomes of specs: each is refused by name, or all readers agree on data of it.

Data are drawn by climbing: bytes are changed at random, and a change stays if Kaitai's parser gets
farther with it. What it refuses in the end, all others have to refuse, too.
"""

from __future__ import annotations

import copy
import json
import random
import re
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import SkipTest

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, Unsatisfiable
from kaitaistruct import KaitaiStream, KaitaiStruct, ValidationNotEqualError
from ksykit.generator.compiler import compile_specs
from ksykit.generator.generate import for_compiler
from ksykit.generator.load import load_specs
from ksykit.generator.render import render_ours, render_parser
from ksykit.generator.spec import SpecError
from ksykit.in_memory import install
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import from_json, to_bytes, to_json
from ksykit.runtime.types import Type, type_named
from ksykit.testing import objects

from kit_support.agreement import check_come_back, check_contains, check_readers, computed, judge_of
from kit_support.random_specs import RandomSpec

USUAL = (0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 65, 66)
"""Bytes of data, mostly."""


@dataclass
class Report:
    """What became of specs: counts of outcomes, why some are refused, and what is wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)


def judge(seed: int, numbers: Sequence[int], report: Report, *, shrinks: bool = False) -> None:
    """Draw the specs of some numbers, and compare what reads their data."""
    drawn = {spec.name: spec for spec in (RandomSpec(seed, number) for number in numbers)}
    raws = {name: one.yaml() for name, one in drawn.items()}
    for name, found in outcomes(raws, seed, report.counts):
        kind, _, why = found.partition(": ")
        report.counts[kind] += 1
        report.used |= drawn[name].used
        if kind in ("refused", "left out", "unjudged"):
            report.refused[f"{kind}: {why}"] += 1
        elif kind != "agree":
            spec, last = shrunk(raws[name], found, seed) if shrinks else (raws[name], found)
            report.wrong.append(f"{name}: {last}\n{json.dumps(spec)}")


def outcomes(raws: Mapping[str, Any], seed: int, counts: Counter[str]) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each spec: agree, refused: .., left out: .., or what is wrong."""
    compiled = compile_specs({n: for_compiler(raw) for n, raw in raws.items()}, ["python"])[
        "python"
    ]
    for name, raw in raws.items():
        try:
            yield name, outcome(name, raw, compiled[name], seed, counts)
        except (Exception, pytest.fail.Exception) as error:
            yield name, described(error)


def described(error: BaseException) -> str:
    """Return what is wrong: where, and how, also what came before it."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "site-packages" not in f.filename
    ]
    where = [f"{Path(frame.filename).stem}.{frame.name}" for frame in frames[-1:]]
    before = error.__context__
    more = f"; after {described(before)}" if before is not None else ""
    return f"{type(error).__name__} in {where[0]}: {str(error)[:300]}{more}"


def outcome(name: str, raw: Any, compiled: Any, seed: int, counts: Counter[str]) -> str:
    """Return the outcome of one spec. Raises what shows that it is wrong."""
    missing: list[str] = []
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, f"{name}.ksy")
            path.write_text(re.sub(r'"(\d+)":', r"\1:", json.dumps(raw)))  # YAML's keys are numbers
            specs = load_specs(path)
        files = render_ours(specs, missing, is_tidy=False)
    except SpecError as error:
        return f"refused: {cause(error.message)}"
    if "error" in compiled:
        return f"unjudged: {' '.join(compiled['error'].split())[:200]}"
    files["parsers/__init__.py"] = ""
    files[f"parsers/{name}.py"] = render_parser(compiled["files"][f"{name}.py"], specs[name], specs)
    structs = [line for line in missing if ": structs: " in line]
    if structs:
        return f"left out: {cause(structs[0].partition(': structs: ')[2])}"
    counts["with a view"] += not missing
    type_ = type_named(install(files), name)
    rng = random.Random(f"{seed} {raw['meta']['title']}")
    for _ in range(4):
        data = climbed(type_, rng)
        is_read = check_readers(type_, data, {})
        counts["data that are read" if is_read else "data that are refused"] += 1
        if is_read:
            counts["files written from nothing"] += written_again(type_, data)
            at = rng.randrange(len(data) or 1)
            check_readers(type_, data[:at], {})
            check_readers(type_, data[:at] + b"\xff" + data[at + 1 :], {})
    counts["drawn"] += come_back(type_)
    return "agree"


def cause(message: str) -> str:
    """Return a refusal without its names."""
    message = re.sub(r"'[^']*'|\b[a-z]+\d+\b|\b\d+\b|r\d+\w*", "..", message)
    return re.sub(r"/[\w/-]+", "..", message)[:90]


def climbed(type_: Type, rng: random.Random) -> bytes:
    """Return bytes that Kaitai's parser reads with all instances, or as far as was found."""
    best = bytes(rng.choice(USUAL) for _ in range(rng.randrange(16, 48)))
    farthest = reached(type_, best)
    for _ in range(60):
        if farthest[0] == 0:
            break
        data, at = bytearray(best), farthest[1]
        if isinstance(farthest[2], EOFError):
            data += bytes(rng.choice(USUAL) for _ in range(8))
        error = farthest[2]
        expected = error.expected if isinstance(error, ValidationNotEqualError) else None
        if isinstance(expected, bytes) and rng.random() < 0.7:
            data[max(at - len(expected), 0) : at] = expected
        else:
            near = max(at - rng.randrange(6), 0)
            is_near = rng.random() < 0.7 and near < len(data)
            data[near if is_near else rng.randrange(len(data))] = rng.choice(USUAL)
        there = reached(type_, bytes(data))
        if (-there[0], there[1]) >= (-farthest[0], farthest[1]):
            best, farthest = bytes(data), there
    return best


def reached(type_: Type, data: bytes) -> tuple[int, int, Any]:
    """Return how many objects and instances are not read, the position, and the first error."""
    stream = KaitaiStream(BytesIO(data))
    try:
        errors = [*unreadable(judge_of(type_)(stream))]
    except Exception as error:
        return 1000, stream.pos(), error
    return len(errors), stream.pos(), errors[0] if errors else None


def unreadable(parsed: KaitaiStruct) -> Iterator[Exception]:
    """Yield why instances of an object, and of those in it, cannot be read."""
    found = [value for name, value in vars(parsed).items() if name[0] != "_"]
    for name in computed(type(parsed)):
        try:
            found.append(getattr(parsed, name))
        except Exception as error:
            yield error
    for value in found:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, KaitaiStruct):
                yield from unreadable(one)


def written_again(type_: Type, data: bytes) -> bool:
    """Return whether what was read can be written without what a writer computes."""
    doc = bare(type_, to_json(type_.read(data)))
    try:
        written = to_bytes(from_json(type_, doc))
    except FormatError:
        return False
    assert check_readers(type_, written, {})
    check_contains(to_json(type_.read(written)), doc)
    return True


def bare(type_: Type, doc: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON of an object without what a writer computes."""
    left: dict[str, Any] = {}
    for name, value in doc.items():
        if isinstance(value, dict) and value.keys() & {"unreadable", "encoded"}:
            continue  # what is encoded may be so by the size of the stream, which changes
        one = type_.fields.get(name)
        if one is not None and one.is_switch and isinstance(value, dict) and "hex" in value:
            continue  # a number that is left out may have decided that it is bytes
        if one is None or (name not in type_.computed and one.unset is None):
            inner = one.element.target if one is not None and one.element.is_object else None
            if inner is None:
                left[name] = value
            elif isinstance(value, list):
                left[name] = [bare(inner, each) for each in value]
            else:
                left[name] = bare(inner, value)
    return left


def come_back(type_: Type) -> bool:
    """Return whether objects can be drawn; they come back from their bytes."""
    attempts, failures = list[int](), list[BaseException]()

    @st.composite
    def few(draw: st.DrawFn) -> Any:
        attempts.append(1)
        if len(attempts) > 20:
            raise SkipTest("objects are hardly ever drawn")
        return draw(objects(type_))

    @settings(
        max_examples=3, database=None, deadline=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )  # fmt: skip
    @given(few())
    def drawn(obj: object) -> None:
        try:
            check_come_back(obj)
        except (Exception, pytest.fail.Exception) as error:
            failures.append(error)  # Hypothesis runs it again, and may draw no object then
            raise

    found = False
    try:
        drawn()
        found = True
    except (Unsatisfiable, SkipTest, Flaky):
        pass  # too few of the values that Hypothesis draws are objects; it runs the last one again
    except FormatError as error:
        if "cannot be drawn" not in str(error):
            raise
    if failures:
        raise failures[0]
    return found


def shrunk(raw: Any, problem: str, seed: int) -> tuple[Any, str]:
    """Return the smallest spec found that is wrong in the same way, and how."""
    name, place = raw["meta"]["title"], problem.partition(": ")[0]
    todo = list(reductions(raw))
    for at in count(0, 12):
        some = {f"{name}x{at + i}": one for i, one in enumerate(todo[at : at + 12])}
        if not some or at > 600:
            return raw, problem
        named = {key: one | {"meta": one["meta"] | {"id": key}} for key, one in some.items()}
        try:
            for key, why in outcomes(named, seed, Counter()):
                if why.partition(": ")[0] == place:
                    raw, problem = named[key], why
                    todo[at + 12 :] = reductions(raw)
                    break
        except SpecError:
            continue  # the compiler gives no answer for one of them
    raise AssertionError


def places(raw: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all that is in a spec."""
    keys = [*raw] if isinstance(raw, dict) else range(len(raw)) if isinstance(raw, list) else ()
    return [place for key in keys for place in ((*path, key), *places(raw[key], (*path, key)))]


def reductions(raw: Any) -> Iterator[Any]:
    """Yield a spec without one of its keys or elements, or with a simpler expression."""
    for *path, key in sorted((place for place in places(raw) if place[0] != "meta"), key=len):
        less = copy.deepcopy(raw)
        owner = less
        for step in path:
            owner = owner[step]
        old = owner[key]
        if key not in ("id", "type", "params"):
            del owner[key]
            yield less
        if isinstance(old, str) and " " in old:
            for part in {"1", "true", *re.split(r" [-+*/%&|^<>=?:!]+ | and | or |^not ", old)}:
                if len(part) < len(old):
                    owner = less = copy.deepcopy(raw)
                    for step in path:
                        owner = owner[step]
                    owner[key] = part
                    yield less
