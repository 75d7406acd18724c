"""Rows of data files that do not stand alone are merged as Java does, or refused."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from pypaimon.manifest.manifest_file_manager import ManifestFileManager

from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.query.splits import Section
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.errors import REMEDY_UNSUPPORTED
from tests.support.golden_tables import golden_table, odd_table
from tools import jvm
from tools.tables import make_table


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_columns_that_a_file_does_not_have(kind: str, tmp_path: Path) -> None:
    """Of Avro, pypaimon itself reads no row where it reads no column."""
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
    late = pa.array([253_402_300_799_000_000] * 3).cast(pa.timestamp("us"))
    data = pa.table({"p": [1, 1, 2], "id": [1, 2, 3], "at": late})
    path = make_table(tmp_path, "t", [data], {"file.format": kind, **options}, partition_keys=["p"])
    document: dict[str, Any] = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"].append({"id": 3, "name": "new", "type": "INT"})
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    engine = local_engine(1)
    assert count(path).count == 3
    assert count(path, "new IS NULL AND p = 1", engine=engine).count == 2
    assert query(path, None, ["p"], engine=engine)["p"].to_pylist() == [1, 1, 2]
    assert query(path, None, ["new"], engine=engine).to_pylist() == [{"new": None}] * 3
    assert query(path, None, ["at"], engine=engine)["at"].combine_chunks().equals(late)


@pytest.mark.parametrize("state", [{"snapshot_id": 2}, {"tag": "then"}], ids=["snapshot", "tag"])
def test_an_earlier_state_is_merged_in_its_schema(state: dict[str, Any], tmp_path: Path) -> None:
    data = [pa.table({"id": [1, 2], "a": [n, 7]}) for n in (1, 2)]
    path = make_table(tmp_path, "t", data, {"bucket": "1"}, primary_keys=["id"])
    Table.at(path).pypaimon.create_tag("then", snapshot_id=2)
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][1]["name"] = "b"
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    engine = local_engine(1)
    assert query(path, engine=engine).to_pylist() == [{"id": 1, "b": 2}, {"id": 2, "b": 7}]
    then = query(path, engine=engine, **state)
    assert then.to_pylist() == [{"id": 1, "a": 2}, {"id": 2, "a": 7}]


def test_an_option_with_which_rows_are_not_merged_is_named(tmp_path: Path) -> None:
    data = [pa.table({"id": [1, 2], "g": [1, 1], "a": [n, n]}) for n in (1, 2)]
    options = {"bucket": "1", "merge-engine": "partial-update"}
    path = make_table(tmp_path, "t", data, options, primary_keys=["id"])
    schema = Path(path, "schema", "schema-0")
    document = json.loads(schema.read_text())
    document["options"]["fields.g.sequence-group"] = "a"
    schema.write_text(json.dumps(document))
    with pytest.raises(UnsupportedError, match=r"fields\.g\.sequence-group$") as raised:
        query(path, engine=local_engine(1))
    assert raised.value.remedy == REMEDY_UNSUPPORTED


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
@pytest.mark.parametrize(
    "kind", [pa.date32(), pa.timestamp("ms"), pa.timestamp("us", "UTC")], ids=str
)
def test_years_that_python_lacks(kind: pa.DataType, file_format: str, tmp_path: Path) -> None:
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("at", kind)])
    per_day = 1 if kind == pa.date32() else 86_400 * (10**3 if kind.unit == "ms" else 10**6)
    days = [-719_162, -719_163, 2_932_896, 2_932_897, None]
    numbers = [None if day is None else day * per_day for day in days]
    whole = pa.int32() if kind == pa.date32() else pa.int64()
    rows = [[*range(5)], pa.array(numbers, whole).cast(kind)]
    old = pa.table([[*range(5)], pa.nulls(5, kind)], schema=keyed)
    options = {"bucket": "1", "file.format": file_format, "metadata.stats-mode": "none"}
    path = make_table(tmp_path, "t", [old, old], options, primary_keys=["id"])
    newest = max(
        Table.at(path).data_files.of(Table.at(path).snapshot()),
        key=lambda file: file.max_sequence_number,
    )
    put(newest.path, rows[1])
    found = query(path, engine=local_engine(1))["at"]
    assert found.cast(whole).to_pylist() == numbers
    late = "at > DATE '9999-12-30'" if kind == pa.date32() else "at > TIMESTAMP '9999-12-30'"
    assert count(path, late, engine=local_engine(1)).count == 2


def put(path: str, column: pa.Array) -> None:
    """Write a data file again with other values of its last column."""
    with open_data_file(path) as file:
        rows = pa.Table.from_batches(file.batches(file.schema.names))
    changed = rows.set_column(rows.num_columns - 1, "at", column)
    if path.endswith(".parquet"):
        pq.write_table(changed, path)
    elif path.endswith(".orc"):
        pyarrow.orc.write_table(changed, path)
    else:
        with Path(path).open("rb") as file:
            reader = fastavro.reader(file)
            schema: Any = reader.writer_schema
            records: list[Any] = list(reader)
        width = pa.int32() if column.type == pa.date32() else pa.int64()
        for record, number in zip(records, column.cast(width).to_pylist(), strict=True):
            record["at"] = number
        with Path(path).open("wb") as out:
            fastavro.writer(out, schema, records)


def test_files_of_older_schemas_are_cast_as_paimon_casts(tmp_path: Path) -> None:
    data = [pa.table({"id": [1, 2], "a": [12345, n], "b": [n, n]}) for n in (1, 2)]
    path = make_table(tmp_path, "t", data, {"bucket": "1"}, primary_keys=["id"])
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][1]["type"] = "VARCHAR(3)"
    document["fields"][2]["type"] = "DOUBLE"
    document["options"]["sequence.field"] = "a"  # by which the others are merged, too
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    engine = local_engine(1)
    rows = [{"id": 1, "a": "123", "b": 2.0}, {"id": 2, "a": "2", "b": 2.0}]
    assert query(path, engine=engine).to_pylist() == rows
    assert count(path, "a = '123'", engine=engine).count == 1
    assert query(path, engine=engine, snapshot_id=2)["a"].to_pylist() == [12345, 2]


def test_bytes_that_are_not_text_are_merged_as_they_are(tmp_path: Path) -> None:
    data = [pa.table({"id": [1, 2], "at": ["x", "y"]})] * 2
    options = {"bucket": "1", "metadata.stats-mode": "none"}
    path = make_table(tmp_path, "t", data, options, primary_keys=["id"])
    for file in Table.at(path).data_files.of(Table.at(path).snapshot()):
        put(file.path, pa.array([b"x", b"\xff"]).view(pa.string()))
    found = query(path, engine=local_engine(1))["at"].combine_chunks()
    assert found.view(pa.binary()).to_pylist() == [b"x", b"\xff"]


def test_sums_that_include_others_are_not_added_again(tmp_path: Path) -> None:
    """Of the key 3 the library has 1, then 11 on a lower level, where it reads 11."""
    path = odd_table("sums", tmp_path)
    table = Table.at(path)
    assert sorted(file.level for file in table.data_files.of(table.snapshot())) == [4, 5]
    for ask in (query, count):
        with pytest.raises(UnsupportedError, match="some values are aggregated already") as told:
            ask(path, "id = 3", engine=local_engine(1))
        assert told.value.remedy == "query it with Java, or have Java compact the table fully"
    schema = Path(path, "schema", "schema-0")
    written = schema.read_text()
    for before, after, found in (('"lookup"', '"none"', 12), ('"sum"', '"max"', 11)):
        schema.write_text(written.replace(before, after))
        assert query(path, "id = 3", engine=local_engine(1))["a"].to_pylist() == [found]


def test_merging_reads_nothing_with_pypaimon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = [pa.table({"id": [1, 2], "p": [p, p], "a": [n, 7]}) for p in (1, 2) for n in (1, 2)]
    path = make_table(
        tmp_path, "t", data, {"bucket": "1"}, partition_keys=["p"], primary_keys=["id", "p"]
    )

    def read(*_: Any, **__: Any) -> Any:
        raise AssertionError("pypaimon reads a manifest")

    monkeypatch.setattr(ManifestFileManager, "read", read)
    monkeypatch.setattr(ManifestFileManager, "read_entries_parallel", read)
    found = query(path, "p = 2", engine=local_engine(1)).to_pylist()
    assert found == [{"id": 1, "p": 2, "a": 2}, {"id": 2, "p": 2, "a": 7}]
    assert count(path, engine=local_engine(1)).count == 4


def test_partitions_that_are_equal_in_sql_are_not_merged(tmp_path: Path) -> None:
    fields = [pa.field("id", pa.int64(), False), pa.field("p", pa.float64(), False), ("a", "int64")]
    data = [
        pa.table([[1], [zero], [value]], schema=pa.schema(fields))
        for zero, value in ((0.0, 1), (-0.0, 10), (0.0, 2), (-0.0, 20))
    ]
    path = make_table(
        tmp_path, "t", data, {"bucket": "1"}, partition_keys=["p"], primary_keys=["id", "p"]
    )
    found = query(path, engine=local_engine(1)).sort_by("a").to_pylist()
    assert str(found) == str([{"id": 1, "p": 0.0, "a": 2}, {"id": 1, "p": -0.0, "a": 20}])


@pytest.mark.parametrize("name", ["pk_dv32", "pk_dv64"])
def test_vectors_count_only_where_they_are_enabled(name: str, tmp_path: Path) -> None:
    """As in Java: whoever disables them has the rows back."""
    table = Table.at(golden_table(name, tmp_path))
    file = next(
        file for file in table.data_files.of(table.snapshot()) if file.deletion_vector is not None
    )
    deleted = file.deletion_vector.cardinality if file.deletion_vector else 0
    for enabled, gone in ((True, deleted), (False, 0)):
        own = table.with_options({"deletion-vectors.enabled": str(enabled).lower()})
        task = MergeTask(
            own.schema, (), None, None, None, own.storage, Section((file,)), (own.schema,), ()
        )
        live = sum(batch.num_rows for batch in task.live(file, own.schema.columns.names[:1]))
        assert live == file.num_rows - (gone or 0)


# Merge engines: as in the library, or refused.

ENGINE = local_engine(1)


def merged_table(folder: Path, data: Sequence[pa.Table], options: dict[str, str]) -> str:
    """A table of this data as it is: pypaimon aggregates already what it writes."""
    path = make_table(folder, "t", data, {"bucket": "1"}, primary_keys=["id"])
    set_options(Path(path), options)
    return path


def set_options(path: Path, options: dict[str, str]) -> None:
    schema = path / "schema" / "schema-0"
    document = json.loads(schema.read_text())
    document["options"].update(options)
    schema.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        (pa.string(), {"aggregate-function": "listagg"}, "aggregate-function = listagg, which"),
        (pa.float32(), {"aggregate-function": "sum"}, "aggregate-function = sum, which"),
        (pa.list_(pa.int64()), {"aggregate-function": "max"}, "aggregate-function = max, which"),
        (
            pa.list_(pa.int64()),
            {"aggregate-function": "collect", "distinct": "true"},
            "aggregate-function = collect, which",
        ),
    ],
    ids=str,
)
def test_a_function_that_is_not_supported_is_refused_by_the_option(
    kind: pa.DataType, options: dict[str, str], why: str, tmp_path: Path
) -> None:
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("c", kind), ("d", pa.int64())])
    data = [pa.table([[1], pa.nulls(1, kind), [7]], schema=keyed)] * 2
    own = {f"fields.c.{name}": value for name, value in options.items()}
    own |= {"merge-engine": "aggregation"}
    path = merged_table(tmp_path, data, own)
    with pytest.raises(
        UnsupportedError, match=rf"column 'c' has option fields\.c\.{why}"
    ) as raised:
        query(path, engine=ENGINE)
    assert raised.value.remedy == REMEDY_UNSUPPORTED
    assert query(path, columns=["id", "d"], engine=ENGINE).to_pylist() == [{"id": 1, "d": 7}]


def test_a_sum_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Java 1.4.2 wraps integers around."""
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("c", pa.int32())])
    data = [pa.table([[1], [value]], schema=keyed) for value in (2**31 - 1, 1)]
    options = {"merge-engine": "aggregation", "fields.c.aggregate-function": "sum"}
    with pytest.raises(UnsupportedError, match="overflow"):
        query(merged_table(tmp_path, data, options), engine=ENGINE)


