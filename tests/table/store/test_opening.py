"""Opening tables: what is imported, and what a name that matches no table is answered."""

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.opening import no_table_at
from tests.support.golden_tables import golden_table, ordered, rows_of
from tests.support.query_tables import LOCAL, found_rows, made_table
from tests.support.tables import rows
from tools.jvm import ROOT
from tools.tables import make_table


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of orders, by regions."""
    return made_table(tmp_path_factory.mktemp("tables"), "regions")[0].location


def test_tables_by_their_folder(path: str) -> None:
    table = Table.at(path)
    assert ordered(rows_of(query(path, "status = 'PENDING'"))) == found_rows(
        table, "status = 'PENDING'"
    )
    assert count(path, "status = 'PENDING'") == count(table, "status = 'PENDING'")
    assert count(Path(path), "status = 'PENDING'") == count(table, "status = 'PENDING'")
    assert rewrite_index(Path(path), dry_run=True, engine=LOCAL).files > 0
    assert explain(path, "status = 'PENDING'") == explain(table, "status = 'PENDING'")
    with pytest.raises(PaimonKsyError, match="no such folder"):
        plan_query(f"{path}/bucket-0", Query())
    with pytest.raises(PaimonKsyError, match=r"URI: http; pypaimon reads tables of local folders"):
        Table.at("http://host.example/t")


ORDERS = ROOT / "examples/warehouse/default.db/orders"

READING = """
import sys
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table

for path in sys.argv[1:]:
    names = Table.at(path).schema.columns.names
    plain = ["status = 'PENDING' AND amount > 3.5"] if "amount" in names else []
    for where in (*plain, f"{names[0]} IS NOT NULL"):
        query(path, where, order_by=names[0], limit=3)
        query(path, where)
        count(path, where)
        plan_query(path, Query(where))
        explain(path, where)
    inspect_table(path)
print(*{name.partition(".")[0] for name in sys.modules})
"""

AUDITING = """
import sys
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.engine import local_engine

for path in sys.argv[1:]:
    list(audit(path, engine=local_engine(1)))
    list(orphans(path))
