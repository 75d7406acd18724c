"""Damage index files at random and look for anything that is not our error or an answer.

Each case is made from its number: a golden file, damaged by flipped bits, a cut off end, inserted,
removed or repeated bytes, or a field of the layout set to a value that hurts. It is opened,
queried, inspected, dumped and assembled in a process of its own with limits on time and memory.

    python -m tools.fuzz --runs 5000
    python -m tools.fuzz --case 1234        # one case again, with its traceback
"""

import argparse
import contextlib
import json
import random
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from paimon_ksy import CorruptFileError, FileIndex, Predicate, Schema, col, parse_predicate
from paimon_ksy.generated import runtime
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.parsed_file import file_parts
from paimon_ksy.io.source import open_source
from paimon_ksy.types.literals import to_sql
from tests.golden import GoldenIndex, golden_indexes

ROOT = Path(__file__).parents[1]
SECONDS = 1.0  # for one step of one case
PATIENCE = 60.0  # seconds for a whole case: native code cannot be interrupted
MEGABYTES = 100  # more than before the case
MAX_SIZE = 8_000  # bytes of a golden file that is used
HURTFUL = (0, 1, 2, 7, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 2, 2**31 - 1, 2**32 - 1)


@dataclass(frozen=True)
class Finding:
    """What went wrong in a case, and in which step."""

    case: int
    step: str
    error: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=3000, help="number of cases")
    parser.add_argument("--seed", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="run this case alone, in this process")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        work(arguments.seed, arguments.runs)
        return 0
    if arguments.case is not None:
        return show(arguments.case)

    start = time.monotonic()
    findings = list(fuzz(arguments.seed, arguments.runs))
    for finding in findings:
        print(f"case {finding.case}, {finding.step}: {finding.error}")
    seconds = time.monotonic() - start
    print(f"{arguments.runs} cases in {seconds:.0f} s: {len(findings)} that should not be")
    return 1 if findings else 0


def fuzz(first: int, runs: int) -> Iterator[Finding]:
    """Run the cases `first` to `first + runs - 1`; a process that dies is started again."""
    case, end = first, first + runs
    while case < end:
        command = [sys.executable, "-m", "tools.fuzz", "--worker"]
        command += [f"--seed={case}", f"--runs={end - case}"]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        reached = None
        for message in messages(worker):
            if "step" in message:
                yield Finding(**message)
            reached = message["case"]
        if worker.wait() == 0:
            return
        if reached is None:
            raise RuntimeError(f"the process for case {case} did not start")
        yield Finding(reached, "process", f"died or hung, exit code {worker.returncode}")
        case = reached + 1


def messages(worker: "subprocess.Popen[str]") -> Iterator[Any]:
    """What a worker prints; it is killed if it prints nothing for PATIENCE seconds."""
    assert worker.stdout is not None
    while True:
        watchdog = threading.Timer(PATIENCE, worker.kill)
        watchdog.start()
        line = worker.stdout.readline()
        watchdog.cancel()
        if not line:
            return
        yield json.loads(line)


def work(first: int, runs: int) -> None:
    """In the worker: say which case is next, and what is found."""
    warnings.simplefilter("ignore")
    try_case(first)  # what is imported on the way is not counted
    limit_memory()
    for case in range(first, first + runs):
        print(json.dumps({"case": case}), flush=True)
        if finding := try_case(case):
            print(json.dumps(vars(finding)), flush=True)


def limit_memory() -> None:
    """Let this process take MEGABYTES more than it has."""
    status = Path("/proc/self/status").read_text()
    used = int(status.partition("VmData:")[2].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEGABYTES * 2**20, resource.RLIM_INFINITY))


def try_case(case: int) -> Finding | None:
    """The first step of a case that ends in anything but success or our error."""
    golden, data = damaged(case)
    for step, action in steps(golden, data):
        try:
            with time_limit():
                action()
        except CorruptFileError:
            pass
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            return Finding(case, step, text)
    return None


def show(case: int) -> int:
    """Run one case here, with the traceback of what goes wrong."""
    golden, data = damaged(case)
    path = ROOT / ".cache" / f"fuzz-{case}.index"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    print(f"case {case}: {golden.name}, damaged, in {path.relative_to(ROOT)}")
    for step, action in steps(golden, data):
        try:
            with time_limit():
                action()
            print(f"{step}: done")
        except CorruptFileError as error:
            print(f"{step}: {error}")
        except BaseException:
            print(f"{step}:")
            traceback.print_exc()
            return 1
    return 0