@pytest.mark.parametrize("value", [math.nan, -0.0])
@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("id", {"sequence.field": "c"}),
        ("c", {"sequence.field": "c"}),
        ("c", {"merge-engine": "aggregation", "fields.c.aggregate-function": "min"}),
    ],
)
def test_rows_that_versions_of_paimon_order_differently_are_refused(
    column: str, options: dict[str, str], value: float, tmp_path: Path
) -> None:
    """By 1.4.2, NaN equals everything, and -0.0 is 0.0; later versions order them."""
    keyed = pa.schema([pa.field("id", pa.float64(), nullable=False), ("c", pa.float64())])
    odd = {"id": 1.0, "c": 2.0, column: value}
    data = [pa.Table.from_pylist([odd, {"id": 3.0, "c": n}], keyed) for n in (1.0, 2.0)]
    path = merged_table(tmp_path, data, options)
    with pytest.raises(UnsupportedError, match=f"column '{column}', which orders rows to merge"):
        query(path, engine=ENGINE)


# The same of the library itself.

SIMPLE: dict[str, list[Any]] = {
    "TINYINT": [0, 1, -1, 5],
    "SMALLINT": [0, 1, -1, 5],
    "INT": [0, 1, -1, 40],
    "BIGINT": [0, 1, -1, 2**20],
    "FLOAT": [0.0, 0.1, 16777216.0, 3e38, "Infinity", "-Infinity"],
    "DOUBLE": [0.0, 0.1, 1e308, "Infinity", "-Infinity"],
    "DECIMAL(9, 2)": ["1.00", "-0.01", "12.35"],
    "DECIMAL(38, 4)": ["1.0000", "-0.0001", "123456789.1234"],
    "STRING": ["", "a", " ", "b,a", "a,", "\uffff", "\U0001f600"],
    "VARBINARY(5)": ["", "00", "ff", "00ff"],
    "DATE": [0, -1, 20000],
    "TIME(3)": [1, 86399999],
    "TIMESTAMP(3)": [0, -1, 1600000000123],
    "TIMESTAMP(6)": [0, -1, 1600000000123456],
    "TIMESTAMP(9)": [0, -1, 1, 1600000000123456789],
    "BOOLEAN": [True, False],
}
MORE = {
    **dict.fromkeys([kind for kind in SIMPLE if kind != "BOOLEAN"], ("max", "min")),
    **dict.fromkeys(list(SIMPLE)[:8], ("max", "min", "sum", "product")),
    "FLOAT": ("max", "min"),
    "BOOLEAN": ("bool_or", "bool_and"),
}
ANY = ("first_value", "last_value", "first_non_null_value", "last_non_null_value")


