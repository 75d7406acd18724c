"""Parse the indexes to build, from Paimon's table options and from command-line arguments.

Source: `FileIndexOptions`, `MemorySize` and `CoreOptions` (paimon-api, release 1.4.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from paimon_ksy.errors import OptionError
from paimon_ksy.java.hash_codes import hash_string
from paimon_ksy.java.hash_map import JavaMap
from paimon_ksy.types.schema import map_keys

_PREFIX = "file-index."
_COLUMNS = ".columns"
_THRESHOLD = "file-index.in-manifest-threshold"
_DEFAULT_THRESHOLD = "500 B"


@dataclass(frozen=True)
class IndexSpec:
    """An index to build: its type, the column or the key of a MAP column, and its options."""

    index_type: str
    column: str
    key: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The column's name in the file index: `column` or `column[key]`."""
        return self.column if self.key is None else f"{self.column}[{self.key}]"


@dataclass(frozen=True)
class FileIndexOptions:
    """The file indexes of a table.

    `indexes` are in the iteration order of Java's `FileIndexOptions`, which determines the order
    of columns in a file. A file index of more than `in_manifest_threshold` bytes is stored next
    to the data file; a smaller one is embedded in the manifest.
    """

    indexes: tuple[IndexSpec, ...] = ()
    in_manifest_threshold: int = 500

    @classmethod
    def of(cls, specs: Iterable[IndexSpec]) -> FileIndexOptions:
        """Return the options of these indexes. Raises OptionError."""
        return cls(_in_java_order(specs))


def parse_options(options: Mapping[str, str]) -> FileIndexOptions:
    """Return the file indexes that a table's options list; other options are ignored.

    `file-index.TYPE.columns` lists columns such as `a, b, m[key]`. `file-index.TYPE.COLUMN.OPTION`
    sets an option for one of them; for a MAP column, it applies to all keys that do not set it
    themselves. As in Java, options with more or fewer dots are ignored, so a column with a dot in
    its name has the default options.

    Raises:
        OptionError: An option is unknown, or has a bad value.
    """
    in_order: JavaMap[str, str] = JavaMap()
    for key, value in options.items():
        if key.startswith(_PREFIX) and not isinstance(value, str):
            raise OptionError(f"option {key!r}: {value!r} is not a text: put it in quotes")
        in_order.put(key, value)
    specs = [
        spec_named(key[len(_PREFIX) : -len(_COLUMNS)], name)
        for key, value in in_order
        if key.startswith(_PREFIX) and key.endswith(_COLUMNS) and len(key) > len(_PREFIX + _COLUMNS)
        for name in _column_names(key, value)
    ]
    set_of = _set_options(in_order, specs)
    with_options = []
    for spec in specs:
        shared, own = (set_of.get((spec.index_type, n), {}) for n in (spec.column, spec.name))
        with_options.append(replace(spec, options=shared | own))
    threshold = parse_memory_size(options.get(_THRESHOLD, _DEFAULT_THRESHOLD), _THRESHOLD)
    return FileIndexOptions(_in_java_order(with_options), threshold)


def _set_options(
    options: Iterable[tuple[str, str]], specs: Sequence[IndexSpec]
) -> dict[tuple[str, str], dict[str, str]]:
    """Return the options of indexes, by index type and column. Raises OptionError."""
    set_of: dict[tuple[str, str], dict[str, str]] = {}
    known = {(spec.index_type, name) for spec in specs for name in (spec.name, spec.column)}
    for key, value in options:
        parts = key[len(_PREFIX) :].split(".")
        if not key.startswith(_PREFIX) or len(parts) != 3 or key.endswith(_COLUMNS):
            continue
        index_type, name, option = parts
        if (index_type, name) not in known:
            listed = f"{_PREFIX}{index_type}{_COLUMNS}"
            raise OptionError(f"option {key!r}: add column {name!r} to {listed!r}, or remove it")
        set_of.setdefault((index_type, name), {})[option] = value
    return set_of


