"""What options of tables mean: each is known, and what is not honoured is refused by name."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pypaimon.common.options.core_options as pypaimon_options
import pytest
from pypaimon import CatalogFactory
from pypaimon.common.options.config_option import ConfigOption

from paimon_ksy import (
    Table,
    advise,
    audit,
    clean_orphans,
    col,
    count,
    delete,
    explain,
    inspect_table,
    plan,
    query,
    repair,
    rewrite_index,
    scan_polars,
)
from paimon_ksy.cli.app import run
from paimon_ksy.errors import CorruptFileError, OptionError, PaimonKsyError, UnsupportedError
from paimon_ksy.spark.data_source import PaimonDataSource
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store.alter import set_options
from paimon_ksy.table.store.options import (
    Use,
    check_options,
    is_on,
    known_option,
    known_options,
)
from tests.support.golden_tables import ordered
from tests.support.query_tables import brute, found_rows
from tests.support.rest_catalog import RestCatalog
from tools import jvm
from tools.tables import make_table

LOCAL = local_engine(1)
USES: tuple[Use, ...] = ("open", "query", "latest", "commit", "delete")


def test_every_option_of_pypaimon_is_known() -> None:
    every = vars(pypaimon_options.CoreOptions).values()
    options = [option.key() for option in every if isinstance(option, ConfigOption)]
    assert len(options) > 120
    assert [name for name in options if known_option(name) is None] == []


@pytest.mark.library
def test_every_option_of_the_library_is_known(java_tables: jvm.Session) -> None:
    options = java_tables.ask({"op": "options"})
    assert len(options) > 290
    assert [name for name in options if known_option(name) is None] == []


def test_each_option_has_an_effect_and_a_reason() -> None:
    for name, known in known_options().items():
        refused = set(known.effect.split()) <= set(USES)
        assert known.effect in ("honoured", "no effect") or refused, name
        assert known.reason and refused == (": " in known.reason), name
        assert refused or known.values == ("",), name


REFUSED = [known for known in known_options().values() if set(known.effect.split()) <= set(USES)]


@pytest.mark.parametrize("known", REFUSED, ids=lambda known: known.name)
def test_what_is_refused_is_named_with_a_remedy(known: Any) -> None:
    name = known.name.replace("*", "x")
    for use in USES:
        for value in ("", *known.values):
            check_options({name: value, f"{name}.mine": "1"}, use, "/t")
            check_options({name: f" {value.upper()}"}, use, "/t")
        if use in known.effect.split():
            with pytest.raises(UnsupportedError) as raised:
                check_options({"bucket": "1", name: "odd"}, use, "/t")
            assert f"/t: has option {name} = odd, so " in str(raised.value)
            assert raised.value.remedy
        else:
            check_options({name: "odd"}, use, "/t")


def test_booleans() -> None:
    assert is_on({"a": " TRUE "}, "a") and is_on({}, "a", default=True) and not is_on({}, "a")
    with pytest.raises(OptionError, match="'yes' is not a BOOLEAN"):
        is_on({"a": "yes"}, "a")


# Rows that a catalog hides -----------------------------------------------------------------------

FILTER = {
    "kind": "LEAF",
    "transform": {"name": "FIELD_REF", "fieldRef": {"index": 0, "name": "id", "type": "INT"}},
    "function": "LESS_THAN",
    "literals": [3],
}
SECRET = "secret-of-3"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestCatalog]:
    """A catalog that hides one of three rows, and a column of the others."""
    data = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "s": ["secret-of-1", "b", SECRET]})
    options = {"query-auth.enabled": "true", "metadata.stats-mode": "full", "bucket": "-1"}
    make_table(tmp_path, "t", [data], options)
    with RestCatalog(tmp_path) as made:
        made.auth = {"filter": [json.dumps(FILTER)], "columnMasking": {"s": '{"name": "NULL"}'}}
        yield made


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "query": query,
    "count": count,
    "plan": plan,
    "explain": lambda table: explain(table, "id = 1"),
    "polars": scan_polars,
    "delete": lambda table: delete(table, "id = 1"),
    "rewrite": rewrite_index,
    "audit": lambda table: list(audit(table)),
    "repair": repair,
    "advise": advise,
    "inspect": inspect_table,
    "orphans": clean_orphans,
    "table": Table.at,
    "data source": lambda table: PaimonDataSource({"path": table}).schema(),
}
COMMANDS = [
    *(["table", name] for name in ("inspect", "explain", "query", "count", "advise", "audit")),
    *(["table", name] for name in ("rewrite-index", "clean-orphans")),
    ["table", "delete", "--where", "true"],
    ["table", "audit", "--repair"],
    ["report"],
]
HIDES = "has option query-auth.enabled = true, so the catalog may hide rows"


def test_nothing_is_shown_of_a_table_with_query_authorization(
    server: RestCatalog, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is read either: the files are gone."""
    folder = server.warehouse / "default.db" / "t"
    theirs = CatalogFactory.create({"metastore": "rest", **server.options}).get_table("default.t")
    builder = theirs.new_read_builder()
    read = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    assert read.to_pylist() == [{"id": 1, "s": None}, {"id": 2, "s": None}]
    for gone in ("snapshot", "manifest", "bucket-0"):
        shutil.rmtree(folder / gone)
    server.asked.clear()
    for call in FUNCTIONS.values():
        with pytest.raises(UnsupportedError, match=HIDES):
            call(str(folder))
    with pytest.raises(UnsupportedError, match=HIDES):
        Table.of_catalog(server.options, "default.t")
    words = [word for item in server.options.items() for word in ("--catalog", "=".join(item))]
    for command in COMMANDS:
        assert run([*command, "default.t", *words]) != 0, command
        out, err = capsys.readouterr()
        assert out == "" and HIDES in err and SECRET not in err, command
    assert set(server.asked) == {"GET databases/default/tables/t"}