def written(
    java: jvm.Session,
    path: Path,
    columns: dict[str, str],
    options: dict[str, str],
    commits: Sequence[tuple[list[list[Any]], list[str]]],
) -> tuple[list[Any], list[Any]]:
    """The rows of a table that the library has written, as it reads them and as we do."""
    typed = [{"name": name, "type": kind} for name, kind in columns.items()]
    options = {"bucket": "1", "write-only": "true", **options}
    java.ask(
        {"op": "create", "path": str(path), "columns": typed, "keys": ["k"], "options": options}
    )
    for rows, kinds in commits:
        java.ask({"op": "write", "rows": rows, "kinds": kinds, "compact": False})
    return read(java, path, columns)


def read(java: jvm.Session, path: Path, columns: dict[str, str]) -> tuple[list[Any], list[Any]]:
    """The rows of the table that the library has open, as it reads them and as we do."""
    theirs = java.ask({"op": "read", "predicate": None})["rows"]
    table = query(str(path), engine=ENGINE)
    assert count(str(path), engine=ENGINE).count == table.num_rows
    ours = zip(*(_column(table[name], kind) for name, kind in columns.items()), strict=True)
    return sorted(theirs, key=repr), sorted(map(list, ours), key=repr)


def _column(column: Any, kind: str) -> list[Any]:
    """The values as `tools/java/Values.java` has them."""
    if kind.startswith(("DATE", "TIME")):
        column = column.combine_chunks()
        width = pa.int32() if column.type.bit_width == 32 else pa.int64()
        return list(column.view(width).to_pylist())
    parsed = json.loads(kind) if kind.startswith("{") else kind
    return [_value(value, parsed) for value in column.to_pylist()]


