"""A table by its path or catalog: its names, options, states and branches."""

from pathlib import Path

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.store import Table
from tests.support.tables import rows
from tools.tables import make_table


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of two snapshots."""
    return make_table(tmp_path_factory.mktemp("table"), "t", [rows(0, 3), rows(3, 4)])


def test_it_is_the_same_by_its_path_and_by_its_catalog(path: str) -> None:
    options = {"warehouse": str(Path(path).parents[1])}
    by_path, by_catalog = Table.at(path), Table.of_catalog(options, "default.t")
    for table in (by_path, by_catalog, Table.named(path), Table.named("default.t", options)):
        assert table.location.removeprefix("file://") == path
        assert table.schema == by_path.schema
        assert table.bucket_mode == "BUCKET_UNAWARE"
        assert table.key_types == ()
        assert table.metadata_path == table.location
    assert by_path.words == path
    assert by_catalog.words == f"default.t --catalog warehouse={options['warehouse']}"


def test_snapshots_and_their_files(path: str) -> None:
    table = Table.at(path)
    latest = table.snapshot()
    assert latest is not None
    assert table.snapshot(2) == latest
    first = table.snapshot(1)
    assert [sum(f.num_rows for f in table.data_files.of(one)) for one in (first, latest)] == [3, 7]
    assert list(table.data_files.of(None)) == []
    assert list(table.data_files.of(latest, lambda partition, bucket: False)) == []
    with pytest.raises(PaimonKsyError, match="no snapshot 9"):
        table.snapshot(9)
    with pytest.raises(PaimonKsyError, match="no tag 'none'"):
        table.snapshot(tag="none")


def test_options_are_changed_in_a_copy(path: str) -> None:
    table = Table.at(path)
    changed = table.with_options({"file-index.bitmap.columns": "id"})
    assert changed.options["file-index.bitmap.columns"] == "id"
    assert "file-index.bitmap.columns" not in table.options
    assert changed.words == table.words
    removed = changed.with_options({"file-index.bitmap.columns": None})
    assert removed.options.keys() == table.options.keys()
