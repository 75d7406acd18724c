"""Runs the cases of this folder against an implementation of Paimon's index formats.

    python3 conformance/run.py [--only GLOB] [--verbose] -- COMMAND [ARGUMENT ..]

COMMAND starts a runner: a program that reads one JSON request a line and writes one JSON answer a
line. README.md describes the requests. Python 3.11 is enough; nothing has to be installed.

The exit code is 0 if the runner answers all that it supports as the cases expect, but for known
differences, and if each of these still happens. Those of Java are in the cases, and those of other
runners in differences.json.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

KIT = Path(__file__).resolve().parent
PROTOCOL = 1
JAVA = "Paimon Java"
"""The runner whose known differences are in the cases."""
TIMEOUT = 60.0  # seconds that one answer may take
LONGEST = 2**26  # bytes that one answer may have
MOST = 10_000_000  # integers that a set may have

OUTCOMES = {
    "wider": "more rows than necessary; no row is lost",
    "wrong": "rows are lost, or rows or values are different",
    "bytes": "bytes that differ from Java's, which may be just as good",
    "error": "an error on a sound file",
    "accepted": "a bad file is read as if it were sound",
    "class": "a bad file is rejected, but the class of the error is not the expected one",
    "crash": "the runner ended without an answer",
    "timeout": "no answer in time",
    "protocol": "the answer is not what the protocol asks for",
}
"""What a runner can do instead of passing a check."""

COLUMNS = {
    "evaluate": "file index: read",
    "build_file_index": "file index: build",
    "read_vector": "vectors: read",
    "write_vectors": "vectors: write",
    "read_bucket_index": "bucket index: read",
    "write_bucket_index": "bucket index: write",
    "hash_keys": "key hashes",
    "read_roaring": "Roaring: read",
    "write_roaring": "Roaring: write",
    "query_table": "tables",
    "read_global_index": "global index: read",
    "evaluate_global_index": "global index: query",
    "build_global_index": "global index: build",
    "read_file": "other files: read",
}
"""The operations of the protocol, and how results are grouped."""
BAD = "bad files"


class ProtocolError(Exception):
    """An answer that is not what the protocol asks for."""


# Cases ------------------------------------------------------------------------------------------


Judge = Callable[[Mapping[str, Any]], "tuple[str, str] | None"]


@dataclass(frozen=True)
class Check:
    """One request to a runner. `judge` returns the outcome and a text, None if it passes."""

    case: str
    column: str
    request: Mapping[str, Any]
    judge: Judge
    java: Mapping[str, Any] | None = None
    """Java's answer if it is another one, and `because`: the names of deviations."""
    number: int = 0
    """Its place among the checks of the case."""

    @property
    def name(self) -> str:
        """What differences.json and what is printed call it."""
        return f"{self.case}#{self.number}"

    @property
    def text(self) -> str:
        """What is asked, for people."""
        asked = self.request.get("predicate")
        return str(self.request["op"]) if asked is None else json.dumps(asked, ensure_ascii=False)


def load_checks(kit: Path) -> Iterator[Check]:
    """The checks of all cases."""
    for path in sorted(kit.glob("*/*/case.json")):
        name = path.parent.relative_to(kit).as_posix()
        case = json.loads(path.read_text(encoding="utf-8"))
        for number, check in enumerate(checks_of(name, case, path.parent)):
            yield replace(check, number=number)


def checks_of(name: str, case: Mapping[str, Any], folder: Path) -> Iterator[Check]:
    """What is asked about one case."""
    kind = case["kind"]
    file = {"file": str(folder / case["file"])} if "file" in case else {}
    table = {"path": str(folder / case["table"])} if "table" in case else {}
    if kind == "bad":
        request = {**case["request"], **file, **table}
        yield Check(name, BAD, request, _refused(case), case.get("java"))
    elif kind == "file_index":
        yield from _index(name, case, file, "evaluate", "build_file_index")
    elif kind == "global_index":
        about = {key: case[key] for key in ("index_type", "columns", "num_rows", "metadata")}
        request = {"op": "read_global_index", **file, **about}
        yield _check(name, request, _same_keys(case["columns"], case["keys"]), case)
        ops = "evaluate_global_index", "build_global_index"
        given = {key: about[key] for key in ("index_type", "metadata")}
        yield from _index(name, case, file, *ops, **given)
    elif kind == "other_files":
        request = {"op": "read_file", "format": case["format"], **file, **case.get("facts", {})}
        yield _check(name, request, _same_content(case["content"]), case)
    elif kind == "deletion_vectors":
        yield from _vectors(name, case, file)
    elif kind == "bucket_index":
        yield from _bucket_index(name, case, file)
    elif kind == "roaring":
        bits, values = case["bits"], case["values"]
        request = {"op": "read_roaring", "bits": bits, **file}
        yield _check(name, request, _same_integers("values", values))
        request = {"op": "write_roaring", "bits": bits, "values": values}
        yield _check(name, request, _same_bytes(file["file"]))
    else:
        for query in case["queries"]:
            request = {"op": "query_table", **table, "columns": case["columns"], **_asked(query)}
            yield _check(name, request, _queried(case["columns"], case["rows"], query), query)