def _value(value: Any, kind: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "ARRAY":
            return [_value(item, kind["element"]) for item in value]
        if kind["type"] == "ROW":
            return [_value(value[part["name"]], part["type"]) for part in kind["fields"]]
        return {key: _value(item, kind["value"]) for key, item in value}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        is_plain = math.isfinite(value) and repr(value) != "-0.0"
        names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
        return value if is_plain else names.get(repr(value), repr(value))
    return str(value) if isinstance(value, Decimal) else value


def _commits(
    rng: random.Random, draw: Callable[[], list[Any]]
) -> list[tuple[list[list[Any]], list[str]]]:
    return [([[key, *draw()] for key in rng.sample(range(60), 40)], []) for _ in range(3)]


@pytest.mark.java
@pytest.mark.parametrize("kind", SIMPLE)
def test_aggregation_is_that_of_the_library(
    kind: str, java_tables: jvm.Session, tmp_path: Path
) -> None:
    rng = random.Random(kind)
    functions = (*MORE[kind], *ANY)
    columns = {"k": "INT NOT NULL", **{f"c{at}": kind for at in range(len(functions))}}
    options = {f"fields.c{at}.aggregate-function": name for at, name in enumerate(functions)}
    options["merge-engine"] = "aggregation"
    values = [*SIMPLE[kind], None]
    commits = _commits(rng, lambda: rng.choices(values, k=len(functions)))
    theirs, ours = written(java_tables, tmp_path / "t", columns, options, commits)
    assert ours == theirs
    assert len(ours) > 40


EXTREMES: dict[str, list[Any]] = {
    "TINYINT": [127, 1, -128],
    "SMALLINT": [32767, 1, -32768],
    "INT": [2**31 - 1, 1, -(2**31)],
    "BIGINT": [2**63 - 1, 1, -(2**63)],
    "DOUBLE": [1.7e308, 1.7e308, -1.7e308],
    "DECIMAL(5, 2)": ["900.00", "300.00", "-300.00"],
    "DECIMAL(18, 0)": ["9" * 18, "9" * 18, "-" + "9" * 18],
    "DECIMAL(19, 0)": ["9" * 19, "9" * 19, "-" + "9" * 19],
    "DECIMAL(38, 2)": ["9" * 36 + ".00", "9" * 36 + ".00", "-1.00"],
}
"""By type, values of three rows whose sum and product overflow before the last row."""

OVERFLOWS_ARE_REFUSED = ("TINYINT", "SMALLINT", "INT", "BIGINT")
"""Types whose sums and products Java wraps around."""


@pytest.mark.java
@pytest.mark.parametrize("function", ["sum", "product"])
@pytest.mark.parametrize("kind", EXTREMES)
def test_intermediate_overflows_are_those_of_the_library(
    kind: str, function: str, java_tables: jvm.Session, tmp_path: Path
) -> None:
    columns = {"k": "INT NOT NULL", "c": kind}
    options = {"merge-engine": "aggregation", "fields.c.aggregate-function": function}
    commits: list[tuple[list[list[Any]], list[str]]] = [
        ([[1, value]], []) for value in EXTREMES[kind]
    ]
    if kind in OVERFLOWS_ARE_REFUSED:
        with pytest.raises(UnsupportedError, match="overflow"):
            written(java_tables, tmp_path / "t", columns, options, commits)
    else:
        theirs, ours = written(java_tables, tmp_path / "t", columns, options, commits)
        assert ours == theirs


@pytest.mark.java
def test_sums_may_have_more_digits_than_their_decimal(
    java_tables: jvm.Session, tmp_path: Path
) -> None:
    """The library returns a sum of up to 19 digits, and drops a longer one."""
    columns = {"k": "INT NOT NULL", "c": "DECIMAL(18, 1)"}
    options = {"merge-engine": "aggregation", "fields.default-aggregate-function": "sum"}
    nines = "9" * 17 + ".9"
    commits: list[tuple[list[list[Any]], list[str]]] = [([[1, nines]], [])] * 9
    theirs, ours = written(java_tables, tmp_path / "t", columns, options, commits)
    assert ours == theirs == [[1, "8" + "9" * 17 + ".1"]]
    java_tables.ask({"op": "write", "rows": [[1, nines]], "kinds": [], "compact": False})
    assert java_tables.ask({"op": "read", "predicate": None})["rows"] == [[1, None]]
    with pytest.raises(UnsupportedError, match="DECIMAL overflow: the sum of column 'c'"):
        query(str(tmp_path / "t"), engine=ENGINE)


DESCENDING = {"sequence.field": "b,a", "sequence.field.sort-order": "descending"}
WITH_SEQUENCE: tuple[dict[str, str], ...] = (
    {},
    {"ignore-delete": "true"},
    {"sequence.field": "a"},
    DESCENDING,
)
ENGINES = [
    *(("deduplicate", options) for options in WITH_SEQUENCE),
    *(("partial-update", options) for options in WITH_SEQUENCE),
    *(("aggregation", options) for options in WITH_SEQUENCE),
    *(("first-row", options) for options in WITH_SEQUENCE[:2]),
]


@pytest.mark.java
@pytest.mark.parametrize(("engine", "options"), ENGINES, ids=str)
def test_rows_and_deletions_are_merged_as_by_the_library(
    engine: str, options: dict[str, str], java_tables: jvm.Session, tmp_path: Path
) -> None:
    """Files of `ignore-delete` may have deletions: 0.7 wrote them, and the option may be new."""
    rng = random.Random(repr(options))
    columns = {"k": "INT NOT NULL", "a": "INT", "b": "DOUBLE", "c": "STRING"}
    pools = [SIMPLE["INT"], [0.5, 1.0, 2.0, "Infinity"], SIMPLE["STRING"]]
    commits = []
    for rows, _ in _commits(rng, lambda: [rng.choice([*pool, None]) for pool in pools]):
        kinds = [rng.choice(["+I", "+I", "-D"]) for _ in rows]
        commits.append((rows, kinds if engine == "deduplicate" else []))
    options = {**options, "merge-engine": engine}
    refuses = engine == "partial-update" and "ignore-delete" in options
    late: dict[str, str] = {}
    if engine == "deduplicate" and "ignore-delete" in options:
        late["ignore-delete"] = options.pop("ignore-delete")
    path = tmp_path / "t"
    if refuses:
        with pytest.raises(
            UnsupportedError, match="partial-update is not supported with option ignore-delete"
        ):
            written(java_tables, path, columns, options, commits)
        return
    theirs, ours = written(java_tables, path, columns, options, commits)
    assert ours == theirs
    if late:
        set_options(path, late)
        java_tables.ask({"op": "open", "path": str(path)})
        theirs, kept = read(java_tables, path, columns)
        assert kept == theirs
        assert len(kept) > len(ours)
