"""Change code in one place at a time, and list the changes that no test notices.

    python -m tools.mutants [--minutes N] [--changes N] [--seed N] [group ..]

A change swaps an operator, negates a condition, moves a number by one, or drops a statement. A
group is some modules and the tests that have to notice changes of them. In a copy of the project,
these tests run once, which shows the lines that each of them runs. Then changes are tried in the
order that the seed gives, each with the tests that run its line. A change that survives must be in
tests/mutants.toml, with the reason why no test can notice it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import hashlib
import importlib
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest
from coverage import Coverage

from tools.project_copy import copy_project

ROOT = Path(__file__).resolve().parents[1]
REVIEWED = ROOT / "tests" / "mutants.toml"


@dataclass(frozen=True)
class Group:
    """Modules, and the tests of which one has to notice a change: patterns of paths."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


GROUPS = {
    "evaluation": Group(
        ("paimon_ksy/evaluation/*.py",), ("tests/evaluation", "tests/file_index/*/test_reader.py")
    ),
    "writers": Group(
        ("paimon_ksy/file_index/*/writer.py",),
        (
            "tests/file_index/*/test_writer.py",
            "tests/file_index/test_builder.py",
            "tests/file_index/test_ordered_indexes.py",
        ),
    ),
    "plan": Group(
        ("paimon_ksy/table/query/plan.py",),
        tuple(f"tests/table/query/test_{name}.py" for name in ("plan", "pruning", "read")),
    ),
    "orphans": Group(
        ("paimon_ksy/table/audit/orphans.py",),
        ("tests/table/audit/test_orphans.py", "tests/faults/test_orphans.py"),
    ),
    "delete": Group(("paimon_ksy/table/delete/*.py",), ("tests/table/delete",)),
    "store": Group(("paimon_ksy/table/store/*.py",), ("tests/table/store",)),
    "generator": Group(
        ("paimon_ksy/generator/*.py", "tools/ksy/*.py"),
        tuple(f"tests/generator/test_{name}.py" for name in ("emitters", "generator", "inlined")),
    ),
}
NOT_RUN = " and ".join(
    f"not {mark}" for mark in ("slow", "java", "library", "go", "network", "browser", "web_ide")
)
PRELOADED = (
    *("hypothesis", "jinja2", "numpy", "polars", "pyarrow.dataset", "pyarrow.parquet"),
    *("pypaimon", "pyroaring", "ruamel.yaml", "sqlglot", "typer.testing"),
)
OUTPUT = "output.txt"  # of pytest, in the copy of the project
SECONDS = 20  # for a run, beyond four times what pytest and its tests take without a change
MEMORY = 6 << 30  # bytes of a run: a change may make a list grow without end

# --- Changes ---

_PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
    (ast.And, ast.Or),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.FloorDiv),
    (ast.BitAnd, ast.BitOr),
    (ast.LShift, ast.RShift),
)
_SWAPS = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_SKIPPED = {"annotation", "returns", "decorator_list", "pattern"}  # fields of nodes
_MESSAGES = ast.Raise, ast.Assert, ast.JoinedStr  # what is in them is text, or never false


@dataclass(frozen=True)
class Mutant:
    """A change of a module.

    The first three attributes name it in the list of reviewed changes. They stay the same if other
    lines change.

    Attributes:
        module: Its path.
        place: The function or method.
        change: The line before and after.
        line: Its number in the module, counted from 1.
        source: Returns the text of the changed module.
    """

    module: str
    place: str
    change: str
    line: int
    source: Callable[[], str] = field(compare=False)

    @property
    def name(self) -> tuple[str, str, str]:
        """What tests/mutants.toml names it by."""
        return self.module, self.place, self.change


@dataclass(frozen=True)
class _Edit:
    """Another node for a child of `parent`."""

    parent: ast.AST
    field: str
    index: int | None
    child: ast.AST
    other: ast.AST

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def plain(text: str) -> str:
    """Return a module's text with each statement on one line, as `mutants` takes it."""
    return ast.unparse(ast.parse(text)) + "\n"


def mutants(module: str, text: str) -> Iterator[Mutant]:
    """Yield all changes of a module, whose text is that of `plain`."""
    tree = ast.parse(text)
    for place, statement, edit in _edits(tree, "", tree):
        before = _head(statement)
        edit.put(edit.other)
        after = _head(edit.other if edit.child is statement else statement)
        edit.put(edit.child)

        def source(edit: _Edit = edit) -> str:
            edit.put(edit.other)
            try:
                return ast.unparse(tree) + "\n"
            finally:
                edit.put(edit.child)

        line = getattr(statement, "lineno", 0) or statement.pattern.lineno  # type: ignore[attr-defined]
        yield Mutant(module, place, f"{before} => {after}", line, source)


