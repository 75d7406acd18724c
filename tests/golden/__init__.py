"""Files written by the real Java library (paimon-bundle 1.4.2) with what it made of them.

    from tests.golden import bad_files, golden_index, golden_indexes, refusals

    for case in golden_indexes():          # 84 index files with a bitmap index or none at all
        case.name                          # golden_indexes("bsi"): those with a BSI
        case.columns, case.rows            # what was written, see GoldenIndex
        case.data                          # the bytes of the file
        case.dump                          # the head as Java read it
        for answer in case.answers:        # what Java answered
            answer.predicate               # {"op": "eq", "col": "a", "value": 1}
            answer.result, answer.rows     # "BITMAP" | "REMAIN" | "SKIP" | None, rows for "BITMAP"

The data are in `golden.tar.xz`. `tests/golden/README.md` describes how values and predicates are
written in it.
"""

import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ARCHIVE = Path(__file__).with_name("golden.tar.xz")


@dataclass(frozen=True)
class Answer:
    """What the Java library answered to one predicate.

    `result` is "BITMAP" (then `rows` are the row positions), "REMAIN" (read all rows) or "SKIP";
    None if it threw `error` instead.
    """

    predicate: Mapping[str, Any]
    result: str | None = None
    rows: tuple[int, ...] | None = None
    error: str | None = None


@dataclass(frozen=True, eq=False)
class GoldenIndex:
    """An index file, the columns and rows it was written from, and Java's answers.

    `spec` is `{"columns": [{"name", "type", "indexes": [{"type", "options"}]}], "rows": [[..]]}`;
    where `spec["tableOptions"]` is there, it takes the place of "indexes" and "options".
    `dump` is `{"fileBytes", "headLength", "columns": [{"name", "indexes": [{"type", "start",
    "length", "empty"}]}]}`. `write_error` is set where Java could not write all that was asked.
    """

    name: str
    spec: Mapping[str, Any]
    data: bytes
    dump: Mapping[str, Any]
    answers: tuple[Answer, ...]
    write_error: str | None = None

    @property
    def index_types(self) -> set[str]:
        """The types of the indexes in the file."""
        return {index["type"] for column in self.dump["columns"] for index in column["indexes"]}

    @property
    def columns(self) -> Sequence[Mapping[str, Any]]:
        """The columns written: "name", "type" and, unless `spec` has "tableOptions", "indexes"."""
        columns: Sequence[Mapping[str, Any]] = self.spec["columns"]
        return columns

    @property
    def rows(self) -> Sequence[Sequence[Any]]:
        """The rows written, one value per column."""
        rows: Sequence[Sequence[Any]] = self.spec["rows"]
        return rows


@dataclass(frozen=True, eq=False)
class BadFile:
    """A broken or odd file, and how Java read it: `dump`, or `error` if it could not.

    `answers` are for a column `a INT` with the rows 1, 2, 1.
    """

    name: str
    data: bytes
    dump: Mapping[str, Any] | None
    error: str | None
    answers: tuple[Answer, ...]


def golden_indexes(*index_types: str) -> tuple[GoldenIndex, ...]:
    """The golden index files with an index of one of these types, in order of their names.

    Without types, those with a bitmap index, and all container cases (`c_*`).
    """
    members = members_of(ARCHIVE)
    names = sorted({path.split("/")[1] for path in members if path.startswith("index/")})
    cases = map(golden_index, names)
    if not index_types:
        return tuple(c for c in cases if "bitmap" in c.index_types or c.name.startswith("c_"))
    return tuple(case for case in cases if case.index_types & set(index_types))


@cache
def golden_index(name: str) -> GoldenIndex:
    """The golden index file of that name."""
    members, folder = members_of(ARCHIVE), f"index/{name}"
    write_error = members.get(f"{folder}/write_error.json")
    return GoldenIndex(
        name=name,
        spec=json.loads(members[f"{folder}/spec.json"]),
        data=members[f"{folder}/file.index"],
        dump=json.loads(members[f"{folder}/dump.json"]),
        answers=_answers(json.loads(members[f"{folder}/eval.json"])),
        write_error=None if write_error is None else json.loads(write_error)["error"],
    )


@cache
def bad_files() -> tuple[BadFile, ...]:
    """All broken or odd files, in order of their names."""
    members = members_of(ARCHIVE)
    expected = json.loads(members["bad/expected.json"])
    return tuple(
        BadFile(
            name=name,
            data=members[f"bad/{name}.index"],
            dump=None if "error" in case["dump"] else case["dump"],
            error=case["dump"].get("error"),
            answers=_answers(case["eval"]),
        )
        for name, case in sorted(expected.items())
    )


@cache
def refusals() -> Mapping[str, Mapping[str, str | None]]:
    """By index type and column type: the error with which Java refuses it, None if it does not."""
    table: Mapping[str, Mapping[str, str]] = json.loads(members_of(ARCHIVE)["refusals.json"])
    return {
        index_type: {column: None if text == "ok" else text for column, text in columns.items()}
        for index_type, columns in table.items()
    }


@cache
def members_of(path: Path) -> Mapping[str, bytes]:
    """Return the files in an archive, by their names."""
    with tarfile.open(path) as archive:
        return {
            member.name: content.read()
            for member in archive
            if (content := archive.extractfile(member)) is not None
        }


def _answers(items: Sequence[Mapping[str, Any]]) -> tuple[Answer, ...]:
    return tuple(
        Answer(
            predicate=item["pred"],
            result=item.get("result"),
            rows=tuple(item["rows"]) if "rows" in item else None,
            error=item.get("error"),
        )
        for item in items
    )
