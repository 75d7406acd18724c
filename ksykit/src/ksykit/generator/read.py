"""Read the YAML of a spec, which may be hostile: within bounds, and of plain values only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent

from .spec import SpecError, SpecFile

MOST_BYTES = 1 << 20
"""Of a spec."""
MOST_NODES = 20_000
"""Values and keys of a spec, with each alias replaced by what it stands for."""
MOST_DEPTH = 100
"""Of values in each other, of operators in each other, and of value instances in each other."""


class _TooMuch(Exception):
    """The YAML is beyond a bound."""


class _Bounded(Composer):
    """Counts while it composes, before anything is built or walked."""

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader=loader)
        self.depth = self.count = 0
        self.counts: dict[int, int] = {}  # of the nodes that are complete

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return the next node, or the one that an alias stands for."""
        before, self.depth = self.count, self.depth + 1
        if self.depth > MOST_DEPTH:
            raise _TooMuch(f"values are more than {MOST_DEPTH} deep in each other")
        is_alias = self.loader.parser.check_event(AliasEvent)
        node = super().compose_node(parent, index)
        self.depth -= 1
        self.last = node  # at the end, the outermost one
        if is_alias and id(node) not in self.counts:
            raise _TooMuch("an alias stands for what contains it")
        self.count += self.counts[id(node)] if is_alias else 1
        self.counts.setdefault(id(node), self.count - before)
        if self.count > MOST_NODES:
            raise _TooMuch(f"more than {MOST_NODES:,} values, counting those of aliases")
        return node


def read_yaml(path: Path, file: str) -> Any:
    """Return the YAML of a spec: mappings, lists, texts, numbers, flags and nulls.

    Raises:
        SpecError: It is not YAML, is beyond a bound, or has other values.
    """
    loader = YAML(typ="safe", pure=True)
    loader.Composer = _Bounded
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise _TooMuch(f"more than {MOST_BYTES:,} bytes")
        raw = loader.load(data.decode("utf-8"))
    except _TooMuch as error:
        raise SpecError(file, "", str(error), "simplify it") from error
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else ""
        reason = str(getattr(error, "problem", error))
        raise SpecError(file, where, "is not YAML", reason) from error
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise SpecError(file, "", "is not YAML", str(error)) from error  # also not UTF-8
    if isinstance(file, SpecFile):
        _mark(loader.composer.last, "", file.marks)
    _check_plain(raw, file, "")
    return raw


def _mark(node: Any, path: str, marks: dict[str, tuple[int, int]]) -> None:
    """Note the lines and columns of keys and of elements of lists, by their paths."""
    pairs = node.value if isinstance(node.value, list) else ()
    for i, pair in enumerate(pairs):
        first, value = pair if isinstance(pair, tuple) else (pair, pair)
        below = f"{path}/{first.value if value is not first else i}"
        marks.setdefault(below, (first.start_mark.line + 1, first.start_mark.column + 1))
        _mark(value, below, marks)


def _check_plain(raw: Any, file: str, path: str) -> None:
    """Refuse what JSON does not have, such as dates, and characters that no file can contain."""
    if isinstance(raw, dict):
        for key, value in raw.items():
            _check_plain(key, file, path)
            _check_plain(value, file, f"{path}/{key}")
    elif isinstance(raw, list):
        for i, value in enumerate(raw):
            _check_plain(value, file, f"{path}/{i}")
    elif isinstance(raw, str) and not raw.isascii():
        try:
            raw.encode()
        except UnicodeEncodeError as error:
            raise SpecError(file, path, "is not Unicode", "leave out surrogates") from error
    elif not isinstance(raw, str | int | float | None):
        raise SpecError(file, path, f"is a {type(raw).__name__}", "put it into quotes")