# Options that are honoured ------------------------------------------------------------------------


def test_unknown_options_are_reported(tmp_path: Path, cli: Any) -> None:
    options = {"no.such": "1", "file-index.bitmap.columns": "id", "my.own": "x"}
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})], options)
    assert query(path, engine=LOCAL).num_rows == 1
    found = [each for each in audit(path, engine=LOCAL) if each.check == "options"]
    assert [each.severity for each in found] == ["note", "note"]
    for name, each in zip(("my.own", "no.such"), found, strict=True):
        assert each.message.endswith(f"have the option {name!r}")
    assert inspect_table(path).unknown_options == ("my.own", "no.such")
    assert "unknown options my.own, no.such" in cli("table", "inspect", path)[1]


def test_metadata_of_a_table_that_cannot_be_queried_is_shown(tmp_path: Path) -> None:
    data, options = pa.table({"id": [1]}), {"scan.fallback-branch": "b"}
    path = make_table(tmp_path, "t", [data], options)
    with pytest.raises(UnsupportedError, match=r"scan\.fallback-branch = b"):
        count(path, snapshot_id=1)
    assert inspect_table(path).snapshots
    assert [each for each in audit(path, engine=LOCAL) if each.severity == "error"] == []
    branch = Table.at(make_table(tmp_path, "u", [data], {"branch": "b"}))
    with pytest.raises(UnsupportedError, match=r"branch = b, so Java reads that branch"):
        query(branch)


def test_indexes_that_are_off_are_not_read(tmp_path: Path) -> None:
    """So rows can be read, although an index is broken."""
    path = make_table(tmp_path, "t", [pa.table({"id": [1, 2, 3]})])
    options = {"file-index.bitmap.columns": "id", "file-index.in-manifest-threshold": "1 b"}
    rewrite_index(path, set=options, engine=LOCAL)
    [index] = Path(path).rglob("*.index")
    index.write_bytes(b"broken")
    with pytest.raises(CorruptFileError):
        count(path, "id = 2", engine=LOCAL)
    table = Table.at(path).with_options({"file-index.read.enabled": "false"})
    assert count(table, "id = 2", engine=LOCAL).count == 1
    assert query(table, "id >= 2", order_by="id DESC", limit=1)["id"].to_pylist() == [3]
    note = "file-index.read.enabled = false turns indexes off in the one file"
    steps = explain(table, "id = 2", engine=LOCAL)
    assert any(note in each for step in steps for each in step.notes)


