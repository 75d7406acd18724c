"""The part of `make conformance` on index files: random cases of the kit.

Each case is a random table: column types, index types, versions, sizes of blocks, chunks and
filters, nulls, values that share bins of Java's HashMap. The library makes a case of the kit of it,
as of others: see tools/conformance/kit/renew.py. Our file index has to be the library's byte for
byte. If eight values share a bin, bitmaps may be in another order, and the library has to answer
from our index. Our answers have to be right. A case depends on the seed and its number alone.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

import paimon_ksy as pk
from tools import jvm
from tools.conformance.cases import (
    TYPES,
    Case,
    may_have_trees,
    random_case,
    short,
)
from tools.conformance.kit import case as kit
from tools.conformance.kit.renew import answered, file_index
from tools.conformance.runners.ours import evaluate
from tools.jvm import CACHE

REORDERED = "bitmaps are in another order, because eight values share a bin"


@dataclass
class Outcome:
    """What came of the cases so far. Counters are by column type, or by the reason."""

    identical: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    equal: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def compare(case: Case, java: jvm.Session, outcome: Outcome) -> None:
    """Run one case through both and add to the outcome."""
    types = {column.type for column in case.columns}
    ours: bytes | str
    try:
        ours = pk.build_file_index(case.table(), case.schema, case.options)
    except pk.PaimonKsyError as error:
        ours = str(error)
    document = {
        "kind": "file_index",
        "file": "file.index",
        "columns": case.request_columns(),
        "options": case.options,
        "rows": list(map(list, case.rows())),
        "predicates": [{"predicate": node} for node in case.predicates],
    }
    try:
        made = file_index(kit.Case(f"file_index/{case.number}", document), java)
    except jvm.JavaError as error:
        if isinstance(ours, bytes):
            _differ(case, outcome, f"library: {short(error)}; ours: {short(ours)}")
        else:
            outcome.refused.update(types)
        return
    if ours == made.file:
        outcome.identical.update(types)
    elif isinstance(ours, bytes) and len(ours) == len(made.file) and may_have_trees(case):
        outcome.explained[REORDERED] += 1
        reordered = answered(made.having({"file.index": ours}), case.rows(), java)
        _compare_answers(case, reordered, outcome)
    else:
        _differ(case, outcome, f"bytes: library {short(made.file)}, ours {short(ours)}")
    _compare_answers(case, made, outcome)


def _compare_answers(case: Case, made: kit.Case, outcome: Outcome) -> None:
    """Compare our answers with the right ones, and count the library's that are other ones."""
    with tempfile.TemporaryDirectory() as folder:
        made.write(Path(folder))
        checks = [one for one in made.checks(Path(folder)) if one.request["op"] == "evaluate"]
        for check, entry in zip(checks, made.document["predicates"], strict=True):
            wrong = check.judge(evaluate(check.request))
            because = entry.get("java", {}).get("because", [])
            if wrong is not None and not (wrong[0] == "wider" and "no-ranges" in because):
                _differ(case, outcome, f"{short(check.text)}: ours {' '.join(wrong)}")
            elif because:
                outcome.explained.update(because)
            else:
                node = entry["predicate"]
                outcome.equal["tree" if "args" in node else case.declared(node["col"])] += 1


def _differ(case: Case, outcome: Outcome, what: str) -> None:
    outcome.differences.append(f"case {case.number}: {what}")


def run(seed: int, numbers: range) -> tuple[Outcome, list[Case]]:
    """Compare the cases of these numbers; return also those that differ."""
    outcome = Outcome()
    failed = []
    with jvm.session("Kit") as java:
        for number in numbers:
            case = random_case(seed, number)
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
    """Compare, and print what came of it; return whether all is as it should be."""
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
    reasons = Table(title="answers that differ as conformance/deviations.json explains")
    reasons.add_column("reason, alone or with others")
    reasons.add_column("answers", justify="right", no_wrap=True)
    for reason, count in sorted(outcome.explained.items()):
        reasons.add_row(reason, str(count))
    console.print(reasons)