_SPEC = re.compile(
    r"\s*(?P<type>[^:`\s]+)\s*:\s*(?:`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^`(]+?))\s*"
    r"(?:\((?P<options>.*)\))?\s*",
    re.DOTALL,
)


def parse_index_spec(text: str) -> IndexSpec:
    """Parse an index such as `bitmap:user_id(version=1, index-block-size=1kb)`.

    Column names with a parenthesis need backticks; `m[key]` is the key of a MAP column.

    Raises:
        OptionError: The text is not an index.
    """
    match = _SPEC.fullmatch(text)
    if match is None:
        raise OptionError(f"{text!r} is not an index: write it like 'bitmap:user_id(version=1)'")
    options: dict[str, str] = {}
    for item in (match["options"] or "").split(","):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not item.strip():
            continue
        if not equals or not name or not value:
            raise OptionError(
                f"{text!r}: {item.strip()!r} is not an option: write it like 'version=1'"
            )
        if name in options:
            raise OptionError(f"{text!r}: option {name!r} is given twice: remove one")
        options[name] = value
    quoted = match["quoted"]
    column = match["plain"] if quoted is None else quoted.replace("``", "`")
    spec = spec_named(match["type"], column)
    return IndexSpec(spec.index_type, spec.column, spec.key, options)


_UNITS = {
    name: 1024**power
    for power, names in enumerate(
        [
            ("b", "bytes", ""),
            ("k", "kb", "kibibytes"),
            ("m", "mb", "mebibytes"),
            ("g", "gb", "gibibytes"),
            ("t", "tb", "tebibytes"),
        ]
    )
    for name in names
}
_SIZE = re.compile(r"([0-9]+)\s*(\S*)")


def parse_memory_size(text: str, option: str) -> int:
    """Parse a size such as `16kb`, `1 mb` or `100`, like Paimon's `MemorySize`, and return bytes.

    Raises:
        OptionError: The text is not a size. The message names `option`.
    """
    match = _SIZE.fullmatch(text.strip())
    factor = None if match is None else _UNITS.get(match[2].lower())
    size = -1 if match is None or factor is None else int(match[1]) * factor
    if not 0 <= size < 2**63:
        raise OptionError(f"option {option!r}: {text!r} is not a size: write it like '16kb'")
    return size


def _column_names(option: str, value: str) -> list[str]:
    names = [name.strip() for name in value.split(",")]
    while len(names) > 1 and not names[-1]:  # like Java's String.split
        names.pop()
    if not all(names):
        raise OptionError(f"option {option!r}: a column name is missing in {value!r}")
    return names


def spec_named(index_type: str, name: str) -> IndexSpec:
    """Return the index with this type and name; `m[key]` means a key of column `m`.

    Source: `FileIndexOptions.topLevelIndexOfNested`.
    """
    column, key = next(map_keys(name), (name, None))
    return IndexSpec(index_type, column, key)


def _in_java_order(specs: Iterable[IndexSpec]) -> tuple[IndexSpec, ...]:
    """Order indexes like `FileIndexOptions.indexTypeOptions`: by column, then by index type."""
    columns: JavaMap[tuple[str, str | None], JavaMap[str, IndexSpec]] = JavaMap(_hash_of_column)
    for spec in specs:
        types = columns.compute_if_absent((spec.column, spec.key), JavaMap)
        before = len(types)
        types.compute_if_absent(spec.index_type, partial(replace, spec))
        if len(types) == before:
            raise OptionError(
                f"{spec.index_type!r} index on column {spec.name!r} is listed twice: remove one"
            )
    return tuple(spec for _, types in columns for _, spec in types)


def _hash_of_column(column: tuple[str, str | None]) -> int:
    """Return `FileIndexOptions.Column.hashCode`: the hash of both names and "is nested"."""
    name, key = column
    code = 31 + hash_string(name)
    code = 31 * code + (0 if key is None else hash_string(key))
    return (31 * code + (1237 if key is None else 1231)) & 0xFFFFFFFF
