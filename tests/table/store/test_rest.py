"""A table of a REST catalog: its server tells the last snapshot and makes each commit."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.errors import PaimonKsyError, UnsupportedError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from tests.support.rest_catalog import TOKEN, RestCatalog
from tools.tables import append, by_pypaimon, make_table

DATA = pa.table(
    {
        "id": pa.array(range(100), pa.int32()),
        "s": pa.array([f"s{number % 7}" for number in range(100)]),
        "p": pa.array([number % 2 for number in range(100)], pa.int32()),
    }
)
INDEXES = {"file-index.bitmap.columns": "s", "file-index.in-manifest-threshold": "1 b"}
COMMIT = "POST databases/default/tables/t/commit"


@pytest.fixture(params=[None, {}], ids=["direct", "tokens"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RestCatalog]:
    """A catalog with a partitioned table `default.t` of four files; with tokens it gives each
    reader what the file system needs."""
    make_table(tmp_path, "t", [DATA, DATA], partition_keys=["p"])
    with RestCatalog(tmp_path, request.param) as made:
        yield made


def path(server: RestCatalog) -> str:
    return str(server.warehouse / "default.db" / "t")


def test_commands(server: RestCatalog, capsys: pytest.CaptureFixture[str]) -> None:
    options = [f"{key}={value}" for key, value in server.options.items()]
    table = ["default.t", *(part for word in options for part in ("--catalog", word))]
    settings = [part for key, value in INDEXES.items() for part in ("--set", f"{key}={value}")]
    engine = ["--engine", "local"]
    assert run(["table", "rewrite-index", *table, *engine, *settings, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["snapshot"], told["rewritten"]) == (3, 4)
    assert server.asked.count(COMMIT) == 1
    assert ("GET databases/default/tables/t/token" in server.asked) == (
        server.data_tokens is not None
    )
    assert run(["table", "inspect", *table, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["content"] is not None
    assert (
        run(["table", "query", *table, "--where", "s = 's3' AND id = 3", "--format", "json"]) == 0
    )
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == 2 * [{"id": 3, "s": "s3", "p": 1}]
    assert run(["table", "count", *table, "--where", "s = 's3'", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["from"]) == (28, "index")
    assert run(["table", "audit", *table, *engine, "--deep"]) == 0
    assert by_pypaimon(path(server)).num_rows == 200


def test_options_are_saved_by_the_server(server: RestCatalog) -> None:
    table = Table.named("default.t", server.options)
    summary = rewrite_index(table, set=INDEXES, save_options=True, engine=local_engine(1))
    assert summary.saved == INDEXES
    assert server.asked.count("POST databases/default/tables/t") == 1
    again = Table.named("default.t", server.options)
    assert again.schema.id == 1
    assert {key: again.options[key] for key in INDEXES} == INDEXES
    gone = dict.fromkeys(INDEXES, "")
    rewrite_index(again, set=gone, save_options=True, engine=local_engine(1))
    assert not Table.named("default.t", server.options).options.keys() & INDEXES.keys()
    latest: Any = again.snapshot()
    assert latest.schema_id == 0  # options are stored after the commit
    assert TOKEN not in again.words
    assert again.words.startswith("default.t --catalog uri=http://")
    assert "token.provider=bear" in again.words


def test_somebody_commits_first(server: RestCatalog) -> None:
    """An append is no conflict; the manifests that are written are those of the second attempt."""
    table = Table.named("default.t", server.options)
    server.before_commit = lambda: append(
        Table.named("default.t", server.options).pypaimon, DATA.slice(0, 10)
    )
    summary = rewrite_index(table, set=INDEXES, engine=local_engine(1))
    assert (summary.attempts, summary.snapshot) == (1, 4)
    assert server.asked.count(COMMIT) == 3
    assert count(table, "s = 's3'").count == 29
    # Files of what the first rewrite did not see are left for the next one.
    assert rewrite_index(table, set=INDEXES, engine=local_engine(1)).rewritten == 2


def test_it_can_be_sent_to_workers(server: RestCatalog) -> None:
    table = Table.named("default.t", server.options)
    file = next(iter(table.data_files.of(table.snapshot())))
    storage = pickle.loads(pickle.dumps(table.storage))
    assert storage.read(file.path)[:4] == b"PAR1"


def test_what_the_server_refuses(server: RestCatalog) -> None:
    with pytest.raises(PaimonKsyError, match=r"default\.none"):
        Table.named("default.none", server.options)
    with pytest.raises(PaimonKsyError, match="who is it"):
        Table.named("default.t", {**server.options, "token": "wrong"})


@pytest.mark.parametrize("kind", ["format", "object", "iceberg"])
def test_tables_that_are_not_paimon_s(kind: str, server: RestCatalog) -> None:
    schema = Path(path(server), "schema", "schema-0")
    document = json.loads(schema.read_text())
    document["options"]["type"] = f"{kind}-table"
    schema.write_text(json.dumps(document))
    with pytest.raises(UnsupportedError, match=f"default.t: a table of type {kind} has no"):
        Table.of_catalog(server.options, "default.t")