print(*{name.partition(".")[0] for name in sys.modules})
"""


@pytest.mark.parametrize("code", [READING, AUDITING], ids=["reading", "auditing"])
def test_what_merges_and_commits_need_is_not_imported(code: str, tmp_path: Path) -> None:
    names = "append_partitioned", "append_dv32", "append_dv64", "pk_dv32"
    paths = str(ORDERS), *(golden_table(name, tmp_path) for name in names)
    command = [sys.executable, "-c", code, *paths]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert {"pypaimon", "pandas", "polars"}.isdisjoint(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("name", ["append_partitioned", "evolution", "pk_dynamic"])
def test_its_parts_are_those_of_pypaimons_table(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    theirs = table.pypaimon
    assert table.bucket_mode == theirs.bucket_mode().name
    assert len(table.key_types) == len(theirs.trimmed_primary_keys)
    assert table.schemas.ids() == [schema.id for schema in theirs.schema_manager.list_all()]
    assert table.snapshot() == Snapshot.of(theirs.snapshot_manager().get_latest_snapshot())


def test_bucket_modes(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [rows(0, 3)])
    schema = Path(path, "schema", "schema-0")
    document = json.loads(schema.read_text())
    keys: list[list[str]] = [[], ["id"], ["id", "day"]]
    for bucket, primary, partitions in product(("-2", "-1", "1", "4", None), keys, ([], ["day"])):
        options = {k: v for k, v in {**document["options"], "bucket": bucket}.items() if v}
        changed = {"primaryKeys": primary, "partitionKeys": partitions, "options": options}
        schema.write_text(json.dumps({**document, **changed}))
        table = Table.at(path)
        assert table.bucket_mode == table.pypaimon.bucket_mode().name


def hint(data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / "LATEST").write_bytes(data)

    return change


def no_snapshots(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


def a_gap(folder: Path) -> None:
    (folder / "snapshot-2").unlink()
    hint(b"1")(folder)


def cut_off(folder: Path) -> None:
    """Like `3` of `35`, whose snapshots 3 and 4 have expired."""
    for number in (1, 2):
        (folder / f"snapshot-{number}").unlink()
    hint(b"1")(folder)


def other_files(folder: Path) -> None:
    (folder / "LATEST").unlink()
    (folder / "snapshot-7.tmp").write_text("{}")
    (folder / ".snapshot-8").write_text("{}")


def only(data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        no_snapshots(folder)
        hint(data)(folder)

    return change


@pytest.mark.parametrize(
    "change",
    [*map(hint, (b"1", b"", b"\xff", b"two")), a_gap, cut_off, no_snapshots, other_files],
)
def test_the_latest_snapshot_is_pypaimons(change: Callable[[Path], None], tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [rows(at, 2) for at in range(3)])
    change(Path(path, "snapshot"))
    table = Table.at(path)
    theirs = table.pypaimon.snapshot_manager().get_latest_snapshot()
    assert table.snapshot() == (None if theirs is None else Snapshot.of(theirs))


@pytest.mark.parametrize("change", [hint(b"9"), only(b"1"), only(b"\xff")])
@pytest.mark.parametrize("by_name", [False, True])
def test_a_latest_snapshot_that_is_lost(
    change: Callable[[Path], None], by_name: bool, tmp_path: Path
) -> None:
    """pypaimon reads an earlier one; Java refuses."""
    path = make_table(tmp_path, "t", [rows(at, 2) for at in range(3)])
    change(Path(path, "snapshot"))
    table = Table.at(path)
    if by_name:
        table = Table.of_catalog({"warehouse": str(tmp_path)}, "default.t")
    with pytest.raises(PaimonKsyError, match=f"^{path}/snapshot/[^:]*: it (does not ex|contains )"):
        table.snapshot()


def test_a_copy_elsewhere_opens_pypaimons_table_again(tmp_path: Path) -> None:
    table = Table.at(make_table(tmp_path, "t", [rows(0, 3)]))
    assert table.pypaimon is table.pypaimon
    found = pickle.loads(pickle.dumps(table))
    assert "pypaimon" not in vars(found.opened)
    assert found.pypaimon.table_schema == table.pypaimon.table_schema
    assert found.snapshot() == table.snapshot()


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with one table."""
    folder = tmp_path_factory.mktemp("near") / "warehouse"
    make_table(folder, "orders", [rows(0, 3)])
    return folder


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("default.db/order", "no such folder (did you mean 'orders'?); tables beside it: "),
        ("", "not a table of Paimon, because it contains no schema; tables in it: default.db/"),
        ("default.db", "not a table of Paimon, because it contains no schema; tables in it: "),
        ("default.db/orders/bucket-0", "it is a folder inside a table: `paimon-ksy table inspect"),
        ("default.db/orders/schema/schema-0", "it is a file: `paimon-ksy inspect"),
        ("default.db/orders$branch_b", "a branch has a folder in that of its table: try /"),
        ("nowhere/at/all", "no such folder; pass the folder that contains schema/"),
        ("default.db/../nowhere/x", "no such folder"),
    ],
)
def test_a_path_without_a_table(place: str, says: str, warehouse: Path) -> None:
    assert no_table_at(str(warehouse / place), looked_at).startswith(says)


def test_a_name_of_a_catalog_needs_its_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "orders --catalog warehouse=FOLDER`" in no_table_at("default.orders", looked_at)


@pytest.mark.parametrize(
    ("there", "says"),
    [
        ((), "the bucket 'b' does not exist"),
        (("s3://b",), "no such folder; pass the folder"),
        (
            ("s3://b", "s3://b/t"),
            "not a table of Paimon, because it contains no schema; pass",
        ),
        (None, "not a table of Paimon, because it contains no schema; pass"),
    ],
)
def test_a_url_without_a_table(there: tuple[str, ...] | None, says: str) -> None:
    """None: the store lets nobody look."""
    assert no_table_at("s3://b/t", looked_at if there is None else there.__contains__).startswith(
        says
    )


def looked_at(place: str) -> bool:
    raise PermissionError(place)


def test_the_origin_opens_the_same_table_again(tmp_path: Path) -> None:
    """By its path and by its name in a catalog, and so for a branch."""
    path = make_table(tmp_path, "t", [rows(0, 3)])
    pypaimon = Table.at(path).pypaimon
    pypaimon.create_tag("x")
    pypaimon.branch_manager().create_branch("b", "x")
    for table in (Table.at(path), Table.of_catalog({"warehouse": str(tmp_path)}, "default.t")):
        for branch in ("main", "b"):
            opened = table.branch(branch)
            again = Table.named(*opened.opened.origin)
            assert again.metadata_path == opened.metadata_path
            assert (again.location, again.opened.branch) == (path, branch)
            assert again.snapshot() == opened.snapshot() is not None