def _index(
    name: str, case: Mapping[str, Any], file: Mapping[str, str], read: str, build: str, **given: Any
) -> Iterator[Check]:
    for asked in case["predicates"]:
        request = {"op": read, **given, **file, "columns": case["columns"]}
        request |= {"num_rows": case["num_rows"], **_asked(asked)}
        yield _check(name, request, _selected(asked, case["num_rows"]), asked)
    if "rows" in case:
        request = {"op": build, **given, "columns": case["columns"]}
        request |= {"options": case["options"], "rows": repeated(case["rows"])}
        yield _check(name, request, _same_bytes(file["file"]))


def _vectors(name: str, case: Mapping[str, Any], file: Mapping[str, str]) -> Iterator[Check]:
    for vector in case["vectors"]:
        place = {key: vector[key] for key in ("offset", "length", "cardinality")}
        request = {"op": "read_vector", **file, **place}
        judge = _same_integers("rows", vector["rows"])
        yield Check(name, f"vectors, {vector['bits']} bits: read", request, judge)
    wanted = [{key: v[key] for key in ("name", "bits", "rows")} for v in case["vectors"]]
    yield _check(name, {"op": "write_vectors", "vectors": wanted}, _written(case, file["file"]))


def _bucket_index(name: str, case: Mapping[str, Any], file: Mapping[str, str]) -> Iterator[Check]:
    hashes = case["hashes"]
    yield _check(name, {"op": "read_bucket_index", **file}, _same_list("hashes", hashes))
    request = {"op": "write_bucket_index", "hashes": hashes}
    yield _check(name, request, _same_bytes(file["file"]))
    if "keys" in case:
        request = {"op": "hash_keys", "columns": case["columns"], "rows": case["keys"]}
        yield _check(name, request, _same_list("hashes", hashes))


