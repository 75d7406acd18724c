"""The part of `make conformance` on index files: what we build and answer, and the Paimon library.

Each case is a random table: column types, index types, versions, sizes of blocks, chunks and
filters, nulls, values that share bins of Java's HashMap. The library's file index has to be ours
byte for byte. If eight values share a bin, bitmaps may be in another order, and the library has to
answer from our index. Each predicate's answer has to be ours, but for the differences that are
meant: those from `NULL_ROWS` on in tools/conformance/cases.py. All answers, those too, are compared
with a scan of the rows. A case depends on the seed and its number alone.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

import paimon_ksy as pk
from paimon_ksy.file_index.registry import INDEX_TYPES
from tools import jvm
from tools.conformance.cases import (
    LOOSE,
    REORDERED,
    TYPES,
    Case,
    Collisions,
    explain,
    may_have_trees,
    random_case,
    scan,
    short,
    some_rows,
    to_predicate,
    to_table,
)
from tools.maven import CACHE


def _is_exact(case: Case, spec: dict[str, Any]) -> bool:
    """Whether indexes other than bloom filters answer a predicate."""
    if spec["op"] in ("and", "or"):
        return all(_is_exact(case, arg) for arg in spec["args"])
    return any(case.has(kind, spec["col"]) for kind in INDEX_TYPES if kind != "bloom-filter")


@dataclass
class Outcome:
    """What came of the cases so far. Counters are by column type, or by the reason."""

    identical: Counter[str]
    refused: Counter[str]
    equal: Counter[str]
    explained: Counter[str]
    differences: list[str]


def compare(case: Case, java: jvm.Session, outcome: Outcome) -> None:
    """Runs one case through both and adds to the outcome."""
    request = {"columns": case.request_columns(), "options": case.options, "rows": case.rows()}
    theirs: bytes | str
    try:
        theirs = base64.b64decode(java.ask({"op": "build", **request})["index"])
    except jvm.JavaError as error:
        theirs = str(error)
    ours: bytes | str
    try:
        ours = pk.build_file_index(to_table(case), case.schema(), case.options)
    except pk.PaimonKsyError as error:
        ours = str(error)
    types = {column.type for column in case.columns}
    if isinstance(theirs, str) or isinstance(ours, str):
        if isinstance(theirs, str) and isinstance(ours, str):
            outcome.refused.update(types)
        else:
            _differ(case, outcome, f"library: {short(theirs)}; ours: {short(ours)}")
        return
    if ours == theirs:
        outcome.identical.update(types)
    elif len(ours) == len(theirs) and may_have_trees(case):
        outcome.explained[REORDERED] += 1
        _compare_answers(case, java, ours, outcome)
    else:
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), -1)
        _differ(case, outcome, f"bytes: {len(theirs)} and ours {len(ours)}, first at byte {at}")
    _compare_answers(case, java, theirs, outcome)


def _compare_answers(case: Case, java: jvm.Session, index: bytes, outcome: Outcome) -> None:
    answers = java.ask(
        {
            "op": "evaluate",
            "columns": case.request_columns(),
            "index": base64.b64encode(index).decode(),
            "predicates": case.predicates,
        }
    )["answers"]
    every_row = set(range(case.num_rows))
    with pk.FileIndex.open(index, case.schema()) as file:
        for spec, answer in zip(case.predicates, answers, strict=True):
            selection = file.evaluate(to_predicate(case, spec))
            rows = set(selection.rows) if selection.rows is not None else every_row
            ours = set() if selection.kind == "skip" else rows
            true = scan(case, spec)
            if not (ours == true if selection.exact else ours >= true):
                _differ(
                    case, outcome, f"{short(spec)}: ours {some_rows(ours)}, true {some_rows(true)}"
                )
                continue
            theirs = set(answer["rows"]) if "rows" in answer else every_row
            if answer.get("result") == "SKIP":
                theirs = set()
            reasons = explain(case, spec)
            if "error" in answer:
                _differ(case, outcome, f"{short(spec)}: library: {answer['error']}")
            elif ours == theirs:
                outcome.equal["tree" if "args" in spec else case.declared(spec["col"])] += 1
            elif not selection.exact and not reasons & LOOSE and _is_exact(case, spec):
                _differ(case, outcome, f"{short(spec)}: not exact")
            elif reasons:
                outcome.explained.update(reasons)
            else:
                _differ(
                    case,
                    outcome,
                    f"{short(spec)}: library {some_rows(theirs)}, ours {some_rows(ours)}",
                )


def _differ(case: Case, outcome: Outcome, what: str) -> None:
    outcome.differences.append(f"case {case.number}: {what}")


def run(seed: int, numbers: range) -> tuple[Outcome, list[Case]]:
    """Compares the cases of these numbers; also returns those that differ."""
    outcome = Outcome(Counter(), Counter(), Counter(), Counter(), [])
    failed = []
    with jvm.session("Conformance") as java:
        collisions = Collisions.search(java)
        for number in numbers:
            case = random_case(seed, number, collisions)
            before = len(outcome.differences)
            try:
                compare(case, java, outcome)
            except Exception as error:  # anything but PaimonKsyError is a defect of ours
                _differ(case, outcome, f"{type(error).__name__}: {short(error)}")
            if len(outcome.differences) > before:
                failed.append(case)
    return outcome, failed


# Printing ---------------------------------------------------------------------------------------


def print_comparison(console: Console, seed: int, numbers: range) -> bool:
    """Compares, and prints what came of it; whether all is as it should be."""
    outcome, failed = run(seed, numbers)
    _print(console, outcome, len(numbers))
    for case in failed:
        path = CACHE / "conformance" / f"{seed}-{case.number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        spec = {"columns": case.request_columns(), "options": case.options, "rows": case.rows()}
        path.write_text(json.dumps(spec))
    for difference in outcome.differences[:40]:
        console.print(difference, markup=False, highlight=False)
    if outcome.differences:
        console.print(
            f"{len(outcome.differences)} differences in {len(failed)} cases; the tables are in "
            f".cache/conformance/, one again: --seed {seed} --case {failed[0].number}"
        )
    return not outcome.differences


def _print(console: Console, outcome: Outcome, num_cases: int) -> None:
    table = Table(title=f"{num_cases} random tables against the Paimon library")
    table.add_column("column type", no_wrap=True)
    for title in ("same bytes", "refused by both", "same answer"):
        table.add_column(title, justify="right")
    for text in TYPES:
        counts = (outcome.identical[text], outcome.refused[text], outcome.equal[text])
        table.add_row(text, *map(str, counts))
    table.add_row("AND and OR of these", "", "", str(outcome.equal["tree"]))
    console.print(table)
    reasons = Table(title="answers that differ as they should (all checked against a scan)")
    reasons.add_column("reason, alone or with others")
    reasons.add_column("answers", justify="right", no_wrap=True)
    for reason, count in sorted(outcome.explained.items()):
        reasons.add_row(reason, str(count))
    console.print(reasons)
