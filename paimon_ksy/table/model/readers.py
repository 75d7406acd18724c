"""Which released readers can read what jobs write into tables.

Tests have each reader read a table with each of these, so a release that reads more, or less, makes
them fail.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from paimon_ksy.errors import Call, Remedy
from paimon_ksy.messages.findings import NOTE, WARNING

JAVA, PYPAIMON, RUST = READERS = "Paimon Java 1.4.2", "pypaimon 2.1.0", "pypaimon-rust 0.4.0"

VECTORS = {32: "32-bit deletion vectors", 64: "64-bit deletion vectors"}
"""The names of deletion vectors, by their bits."""

_WHOLE = "cannot read the table"
_FILTERED = "fails on queries with a predicate"
_ANY = "parquet", "orc", "avro"
_FILTER_LATER = f"with {RUST}, read the table without a predicate, and filter the rows then"
_TO_32_BITS = Remedy(
    "if it reads the table, run ",
    Call("table set", "deletion-vectors.bitmap64=false"),
    "; the next delete from a data file then converts its vector",
)


@dataclass(frozen=True)
class Written:
    """What a job writes into tables, and the readers that fail on it.

    Attributes:
        what: Its name, in the plural.
        things: The types of file indexes, and the names of vectors, that are meant.
        formats: The formats of the data files that are meant.
        fails: What happens, by the reader that fails.
        remedy: What to do about it.
    """

    what: str
    things: tuple[str, ...]
    formats: tuple[str, ...] = _ANY
    fails: Mapping[str, str] = field(default_factory=dict)
    remedy: str = ""

    @property
    def severity(self) -> str:
        """The severity of a finding: a note if readers fail on some queries only."""
        return WARNING if _WHOLE in self.fails.values() else NOTE

    @property
    def message(self) -> str:
        """Which readers fail, and why."""
        failing = " and ".join(f"{reader} {does}" for reader, does in self.fails.items())
        return f"{failing}, because of {self.what}"

    def note(self, table: str) -> str:
        """Return the message and the remedy, with commands that name the table."""
        remedy = self.remedy.on(table) if isinstance(self.remedy, Remedy) else self.remedy
        return f"{self.message}; {remedy}"


_ROWS = "bitmap", "bsi", "range-bitmap"
WRITTEN = (
    Written("file indexes of Parquet and Avro files", (*_ROWS, "bloom-filter"), _ANY[::2]),
    Written("bloom filters of ORC files", ("bloom-filter",), ("orc",)),
    Written(
        "bitmap, BSI and range bitmap indexes of ORC files",
        _ROWS,
        ("orc",),
        {RUST: _FILTERED},
        _FILTER_LATER,
    ),
    Written("32-bit deletion vectors", (VECTORS[32],)),
    Written("64-bit deletion vectors", (VECTORS[64],), _ANY, {PYPAIMON: _WHOLE}, _TO_32_BITS),
    Written(
        "deletion vectors of ORC files",
        (*VECTORS.values(),),
        ("orc",),
        {RUST: _FILTERED},
        _FILTER_LATER,
    ),
    Written(
        "deletion vectors in tables with `data-evolution.enabled`",
        ("vectors of several files",),
        _ANY,
        {JAVA: _WHOLE},
    ),
    Written("commits that only change the list of index files", ("commit",)),
    Written("new versions of the schema, with other options", ("schema",)),
)
"""All that jobs write. Each reader that `fails` does not name reads it."""


def unread(things: Collection[str], formats: Collection[str]) -> Iterator[Written]:
    """Yield what some readers fail on.

    Args:
        things: The types of file indexes, and the names of vectors.
        formats: The formats of the data files that have them.
    """
    for each in WRITTEN:
        is_meant = not {*things}.isdisjoint(each.things) and not {*formats}.isdisjoint(each.formats)
        if each.fails and is_meant:
            yield each
