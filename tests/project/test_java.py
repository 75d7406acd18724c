"""The tools that drive the Paimon library, and ours against the library on a few random tables."""

import base64
import json
import random
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jgo.maven import MavenContext

import paimon_ksy as pk
from paimon_ksy.file_index.builder import index_parts
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.model.casts import REFUSED, cast, is_cast
from paimon_ksy.types.parse import type_from_json
from tests.support.arrow_values import internal
from tests.support.strategies import arrow_column
from tools import jvm
from tools.conformance import cases, files, tables
from tools.conformance.__main__ import main
from tools.conformance.runners.protocol import rows_as_json


@pytest.mark.java
@pytest.mark.library
def test_random_tables_give_the_same_bytes_and_answers_as_the_library() -> None:
    outcome, _ = files.run(seed=1, numbers=range(2 * len(cases.TYPES)))
    assert outcome.differences == []
    assert set(cases.TYPES) <= set(outcome.identical)
    assert outcome.explained[files.REORDERED] < outcome.identical.total() / 2
    assert outcome.equal.total() > 500
    assert "null-rows" in outcome.explained


@pytest.mark.java
@pytest.mark.library
def test_the_library_answers_from_bitmaps_in_our_order() -> None:
    column = cases.Column("a", "INT", [number << 22 for number in range(70)])
    leaves = cases.leaves_of(random.Random(1), column)
    options = {"file-index.bitmap.columns": "a", "file-index.bitmap.a.version": "1"}
    case = cases.Case(0, [column], options, leaves, "plain")
    outcome = files.Outcome()
    with jvm.session("Kit") as java:
        files.compare(case, java, outcome)
    assert (outcome.explained[files.REORDERED], outcome.differences) == (1, [])
    assert outcome.equal["INT"] > len(leaves)


@pytest.mark.java
@pytest.mark.library
def test_conformance_sees_other_bytes_and_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    build, evaluate = pk.build_file_index, pk.FileIndex.evaluate

    def other_bytes(table: pa.Table, schema: pk.Schema, options: Mapping[str, str]) -> bytes:
        return build(table, schema, options)[:-1] + b"\xff"

    def other_answer(index: pk.FileIndex, predicate: pk.Predicate, **_: Any) -> pk.Selection:
        return evaluate(index, ~predicate)

    monkeypatch.setattr(pk, "build_file_index", other_bytes)
    outcome, failed = files.run(seed=1, numbers=range(3, 4))
    assert [case.number for case in failed] == [3]
    assert "bytes:" in outcome.differences[0]

    monkeypatch.setattr(pk, "build_file_index", build)
    monkeypatch.setattr(pk.FileIndex, "evaluate", other_answer)
    outcome, _ = files.run(seed=1, numbers=range(3, 4))
    assert any("loses rows" in difference for difference in outcome.differences)


@pytest.mark.java
@pytest.mark.library
def test_the_library_reads_tables_with_our_indexes(tmp_path: Path) -> None:
    outcome = tables.run(3, range(3), golden=False, folder=tmp_path / "tables")
    assert outcome.differences == []
    assert outcome.answers["same rows"] > 30
    assert outcome.answers["files beside"] and outcome.answers["files embedded"]
    assert outcome.answers["indexes kept"]


