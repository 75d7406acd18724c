"""Time travel by time, and the rows that snapshots between two added."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, PredicateError, UnsupportedError
from paimon_ksy.table.dataset.polars import scan_polars
from paimon_ksy.table.dataset.table import Table
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.read import count, query
from tests.support.commands import run_command as run
from tests.support.query_tables import LOCAL
from tests.support.tables import make
from tools.tables import make_table

BERLIN = "Europe/Berlin"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three commits of a row, then a delete, and new indexes."""
    rows = [pa.table({"id": [number]}) for number in (1, 2, 3)]
    options = {"deletion-vectors.enabled": "true", "bucket": "-1"}
    path = make(tmp_path_factory.mktemp("versions"), rows, options)
    delete(path, "id = 2", engine=LOCAL)
    rewrite_index(path, set={"file-index.bitmap.columns": "id"}, engine=LOCAL)
    return path


def ids(table: pa.Table) -> list[int]:
    return sorted(table["id"].to_pylist())


def test_the_newest_snapshot_that_is_not_after_a_time(path: str) -> None:
    second = Table.at(path).snapshots.of_id(2).time_millis
    moment = datetime.fromtimestamp(second / 1000, UTC)
    assert ids(query(path, as_of=moment)) == [1, 2]
    assert count(path, as_of=moment - timedelta(milliseconds=1)).count == 1
    assert plan(path, as_of=moment).snapshot == 2
    text = moment.astimezone().isoformat(" ")
    assert ids(Table.at(path).to_dataset(as_of=text).to_table()) == [1, 2]
    later = (moment + timedelta(days=1)).isoformat()[:19].replace("T", " ")
    assert ids(query(Table.at(path).with_time_zone(BERLIN), as_of=later)) == [1, 3]
    assert scan_polars(path, as_of=text).collect().height == 2
    with pytest.raises(OptionError, match="no snapshot is as old as 1999-01-01"):
        query(path, as_of="1999-01-01")
    with pytest.raises(OptionError, match=r"^'yesterday' is not a time: write one such as '20"):
        query(path, as_of="yesterday")
    with pytest.raises(OptionError, match=r"^a snapshot is a number, not '2'$"):
        Table.at(path).snapshot("2")  # type: ignore[arg-type]
    with pytest.raises(PredicateError, match="exclude each other"):
        query(path, as_of=text, tag="x")


def test_rows_between_two_snapshots(path: str) -> None:
    assert ids(query(path, between=(0, 3))) == [1, 2, 3]
    assert ids(query(path, "id > 2", between=(1, 5))) == [3]
    assert count(path, between=(1, 2)).count == 1
    assert ids(query(path, between=(3, 5))) == []
    assert explain(path, between=(1, 3))[0].files_kept == 2
    assert ids(Table.at(path).to_record_batch_reader(between=(2, 2)).read_all()) == []
    for first, last in ((2, 1), (-1, 2)):
        with pytest.raises(PredicateError, match="is not before"):
            query(path, between=(first, last))
    for pair in ((1, "3"), (1, 2, 3), ()):
        with pytest.raises(PredicateError, match="'between' needs the ids of two snapshots"):
            query(path, between=pair)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="has no snapshot"):
        query(path, between=(1, 99))


def test_other_tables_have_no_rows_between_snapshots(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("k", pa.int32(), False)])
    rows = pa.table({"k": [1]}, schema=schema)
    keyed = make_table(tmp_path, "keyed", [rows], {"bucket": "1"}, primary_keys=["k"])
    with pytest.raises(UnsupportedError, match="only tables without primary keys"):
        query(keyed, between=(0, 1))


def test_commands(path: str) -> None:
    assert run("table", "count", path, "--as-of", "2999-01-01").stdout[:2] == "2\n"
    ranged = run("table", "query", path, "--from-snapshot", "1", "--to-snapshot", "3", "-f", "csv")
    assert ranged.stdout.split() == ["id", "2", "3"]
    shown = run("table", "inspect", path, "--as-of", "2999-01-01", "-f", "json")
    assert shown.stdout == run("table", "inspect", path, "-f", "json").stdout
    both = run("table", "inspect", path, "--as-of", "2999-01-01", "--snapshot", "1")
    assert both.exit_code == 2
    refused = run("table", "count", path, "--from-snapshot", "1")
    assert refused.exit_code == 2 and "belong together" in refused.output