def _asked(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {key: asked[key] for key in ("predicate", "order", "limit") if key in asked}


def _check(
    name: str, request: Mapping[str, Any], judge: Judge, asked: Mapping[str, Any] | None = None
) -> Check:
    java = asked.get("java") if asked else None
    return Check(name, COLUMNS[request["op"]], request, judge, java)


def integers(packed: Iterable[Any]) -> Iterator[int]:
    """The integers of a set: each item is one, [first, last] or [first, last, step]."""
    for item in packed:
        if isinstance(item, list):
            first, last, *step = item
            yield from range(first, last + 1, *step)
        else:
            yield item


def pack(values: Iterable[int]) -> list[Any]:
    """A set of integers as the kit has it: see `integers`."""
    found: list[Any] = []
    listed = sorted(values)
    at = 0
    while at < len(listed):
        step = listed[at + 1] - listed[at] if at + 1 < len(listed) else 0
        end = at + 1
        while end < len(listed) and listed[end] - listed[end - 1] == step:
            end += 1
        if end - at < 3:
            found.append(listed[at])
            at += 1
            continue
        found.append([listed[at], listed[end - 1]] + [step] * (step != 1))
        at = end
    return found


def repeated(rows: Iterable[Any]) -> list[Any]:
    """The rows of a case: each item is a row, or {"times": n, "rows": [..]}."""
    found: list[Any] = []
    for item in rows:
        found += item["rows"] * item["times"] if isinstance(item, dict) else [item]
    return found


# Judges -----------------------------------------------------------------------------------------


def _selected(asked: Mapping[str, Any], num_rows: int) -> Judge:
    wanted, exact = set(integers(asked["rows"])), asked["answer"] == "exact"
    ties, least = set(integers(asked.get("ties", ()))), asked.get("least", 0)

    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        given = answer["rows"]
        rows = set(range(num_rows)) if given == "all" else _given(given)
        if lost := wanted - rows:
            return "wrong", f"loses rows {pack(lost)}"
        if len(rows & ties) < least:
            return "wrong", f"has rows {pack(rows & ties)}, not {least} of {pack(ties)}"
        if outside := rows - set(range(num_rows)):
            return "wrong", f"has rows {pack(outside)}, which do not exist"
        if exact and (more := rows - wanted - ties):
            return "wider", f"has rows {pack(more)}, which do not match"
        return None

    return judge


def _given(packed: Any) -> set[int]:
    """The integers of a set that a runner answers; ValueError if there are too many."""
    count = sum(len(range(i[0], i[1] + 1, *i[2:])) if isinstance(i, list) else 1 for i in packed)
    if count > MOST:
        raise ValueError(f"{count} integers, more than {MOST}")
    return set(integers(packed))


def _same_integers(key: str, packed: Sequence[Any]) -> Judge:
    wanted = set(integers(packed))

    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        found = _given(answer[key])
        if found == wanted:
            return None
        return "wrong", f"lacks {pack(wanted - found)} and has {pack(found - wanted)} beside them"

    return judge


def _same_list(key: str, wanted: Sequence[int]) -> Judge:
    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        found = answer[key]
        return None if found == wanted else ("wrong", f"{found!s:.60}, not {wanted!s:.60}")

    return judge


def _same_keys(columns: Sequence[Mapping[str, str]], keys: Iterable[Any]) -> Judge:
    real = _are_real(columns)

    def listed(pairs: Iterable[Any]) -> dict[str, set[int]]:
        return {text: _given(rows) for key, rows in pairs for text in _texts([key], real)}

    wanted = listed(keys)

    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        found = listed(answer["keys"])
        for key in sorted(wanted.keys() | found.keys()):
            rows, right = (pack(of.get(key, ())) for of in (found, wanted))
            if rows != right:
                return "wrong", f"key {key} has rows {rows!s:.60}, not {right!s:.60}"
        return None

    return judge


def _same_content(wanted: Mapping[str, Any]) -> Judge:
    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        found = answer["content"]
        if not found.keys() & wanted.keys():
            raise ValueError(f"it has none of {sorted(wanted)}")
        return _differs("content", found, wanted)

    return judge


def _differs(name: str, found: Any, wanted: Any) -> tuple[str, str] | None:
    """Compare the keys that both have: a runner may omit what its library does not report."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        pairs = ((f"{name}.{key}", found[key], wanted[key]) for key in wanted if key in found)
    elif isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        pairs = ((f"{name}[{i}]", *pair) for i, pair in enumerate(zip(found, wanted, strict=True)))
    else:
        text = f"{name} is {found!s:.60}, not {wanted!s:.60}"
        return None if found == wanted else ("wrong", text)
    return next(filter(None, (_differs(*pair) for pair in pairs)), None)


def _same_bytes(path: str) -> Judge:
    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        found, wanted = base64.b64decode(answer["bytes"]), Path(path).read_bytes()
        if found == wanted:
            return None
        same = (i for i, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b)
        at = next(same, min(len(found), len(wanted)))
        return "bytes", f"{len(found)} bytes, not these {len(wanted)}; the first other is byte {at}"

    return judge


def _written(case: Mapping[str, Any], path: str) -> Judge:
    """Other bytes have other places, so these are compared where the bytes are the same."""
    same_bytes = _same_bytes(path)
    known, places = ("name", "cardinality"), ("offset", "length")

    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        def differs(keys: Iterable[str]) -> tuple[str, str] | None:
            found, wanted = (
                [[vector[key] for key in keys] for vector in vectors]
                for vectors in (answer["vectors"], case["vectors"])
            )
            return None if found == wanted else ("wrong", f"{found}, not {wanted}")

        return differs(known) or same_bytes(answer) or differs(places)

    return judge


def _queried(
    columns: Sequence[Mapping[str, str]], rows: Sequence[Sequence[Any]], asked: Mapping[str, Any]
) -> Judge:
    real = _are_real(columns)

    def texts(key: str) -> Counter[str]:
        return _texts((rows[at] for at in integers(asked.get(key, ()))), real)

    wanted, ties, others = texts("rows"), texts("ties"), texts("others")
    least = asked.get("least", 0)

    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        found = _texts(answer["rows"], real)
        if lost := wanted - found:
            return "wrong", f"lacks {lost.total()} rows: {next(iter(lost))}"
        more = found - wanted
        if (more & ties).total() < least:
            return "wrong", f"has {(more & ties).total()} of the rows that tie, not {least}"
        if outside := more - ties - others:
            return "wrong", f"has {outside.total()} other rows: {next(iter(outside))}"
        return None

    return judge


def _are_real(columns: Sequence[Mapping[str, str]]) -> list[bool]:
    return [column["type"].startswith(("FLOAT", "DOUBLE")) for column in columns]


def _texts(rows: Iterable[Sequence[Any]], real: Sequence[bool]) -> Counter[str]:
    """Rows in any order; 1 and 1.0 are the same number in a column of real numbers."""
    return Counter(
        json.dumps(
            [
                float(value) if is_real and isinstance(value, int) else value
                for value, is_real in zip(row, real, strict=True)
            ],
            ensure_ascii=False,
            sort_keys=True,
        )
        for row in rows
    )


def _refused(case: Mapping[str, Any]) -> Judge:
    """A query may also return the right rows, without the file."""
    wanted, request = case["error"], case["request"]

    def judge(answer: Mapping[str, Any]) -> tuple[str, str] | None:
        if "error" not in answer:
            if "rows" not in case:
                return "accepted", "no error"
            every = {"rows": range(len(case["rows"]))}
            return _queried(request["columns"], case["rows"], every)(answer)
        given = answer.get("class")
        if given not in (None, wanted):
            return "class", f"{given}: {answer['error']}"
        return None

    return judge


# Runners ----------------------------------------------------------------------------------------


class Runner:
    """A process that answers requests. One that fails is started again for the next request."""

    def __init__(self, command: Sequence[str], timeout: float = TIMEOUT) -> None:
        self.command = command
        self.timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer. Raises ProtocolError, TimeoutError, or EOFError if the runner ended."""
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                self.command, stdin=pipe, stdout=pipe, start_new_session=True
            )
        process = self._process
        assert process.stdin and process.stdout
        late = threading.Event()
        # It may neither read nor write, so only its end is sure to end the wait.

        def end() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(self.timeout, end)
        timer.start()
        try:
            with suppress(OSError):  # it ended before it read this, but may have answered
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
            line = process.stdout.readline(LONGEST)
        finally:
            timer.cancel()
        if late.is_set():
            self.close()
            raise TimeoutError(f"no answer within {self.timeout:g} s")
        if not line:
            raise EOFError(f"the runner ended with exit code {self.close()}")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            self.close()  # the next line may be of this answer, too
            raise ProtocolError(f"not a line with a JSON object: {line!r:.100}")
        return answer

    def close(self) -> int | None:
        """Close the input of the process, which ends it. Return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        assert process.stdin and process.stdout
        process.stdout.close()
        with suppress(OSError):  # it ended before it read all
            process.stdin.close()
        try:
            return process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            _kill(process)
            return process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process, and what it started: that would keep the pipe open."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


# Differences ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """A known difference of one check: its outcome, and a part of its text."""

    outcome: str
    text: str
    reason: str
    link: str = ""


def known_differences(runner: str, kit: Path, checks: Iterable[Check]) -> dict[str, Known]:
    """What is known of a runner, by the names of checks."""
    if runner == JAVA:
        reasons = json.loads((kit / "deviations.json").read_text("utf-8"))
        return {check.name: _of_java(check, reasons) for check in checks if check.java}
    entries = json.loads((kit / "differences.json").read_text("utf-8"))
    return {
        f"{case}#{number}": Known(entry["outcome"], entry.get("text", ""), entry["reason"])
        for entry in entries
        if entry["runner"] == runner
        for case, numbers in entry["checks"].items()
        for number in integers(numbers)
    }


def _of_java(check: Check, reasons: Mapping[str, Mapping[str, str]]) -> Known:
    assert check.java
    judged = _judged(check, check.java)
    assert judged, f"{check.name} passes with Java's answer"
    outcome, text = judged
    found = [reasons[name] for name in check.java["because"]]
    reason = " ".join(one["text"] for one in found)
    return Known(outcome, text, reason, found[0]["link"])


# Running ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """A check that a runner does not pass."""

    check: Check
    outcome: str
    text: str

    def __str__(self) -> str:
        return f"{self.check.name}: {self.check.text:.160}: {self.outcome}: {self.text:.240}"


@dataclass
class Result:
    """What came of a runner: counts by column, and where it differs."""

    name: str
    version: str
    passed: Counter[str] = field(default_factory=Counter)
    unsupported: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    new: list[Difference] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    """Known differences that do not happen: the names of checks."""
    happened: list[Known] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether there is a new difference, or a known one that no longer happens."""
        return bool(self.new or self.stale)

    @property
    def columns(self) -> list[str]:
        """The columns of all checks that were asked."""
        new = {found.check.column for found in self.new}
        return sorted({*self.passed, *self.known, *self.unsupported, *new})