@pytest.mark.java
@pytest.mark.library
def test_the_library_reads_golden_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A share: `make conformance` has all golden tables, and those that take turns."""
    monkeypatch.setattr(tables, "golden_table_names", lambda: ["append_dv32"])
    monkeypatch.setattr(tables, "TURNS", {})
    outcome = tables.run(1, (), golden=True, folder=tmp_path / "tables")
    assert outcome.differences == []
    assert outcome.tables["golden"] == 1
    assert outcome.answers["deletes from golden tables"] == 8


@pytest.mark.java
@pytest.mark.library
@pytest.mark.parametrize("kind", tables.TURNS)
def test_the_library_goes_on_writing_after_our_commits(
    kind: str, java_tables: jvm.Session, tmp_path: Path
) -> None:
    outcome = tables.Outcome()
    made = tables.Comparison(kind, str(tmp_path / "t"), java_tables, outcome)
    tables.in_turns(made, 1, kind)
    assert outcome.differences == []
    assert outcome.tables["in turns"] == 1


split = str.split
INTEGERS = [0, 1, -1, 5, -5, 99, -99, 127, -128, 300, -300, 40_000, -40_000, 2**31 - 1, -(2**31)]
LONGS = [*INTEGERS, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
MICROS = [0, 1, -1, 99, -99, -999, -1_000, -316_317, 316_317, -999_000, -999_999, -1_000_000]
MICROS += [-1_000_001, -1_500_000, -86_400_000_000, -86_400_000_001, -14_831_769_599_876_544]
MICROS += [1_700_000_000_123_456, -1_700_000_000_123_456, -1_999_001, 5_000, 99_000]
REALS = [0.0, -0.0, 0.5, -0.5, -1.5, 1.25, -1.25, -999.95, 1e10, -1e10, 1e30, -1e30, -1e-5]
SIGNS = ["", "+", "-", ".", "-.", "+.", "-.5", "+1", "1.", "1.9", "-1.9", "1.x", "1..", "--1", "1-"]
SPACED = [
    " 1",
    "1 ",
    "\t1\n",
    "\x001",
    "1\u00a0",
    "\u0661",
    "1_0",
    "0x10",
    "1e3",
    "1E-3",
    "1e",
    "00",
]
DIGITS = [f"{sign}{number + more}" for number in (127, 32_767, 2**31 - 1, 2**63 - 1)
          for sign in ("", "-") for more in (0, 1, 2)]  # fmt: skip
WHOLE = [*SIGNS, *SPACED, *DIGITS, "0" * 5000 + "7", "9" * 5000, "000128", "-000129"]
FRACTIONS = [
    *split("NaN nan +NaN -NaN Infinity -Infinity inf 1f 1D 1e5d 1L 1e400 -1e400 1e-400 4.9e-324"),
    *split("2.4e-324 3.4028236e38 1e38 1e-46 3.4028235677973366e38 3.4028235677973365e38"),
    *split("1.17549435e-38 7e-46 .5e1 1.00000005960464477539062500001"),
    *("1.000000059604644775390625", "0." + "9" * 400),
]
FLAGS = [*split("t T true TrUe y yes 1 f false n NO 0 on 2"), "", " t"]
DAYS = [
    *split(
        "2024-02-29 2023-02-29 2024-2-9 2024-04-31 2024-12-31 0000-01-01 9999-12-31 10000-01-01"
    ),
    *split("2024 2024-05 -5 19000 2024-05-06T00:00:00 2024-05-06-07 2024-00-01 2024-01-00 - a"),
    *(" 2024", "2024-05-06 x", " 2024-05-06", "2024 -5- 6", ""),
]
CLOCKS = [
    *split(
        "1:2:3 01:02:03.4567 01:02:03.9995 23:59:59.999 12 12:30 1:2:3. 1:2:3.x5 12:30:00+01:30"
    ),
    *split("12:30:00-01:30 12:30:00-02 12:30+01:00 12+1 1:2:3:4 a:b 86399999 5 : 1:2:3.4+1"),
    *("12:30:00+", "12:99:00", "", " 1: 2 :3 "),
]
MOMENTS = [
    *("2024-02-29 12:34:56.123456789", "2024-2-9 1:2:3", "2024-02-30", "2024-04-31 00:00:00"),
    *("2024-01-01 24:00:00", "2024-12-31 24:00:00.0", "2024-01-01 24:00:01", "2024-01-01 12:60:00"),
    *("2024-01-01T00:00:00", "2024-01-01 ", "2024-01-01 12:34", "2024-01-01 12:34:56.", ""),
    *("2024-01-01 12:34:56.1234567890", "1969-12-31 23:59:59.999999", "9999-12-31 23:59:59"),
    *split("2024-01-32 2024-13-01 0001-01-01 2024 0000-01-01 -1 1700000000 -1500001 1583-01-01"),
    *("20240101", "+2024-01-01", "2024-00-01", "2024-01-00", " 2024-01-01"),
]
STAMPS = ["TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)"]
EXTREMES = [
    *(" 12 ", "12 ", "\t12", "", " ", "True ", "9" * 40, "\x00", "\u00a012"),
    *split(
        "+5 -0 1e2 1E2 0x1 TRUE yes on \u0661\u0662 \uff11 2147483648 -2147483649 12.7 -.9 . 12."
    ),
    *split("NaN -Infinity 1_000 1,5 12d null \U0001f600 T\u0130"),
]
"""Texts that each type reads its own way: spaces, signs, digits of other scripts, overflow."""
_LTZ = "WITH LOCAL TIME ZONE"
CASTS: list[tuple[str, list[str], list[Any]]] = [
    ("STRING", ["TINYINT", "SMALLINT", "INT", "BIGINT"], [*WHOLE, *FRACTIONS]),
    ("STRING", ["FLOAT", "DOUBLE"], [*SIGNS, *SPACED, *FRACTIONS]),
    ("STRING", ["DECIMAL(10, 2)", "DECIMAL(38, 10)"], [*SIGNS, *SPACED, *FRACTIONS]),
    ("STRING", ["BOOLEAN", "BYTES", "BINARY(3)", "VARBINARY(2)"], [*FLAGS, "äöü", "abcdef", "😀"]),
    ("STRING", ["DATE"], [*DAYS, *MOMENTS, *SIGNS]),
    ("STRING", ["BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE"], EXTREMES),
    ("STRING", ["DECIMAL(10, 2)", "CHAR(3)", "VARCHAR(2)", "BINARY(3)", "VARBINARY(2)"], EXTREMES),
    ("STRING", ["BYTES", "DATE", "TIME(3)", *STAMPS, f"TIMESTAMP(3) {_LTZ}"], EXTREMES),
    ("STRING", ["TIME(3)", "TIME(0)"], [*CLOCKS, *SIGNS]),
    ("STRING", [*STAMPS, "TIMESTAMP(1)", *(f"{stamp} {_LTZ}" for stamp in STAMPS)], MOMENTS),
    ("VARBINARY(9)", ["STRING", "VARCHAR(2)", "CHAR(9)", "BINARY(2)"], ["", "616263", "c3a4c3b6"]),
    ("TIMESTAMP(6)", ["INT", "BIGINT"], MICROS),
    (f"TIMESTAMP(6) {_LTZ}", ["INT", "BIGINT", "TIME(3)"], MICROS),
    ("TIMESTAMP(6)", ["TIME(3)"], [micros for micros in MICROS if micros >= 0]),
    ("TIMESTAMP(0)", ["INT", "BIGINT"], [2**31 * 1000, -(2**31 + 1) * 1000, 253_402_300_799_000]),
    ("INT", [*STAMPS, f"TIMESTAMP(3) {_LTZ}"], INTEGERS),
    ("BIGINT", ["TIMESTAMP(0)", "TIMESTAMP(3)"], [*INTEGERS, 253_402_300_799, -62_135_596_800]),
    ("TIME(3)", ["TIMESTAMP(3)", "TIMESTAMP(6)", f"TIMESTAMP(3) {_LTZ}"], [0, 1, 86_399_999]),
    ("INT", ["TINYINT", "SMALLINT", "BIGINT", "FLOAT", "DOUBLE", "BOOLEAN", "STRING"], INTEGERS),
    ("INT", ["DECIMAL(4, 1)", "DECIMAL(12, 2)"], INTEGERS),
    ("BIGINT", ["TINYINT", "INT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "STRING"], LONGS),
    ("BIGINT", ["DECIMAL(38, 5)"], LONGS[:15]),
    ("DOUBLE", ["TINYINT", "INT", "BIGINT", "FLOAT", "DECIMAL(4, 1)", "STRING"], REALS),
    ("TIMESTAMP(6)", [f"TIMESTAMP({n})" for n in range(7)], MICROS),
    ("TIMESTAMP(6)", ["DATE", "STRING", f"TIMESTAMP(1) {_LTZ}"], MICROS),
    ("TIMESTAMP(3)", [f"TIMESTAMP({n})" for n in range(3)], [n // 1000 for n in MICROS]),
    ("DATE", ["TIMESTAMP(0)", "TIMESTAMP(6)", "STRING"], [0, -1, -719_162, 2_932_896, -141_428]),
]


@pytest.fixture(scope="module")
def casting() -> Iterator[jvm.Session]:
    """One program for all casts."""
    with jvm.session("Conformance") as java:
        yield java


@pytest.mark.java
@pytest.mark.library
@pytest.mark.parametrize(
    ("before", "after", "values"),
    [(before, after, values) for before, afters, values in CASTS for after in afters],
)
def test_casts_of_the_library(
    casting: jvm.Session, before: str, after: str, values: list[Any]
) -> None:
    """Values, many of them negative, are read in a changed type as the library reads them."""
    source, target = pk.parse_type(before), pk.parse_type(after)
    asked = {"op": "cast", "from": before, "to": after}
    theirs = casting.ask({**asked, "values": [_in_json(value) for value in values]})["values"]
    for value, wanted in zip(values, theirs, strict=True):
        if source.is_timestamp:
            value *= 1000 if (source.precision or 0) > 3 else 10**6
        elif source.root == "VARBINARY":
            value = bytes.fromhex(value)
        try:
            [found] = internal(cast(arrow_column(source, [value]), source, target), target)
        except (pa.ArrowException, ValueError):
            found = None
        assert (found is None) == (wanted is None), value
        if wanted is not None and target.root in ("FLOAT", "DOUBLE"):
            narrow = np.float32 if target.root == "FLOAT" else float
            assert repr(narrow(found)) == repr(narrow(wanted.replace("Infinity", "inf"))), value
        elif found is not None:
            found = found.hex() if isinstance(found, bytes) else found
            if isinstance(found, time):
                found = (datetime.combine(date.min, found) - datetime.min) // timedelta(
                    milliseconds=1
                )
            text = f"{found:f}" if isinstance(found, Decimal) else str(found)
            assert text.lower() == wanted.lower(), value


KINDS = [
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)"),
    *("CHAR(5)", "VARCHAR(5)", "STRING", "BINARY(5)", "VARBINARY(5)", "BYTES", "DATE", "TIME(3)"),
    *("TIMESTAMP(3)", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
    '{"type": "ARRAY", "element": "INT"}',
    '{"type": "MAP", "key": "STRING", "value": "INT"}',
    '{"type": "ROW", "fields": [{"id": 0, "name": "a", "type": "INT"}]}',
]


@pytest.mark.java
@pytest.mark.library
def test_each_cast_of_the_library_is_honoured_or_refused_by_name(casting: jvm.Session) -> None:
    kinds = {
        text: type_from_json(json.loads(text) if text.startswith("{") else text) for text in KINDS
    }
    asked = casting.ask({"op": "casts", "types": KINDS})["pairs"]
    theirs = {tuple(pair) for pair in asked}
    for (before, source), (after, target) in product(kinds.items(), repeat=2):
        honours = is_cast(source, target)
        refuses = any(source.root in some and target.root in others for some, others in REFUSED)
        if (before, after) in theirs:
            assert honours != refuses, (before, after)
        else:  # the library casts times to STRING alone
            to_text = target.root in ("CHAR", "VARCHAR") and after != "STRING"
            assert honours == (to_text and source.root.startswith(("DATE", "TIME"))), (
                before,
                after,
            )


def _in_json(value: Any) -> Any:
    return "-0.0" if repr(value) == "-0.0" else value


@pytest.mark.java
@pytest.mark.library
def test_an_evolved_table_is_read_as_by_the_library(
    java_tables: jvm.Session, tmp_path: Path
) -> None:
    path = str(tmp_path / "t")
    changes = {"a": ("STRING", "INT"), "b": ("STRING", "BOOLEAN"), "c": ("STRING", "BYTES")}
    changes |= {"d": ("TIMESTAMP(6)", "BIGINT"), "e": ("STRING", "DATE")}
    columns = [{"name": name, "type": before} for name, (before, _) in changes.items()]
    options = {"bucket": "-1"}
    java_tables.ask(
        {"op": "create", "path": path, "columns": columns, "keys": [], "options": options}
    )
    rows = [["-7.9", "Yes", "ä", -1_500_000, "2024-02-29"], ["+12", "F", "", 1_500_000, "5"]]
    java_tables.ask({"op": "write", "rows": [*rows, [None] * 5], "compact": False})
    altered = [["type", name, after] for name, (_, after) in changes.items()]
    java_tables.ask({"op": "alter", "changes": altered})
    theirs = java_tables.ask({"op": "read", "predicate": None})["rows"]
    found = pk.query(path, engine=local_engine(1))
    assert found["c"].to_pylist() == ["ä".encode(), b"", None]
    days = found["e"].combine_chunks().view(pa.int32()).to_pylist()
    ours = zip(*(found[name].to_pylist() for name in "abd"), days, strict=True)
    assert [*map(list, ours)] == [[a, b, d, e] for a, b, _, d, e in theirs]
    assert theirs[0][:2] == [-7, True]


@pytest.mark.java
@pytest.mark.library
def test_an_audit_finds_nothing_where_the_library_compacts(
    java_tables: jvm.Session, tmp_path: Path
) -> None:
    """A full compaction leaves the vectors of files that it replaces, or that become empty."""
    columns = [("k", "INT NOT NULL"), ("kind", "STRING")]
    options = {"bucket": "1", "deletion-vectors.enabled": "true", "rowkind.field": "kind"}
    path = str(tmp_path / "t")
    made = {"columns": [{"name": name, "type": kind} for name, kind in columns]}
    java_tables.ask({"op": "create", "path": path, **made, "keys": ["k"], "options": options})
    for kind, keys in (("+I", range(20)), ("-D", range(5)), ("-D", range(5, 20))):
        rows = [[key, kind] for key in keys]
        java_tables.ask({"op": "write", "rows": rows, "compact": True})
        assert list(audit(path, engine=local_engine(1))) == []


@pytest.mark.java
@pytest.mark.library
def test_the_comparison_of_tables_sees_other_indexes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_other_rows(data: pa.Table, *arguments: Any, **options: Any) -> Any:
        mirrored = data.take(pa.array(range(len(data) - 1, -1, -1), pa.int64()))
        return index_parts(mirrored, *arguments, **options)

    monkeypatch.setattr("paimon_ksy.table.index.build.index_parts", of_other_rows)
    outcome = tables.run(5, range(1), golden=False, folder=tmp_path / "tables")
    assert any("library" in difference for difference in outcome.differences)
    assert any("ours" in difference for difference in outcome.differences)


@pytest.mark.java
@pytest.mark.library
@pytest.mark.parametrize("name", ["orders", "worked"])
def test_the_indexes_of_examples_are_what_the_library_builds(name: str) -> None:
    folder = jvm.ROOT / "examples" / name
    table = json.loads((folder / "orders.schema.json").read_text(encoding="utf-8"))
    asked = {"op": "build_file_index", "columns": table["fields"], "options": table["options"]}
    asked["rows"] = rows_as_json(pq.read_table(folder / "orders.parquet"), table["fields"])
    with jvm.session("Kit") as java:
        made = base64.b64decode(java.ask(asked)["bytes"])
    assert made == (folder / "orders.parquet.index").read_bytes()


def test_missing_java_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["conformance"])
    assert main() == 1
    assert capsys.readouterr().err == (
        "Java was not found: install a JDK 17 or newer and put it on PATH or in JAVA_HOME\n"
    )


def test_a_jar_with_another_checksum_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jar = tmp_path / "some.jar"
    jar.write_bytes(b"something else")
    monkeypatch.setattr(jvm, "CACHE", tmp_path)
    monkeypatch.setattr(
        MavenContext,
        "create_dependency",
        lambda *_: SimpleNamespace(artifact=SimpleNamespace(resolve=lambda: jar)),
    )
    with pytest.raises(jvm.MissingToolError, match="checksum"):
        jvm.fetch_jars()
    assert list((tmp_path / "jars").iterdir()) == []


def test_a_missing_network_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_network(*_: object) -> None:
        raise ConnectionError("name resolution failed\nlong story")

    monkeypatch.setattr(jvm, "CACHE", tmp_path)
    monkeypatch.setattr(MavenContext, "create_dependency", no_network)
    with pytest.raises(jvm.MissingToolError, match="connect to the network") as raised:
        jvm.fetch_jars()
    assert "\n" not in str(raised.value)