def _head(statement: ast.AST) -> str:
    """Return the first line of a statement that is not a decorator."""
    return next(line for line in ast.unparse(statement).split("\n") if not line.startswith("@"))


def _edits(parent: ast.AST, place: str, statement: ast.AST) -> Iterator[tuple[str, ast.AST, _Edit]]:
    """Yield all edits below a node, with the function and the statement that contain them."""
    for name, value in ast.iter_fields(parent):
        if name in _SKIPPED:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_for_types(child):
                continue
            inner = statement
            if isinstance(child, ast.stmt | ast.match_case | ast.ExceptHandler):
                inner = child
            for other in _others(child, parent):
                yield place, inner, _Edit(parent, name, index, child, other)
            if not isinstance(child, _MESSAGES):
                within = place
                if isinstance(child, ast.FunctionDef | ast.ClassDef):
                    within = f"{place}.{child.name}".strip(".")
                yield from _edits(child, within, inner)


def _is_for_types(node: ast.AST) -> bool:
    """Return whether a statement contains imports for type checkers, which no program runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _others(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are tried in place of a node."""
    match node:
        case ast.Compare(ops=[first, *rest]) if type(first) in _SWAPS:
            yield _with(node, ops=[_SWAPS[type(first)](), *rest])
        case ast.BoolOp() | ast.BinOp() | ast.AugAssign() if type(node.op) in _SWAPS:
            yield _with(node, op=_SWAPS[type(node.op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            if not (isinstance(parent, ast.keyword) and parent.arg == "strict"):  # as of `zip`
                yield _with(node, value=not value)
        case ast.Constant(value=int(value)):
            yield _with(node, value=value + 1)
        case ast.Raise() | ast.Delete() | ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.If() | ast.IfExp() if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


# --- Tests ---


class Project:
    """A copy of the project, in which the modules of a group are changed.

    Attributes:
        texts: The text of each module, by path.
        seconds: The time that each test of the group takes, by its id.
    """

    def __init__(self, root: Path, group: Group) -> None:
        """Run the tests of the group once, which have to pass."""
        self._root = root
        paths, tests = (
            sorted({path for one in patterns for path in root.glob(one)})
            for patterns in (group.modules, group.tests)
        )
        self.texts: dict[str, str] = {}
        for path in paths:
            if not path.stem.startswith("__"):
                text = plain(path.read_text(encoding="utf-8"))
                path.write_text(text, encoding="utf-8")
                self.texts[path.relative_to(root).as_posix()] = text
        found = root / "lines.json"
        start = time.monotonic()
        if not self._pass(list(map(str, tests)), _Recorder(root, [*self.texts], found), 1800):
            output = (root / OUTPUT).read_text(encoding="utf-8")[-3000:]
            raise RuntimeError(f"tests fail without a change:\n{output}")
        self._tests, self.seconds = json.loads(found.read_text(encoding="utf-8"))
        self._start = time.monotonic() - start - sum(self.seconds.values())

    def notices(self, mutant: Mutant) -> bool:
        """Determine whether a test fails, or takes several times as long."""
        path = self._root / mutant.module
        path.write_text(mutant.source(), encoding="utf-8")
        try:
            return not all(map(self._pass_in_time, filter(None, self._tests_of(mutant))))
        finally:
            path.write_text(self.texts[mutant.module], encoding="utf-8")

    def _tests_of(self, mutant: Mutant) -> tuple[set[str], set[str]]:
        """Return the tests that run the line: those in the file of the module, and others.

        A line that an import runs concerns all tests of the module. So may one that no test runs:
        another process can run it.
        """
        by_line = self._tests.get(mutant.module, {})
        by = {*by_line.get(str(mutant.line), ())}
        if not by or "" in by:
            by = {one for several in by_line.values() for one in several}
        found = {test for test in self.seconds if not by.isdisjoint((test, _file(test)))}
        name = f"test_{Path(mutant.module).name}"
        own = {test for test in found if Path(_file(test)).name == name}
        return own, found - own

    def _pass_in_time(self, tests: set[str]) -> bool:
        seconds = {test: self.seconds[test] for test in tests}
        files = sorted(set(map(_file, tests)))
        bound = SECONDS + 4 * (self._start + sum(seconds.values()))
        return self._pass(files, _Quickest(seconds), bound)

    def _pass(self, paths: Collection[str], plugin: object, bound: float) -> bool:
        """Run tests in a process of its own, which is killed after `bound` seconds."""
        with tempfile.TemporaryDirectory() as folder:
            process = multiprocessing.get_context("fork").Process(
                target=_run_pytest, args=(self._root, paths, plugin, folder)
            )
            process.start()
            try:
                process.join(bound)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid or 0, signal.SIGKILL)  # also what tests have started
                process.join()
        return process.exitcode == 0


def _file(test: str) -> str:
    return test.partition("::")[0]


def _run_pytest(root: Path, paths: Collection[str], plugin: object, folder: str) -> NoReturn:
    """Run tests until one fails, and exit with pytest's code.

    This process is a copy of one that has imported the libraries, which takes longer than most
    tests. The project's own modules are imported again.
    """
    import resource

    os.setsid()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout = sys.stderr = output = (root / OUTPUT).open("w", encoding="utf-8")
    for number in (1, 2):
        os.dup2(output.fileno(), number)
    os.chdir(root)
    os.environ["PYTHONPATH"] = str(root)
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True  # which Python keeps if a change leaves the size and the second
    for name in list(sys.modules):
        if name.partition(".")[0] in {"paimon_ksy", "tests", "tools", "conftest"}:
            del sys.modules[name]
    options = ["-x", "-q", "--seed=0", f"--basetemp={folder}/tests", "-m", NOT_RUN]
    options += ["-p", "no:cacheprovider", "-W", "ignore:Module already imported"]
    code = pytest.main([*options, *paths], plugins=[plugin])
    output.flush()
    os._exit(code)


class _Recorder:
    """A plugin of pytest: note the lines that each test runs, and how long it takes."""

    def __init__(self, root: Path, modules: list[str], to: Path) -> None:
        self._root, self._modules, self._to = root, modules, to
        self._seconds: dict[str, float] = {}

    def pytest_sessionstart(self) -> None:
        files = [str(self._root / module) for module in self._modules]
        self._coverage = Coverage(data_file=None, config_file=False, include=files)
        self._coverage.start()
        for module in self._modules:  # not within the first test that needs it
            importlib.import_module(module.removesuffix(".py").replace("/", "."))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        start = time.monotonic()
        self._test = item.nodeid
        self._coverage.switch_context(self._test)
        result = yield
        self._coverage.switch_context("")
        self._seconds[self._test] = round(time.monotonic() - start, 3)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Note the file for a fixture that several tests share: the first of them sets it up."""
        if fixturedef.scope != "function":
            self._coverage.switch_context(_file(self._test))
        result = yield
        self._coverage.switch_context(self._test)
        return result

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = {
            module: data.contexts_by_lineno(str(self._root / module)) for module in self._modules
        }
        self._to.write_text(json.dumps([lines, self._seconds]), encoding="utf-8")


class _Quickest:
    """A plugin of pytest: run these tests alone, the quickest first."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self._seconds = seconds

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self._seconds]
        items.sort(key=lambda item: self._seconds[item.nodeid])


# --- The list ---


def reviewed() -> dict[tuple[str, str, str], str]:
    """Return the reasons of the list, by the names of changes."""
    listed = tomllib.loads(REVIEWED.read_text(encoding="utf-8"))["survivor"]
    return {(one["module"], one["place"], one["change"]): one["reason"] for one in listed}


def in_order(texts: Mapping[str, str], seed: int) -> list[Mutant]:
    """Return the changes of modules in the order in which they are tried.

    It depends on the seed and on the name of each change, so that it stays the same if others
    come or go.
    """
    found = [mutant for module, text in texts.items() for mutant in mutants(module, text)]

    def place(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.name}".encode()).digest()

    return sorted(found, key=place)


def main(arguments: list[str] | None = None) -> int:
    """Try changes; return 1 if one survives that is not in the list."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5, help="limit for each group; 5")
    parser.add_argument("--changes", type=int, help="limit of changes for each group")
    parser.add_argument("--seed", type=int, default=0, help="seed of the order of changes; 0")
    parser.add_argument("groups", nargs="*", help=", ".join(GROUPS))
    given = parser.parse_args(arguments)
    for name in PRELOADED:
        importlib.import_module(name)
    reasons, missed, rows = reviewed(), 0, []
    for name in given.groups or GROUPS:
        with tempfile.TemporaryDirectory() as folder:
            project = Project(copy_project(Path(folder)), GROUPS[name])
            order = in_order(project.texts, given.seed)
            end = time.monotonic() + 60 * given.minutes
            tried = noticed = explained = 0
            for mutant in order[: given.changes]:
                if time.monotonic() > end:
                    break
                tried += 1
                if project.notices(mutant):
                    noticed += 1
                elif mutant.name in reasons:
                    explained += 1
                else:
                    print("\n[[survivor]]")
                    for key, text in zip(("module", "place", "change"), mutant.name, strict=True):
                        print(f"{key} = {json.dumps(text)}", flush=True)
            unexplained = tried - noticed - explained
            missed += unexplained
            cells = (name, len(order), tried, noticed, explained, unexplained)
            rows.append("| " + " | ".join(map(str, cells)) + " |")
            print(f"{name}: {noticed} of {tried} changes noticed", file=sys.stderr, flush=True)
    print("\n| group | changes | tried | noticed | explained | not explained |")
    print("|---|---|---|---|---|---|", *rows, sep="\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