def steps(golden: GoldenIndex, data: bytes) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is done with a file, by name."""
    schema = schema_of(golden)
    for predicate in predicates(golden):
        yield f"eval {predicate}", partial(evaluate, data, schema, predicate)
    yield "inspect", partial(inspect_data, data, schema)
    yield "dump", partial(dump_and_assemble, data, schema)


@cache
def predicates(golden: GoldenIndex) -> list[Predicate]:
    """Predicates on values of the undamaged file, of each kind that an index answers."""
    schema = schema_of(golden)
    report = inspect_file(open_source(golden.data), schema).file_index
    assert report is not None
    found: list[Predicate] = []
    for column in report.columns:
        if column.type is None:  # a key of a MAP column
            found.append(col(column.name).is_null())
            continue
        conditions = ["IS NULL"]
        for index in column.indexes:
            values = getattr(index.body, "values", None) or ()
            literals = [to_sql(value.value, column.type) for value in values]
            for literal in literals[:2]:
                conditions += [f"= {literal}", f"<> {literal}", f"<= {literal}"]
            conditions += [f"IN ({', '.join(literals)})"] if literals else []
        found += [parse_predicate(f"`{column.name}` {text}", schema) for text in conditions]
    return found


def evaluate(data: bytes, schema: Schema, predicate: Any) -> None:
    with FileIndex.open(data, schema) as index:
        selection = index.evaluate(predicate)
        assert selection.rows is None or selection.count == len(selection.rows)


def inspect_data(data: bytes, schema: Schema) -> None:
    inspect_file(open_source(data), schema, top=None)


def dump_and_assemble(data: bytes, schema: Schema) -> None:
    document = json.loads(json.dumps(dump_file(open_source(data), schema)))
    if assemble(document) != data:
        raise AssertionError("the dump does not give the same bytes")


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    def too_slow(*_: object) -> None:
        raise TimeoutError(f"took more than {SECONDS} s")

    signal.signal(signal.SIGALRM, too_slow)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@cache
def corpus() -> list[GoldenIndex]:
    return [golden for golden in golden_indexes() if len(golden.data) <= MAX_SIZE]


@cache
def schema_of(golden: GoldenIndex) -> Schema:
    """The columns as they were written, keys of a MAP left out."""
    columns = (f"`{column['name']}` {column['type']}" for column in golden.columns)
    return Schema.parse(", ".join(columns))


@cache
def fields(golden: GoldenIndex) -> list[tuple[int, int]]:
    """Start and end of each field of a file, as the generated layout tells."""
    parts = file_parts(open_source(golden.data), schema_of(golden))
    layout = runtime.layout([(part.start, part.parsed) for part in parts])
    return [(field.start, field.end) for field in layout]


def damaged(case: int) -> tuple[GoldenIndex, bytes]:
    """A golden file and what the case makes of it."""
    chance = random.Random(case)
    golden = chance.choice(corpus())
    data = bytearray(golden.data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        chance.choice(DAMAGES)(chance, data, fields(golden))
    return golden, bytes(data)


def flip_bit(chance: random.Random, data: bytearray, _: object) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def cut(chance: random.Random, data: bytearray, _: object) -> None:
    del data[chance.randrange(len(data) + 1) :]


def remove(chance: random.Random, data: bytearray, _: object) -> None:
    start = chance.randrange(len(data) + 1)
    del data[start : start + chance.randrange(1, 9)]


def insert(chance: random.Random, data: bytearray, _: object) -> None:
    start = chance.randrange(len(data) + 1)
    data[start:start] = chance.randbytes(chance.randrange(1, 9))


def repeat(chance: random.Random, data: bytearray, _: object) -> None:
    start = chance.randrange(len(data) + 1)
    data[start:start] = data[start : start + chance.randrange(1, 65)]


def set_field(chance: random.Random, data: bytearray, spans: list[tuple[int, int]]) -> None:
    """A field of the layout becomes a value that hurts, in either byte order."""
    start, end = chance.choice(spans)
    if end <= len(data) and 0 < end - start <= 8:
        value = chance.choice(HURTFUL) * chance.choice((1, -1)) % 256 ** (end - start)
        written = value.to_bytes(end - start, "big")
        data[start:end] = written if chance.random() < 0.7 else written[::-1]


DAMAGES = (flip_bit, flip_bit, cut, remove, insert, repeat, set_field, set_field, set_field)


if __name__ == "__main__":
    sys.exit(main())