def run(runner: Runner, kit: Path = KIT, only: str = "*", share: int = 1) -> Result:
    """Asks a runner all that it supports, and ends it.

    Args:
        runner: The runner.
        kit: The folder of the cases.
        only: A pattern for names of cases, such as `bucket_index/few`.
        share: Every how many-th check is asked.

    Raises:
        ProtocolError, TimeoutError, EOFError: The runner does not list its capabilities.
    """
    checks = list(load_checks(kit))
    try:
        result, ops = _introduced(runner)
        known = known_differences(result.name, kit, checks)
        result.stale = sorted(known.keys() - {check.name for check in checks})
        for check in [c for c in checks if fnmatchcase(c.case, only)][::share]:
            outcome = None if check.request["op"] in ops else ("unsupported", "")
            outcome = outcome or _outcome(runner, check)
            expected = known.get(check.name)
            if outcome and expected and _is(expected, *outcome):
                result.known[check.column] += 1
                result.happened.append(expected)
                continue
            if expected:
                result.stale.append(check.name)
            if outcome is None:
                result.passed[check.column] += 1
            elif outcome[0] == "unsupported":
                result.unsupported[check.column] += 1
                result.reasons[outcome[1] or "not among its operations"] += 1
            else:
                result.new.append(Difference(check, *outcome))
    finally:
        runner.close()
    return result