def create(java: jvm.Session, path: str, options: dict[str, str]) -> None:
    """Have the library make a table, which it then has open."""
    columns = {"k": "INT NOT NULL", "v": "INT", "s": "STRING"}
    typed = [{"name": name, "type": kind} for name, kind in columns.items()]
    java.ask({"op": "create", "path": path, "columns": typed, "keys": ["k"], "options": options})


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"scan.tag-name": "one"}, 1),
        ({"scan.mode": "from-snapshot-full", "scan.snapshot-id": "1"}, 1),
        ({"scan.snapshot-id": "1", "scan.tag-name": "one"}, "exclude each other"),
        ({"scan.snapshot-id": "-1"}, "not a whole number"),
        ({"scan.timestamp-millis": "1"}, "so Java reads another state"),
        ({"scan.tag-name": "../one"}, "is outside|names a file|has no tag"),
    ],
)
def test_states_that_options_select(
    options: dict[str, str], rows: int | str, tmp_path: Path
) -> None:
    data = [pa.table({"id": [1]}), pa.table({"id": [2]})]
    path = make_table(tmp_path, "t", data, {"deletion-vectors.enabled": "true"})
    table = Table.at(path)
    table.pypaimon.create_tag("one", 1)
    table = table.with_options(options)
    if isinstance(rows, str):
        with pytest.raises(PaimonKsyError, match=rows):
            query(table, engine=LOCAL)
    else:
        assert query(table, engine=LOCAL).num_rows == rows
    assert query(table, snapshot_id=2, engine=LOCAL).num_rows == 2
    with pytest.raises(UnsupportedError, match=r"delete needs the latest|Java reads another"):
        delete(table, "id = 1", engine=LOCAL)


KEYED: list[dict[str, str]] = [
    {"pk-clustering-override": "true", "clustering.columns": "v"},
    {"pk-clustering-override": "true", "clustering.columns": "s", "metadata.stats-mode": "none"},
    {"data-file.thin-mode": "true"},
    {"file-index.read.enabled": "false", "file-index.bitmap.columns": "v,s"},
]


@pytest.mark.java
@pytest.mark.parametrize("options", KEYED, ids=str)
def test_rows_are_those_of_java(
    options: dict[str, str], java_tables: jvm.Session, tmp_path: Path
) -> None:
    path = str(tmp_path / "t")
    create(java_tables, path, {"bucket": "1", "deletion-vectors.enabled": "true", **options})
    rows = {key: [key, 100 - key, f"s{key % 3}"] for key in range(50)}
    new = {key: [key, 1000 + key, "x"] for key in range(0, 50, 5)}
    for each in (rows, new):
        java_tables.ask({"op": "write", "rows": [*each.values()], "kinds": [], "compact": True})
    rows |= new
    table, (k, v) = Table.at(path), (col("k"), col("v"))
    theirs = java_tables.ask({"op": "read", "predicate": None})["rows"]
    assert sorted(theirs) == sorted(rows.values())
    for where in (None, k == 7, k < 3, k == 5, v > 1000, (k > 40) & (v < 100), col("s") == "s1"):
        wanted = [*map(tuple, rows.values())]
        wanted = wanted if where is None else brute(table.schema.columns, wanted, where)
        assert found_rows(table, where) == ordered(wanted)
        assert count(table, where, engine=LOCAL).count == len(wanted)


SUMS = {"merge-engine": "aggregation", "fields.v.aggregate-function": "sum"}
ENGINES: list[dict[str, str]] = [{}, {"merge-engine": "partial-update"}, SUMS]


@pytest.mark.java
@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_updates_and_deletes_of_compacted_rows_are_merged_on_read(
    engine: dict[str, str], java_tables: jvm.Session, tmp_path: Path
) -> None:
    """Java 1.4.2 has no such option: the rows are those that were written."""
    path = str(tmp_path / "t")
    create(java_tables, path, {"bucket": "2", "deletion-vectors.enabled": "true", **engine})
    rows: dict[int, tuple[Any, ...]] = {}
    rng = random.Random(repr(engine))
    for number in range(5):
        if number == 3:  # from here on, files stay in level 0
            java_tables.ask({"op": "alter", "changes": [["set", "write-only", "true"]]})
        keys = range(60) if number == 0 else rng.sample(range(90), 15)
        new = [(k, rng.choice([number, 10 * k]), rng.choice(["x", None])) for k in keys]
        kinds = ["-D" if not engine and rng.random() < 0.3 else "+I" for _ in new]
        for row, kind in zip(new, kinds, strict=True):
            k, v, s = row
            _, old_v, old_s = rows.pop(k, (k, 0, None))
            if engine:
                row = k, v + old_v if engine == SUMS else v, s or old_s
            if kind == "+I":
                rows[k] = row
        java_tables.ask(
            {"op": "write", "rows": [*map(list, new)], "kinds": kinds, "compact": number < 3}
        )
    assert query(path, engine=LOCAL).num_rows < len(rows) or not engine
    set_options(Table.at(path), {"deletion-vectors.merge-on-read": "true"})
    table = Table.at(path)
    wanted = [*rows.values()]
    assert found_rows(table) == ordered(wanted)
    for where in (col("k") < 40, col("v") > 100, col("v") == 4, col("s") == "x"):
        matching = brute(table.schema.columns, wanted, where)
        assert found_rows(table, where) == ordered(matching)
        assert count(table, where, engine=LOCAL).count == len(matching)