def _introduced(runner: Runner) -> tuple[Result, Sequence[str]]:
    said = runner.ask({"op": "capabilities", "protocol": PROTOCOL})
    if said.get("protocol") != PROTOCOL:
        raise ProtocolError(f"it speaks protocol {said.get('protocol')}, and the kit {PROTOCOL}")
    name, ops = said.get("name"), said.get("ops")
    if not isinstance(name, str) or not isinstance(ops, list):
        raise ProtocolError(f"its capabilities lack a name or ops: {json.dumps(said):.200}")
    return Result(name, str(said.get("version", ""))), ops


def _outcome(runner: Runner, check: Check) -> tuple[str, str] | None:
    try:
        answer = runner.ask(check.request)
        if "unsupported" in answer:
            return "unsupported", str(answer["unsupported"])
        return _judged(check, answer)
    except EOFError as error:
        return "crash", str(error)
    except TimeoutError as error:
        return "timeout", str(error)
    except ProtocolError as error:
        return "protocol", str(error)


def _judged(check: Check, answer: Mapping[str, Any]) -> tuple[str, str] | None:
    if "error" in answer and check.column != BAD:
        return "error", str(answer["error"])
    try:
        return check.judge(answer)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        text = f"{type(error).__name__} {error} in {json.dumps(answer):.200}"
        raise ProtocolError(text) from None


def _is(known: Known, outcome: str, text: str) -> bool:
    return known.outcome == outcome and known.text in text


# Command ----------------------------------------------------------------------------------------


def print_result(result: Result, verbose: bool) -> None:
    """Prints counts, and the differences that are not known."""
    print(f"{result.name} {result.version}")
    print(f"  {'':24} {'passed':>8} {'known':>8} {'new':>8} {'unsupported':>12}")
    new = Counter(found.check.column for found in result.new)
    for column in result.columns:
        numbers = f"{result.passed[column]:8} {result.known[column]:8} {new[column]:8}"
        print(f"  {column:24} {numbers} {result.unsupported[column]:12}")
    for reason, count in result.reasons.most_common():
        print(f"  unsupported, {count} times: {reason}")
    shown = result.new if verbose else result.new[:40]
    for found in shown:
        print(f"NEW {found}")
    if len(shown) < len(result.new):
        print(f"and {len(result.new) - len(shown)} more: --verbose prints all")
    for name in result.stale:
        print(f"STALE {name}: a known difference that does not happen")


def main() -> int:
    """Runs one runner."""
    parser = argparse.ArgumentParser(prog="conformance/run.py", description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="*", help="cases, such as 'bucket_index/*'")
    parser.add_argument("--verbose", action="store_true", help="print all differences")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds for one answer")
    parser.add_argument("command", nargs="+", help="the runner, after --")
    arguments = parser.parse_args()
    try:
        result = run(Runner(arguments.command, arguments.timeout), only=arguments.only)
    except (ProtocolError, EOFError, OSError) as error:
        print(f"{' '.join(arguments.command)}: {error}", file=sys.stderr)
        return 2
    if not result.columns:
        parser.error(f"no case matches {arguments.only!r}")
    print_result(result, arguments.verbose)
    return 1 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
