"""What the index and the deletion vector of a data file leave of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.read import batches, count, query
from paimon_ksy.table.query.tasks import FileTask
from paimon_ksy.table.store import Table
from tests.support.query_tables import LOCAL, orders
from tools.tables import delete_rows, make_table


def test_an_absent_value_costs_little(many: Table) -> None:
    """The head and a block of each index, and no data file."""
    found = count(many, "status = 'LOST'", engine=LOCAL)
    assert (found.count, found.files_read, found.files_total) == (0, 0, 5)
    assert found.bytes_read < 5 * 10_000
    assert query(many, "status = 'LOST'", engine=LOCAL).num_rows == 0


@pytest.mark.parametrize("embedded", [False, True])
def test_a_broken_index_is_an_error_that_names_the_file(embedded: bool, tmp_path: Path) -> None:
    path = make_table(tmp_path, "orders", [orders(1, 50), orders(2, 50)])
    threshold = "1 mb" if embedded else "1 b"
    options = {"file-index.bitmap.columns": "status", "file-index.in-manifest-threshold": threshold}
    rewrite_index(path, set=options, engine=LOCAL)
    table = Table.at(path)
    planned = plan(table, "status = 'DONE'")
    if embedded:
        task = planned.tasks[0]
        assert isinstance(task, FileTask)
        file = task.file
        assert isinstance(file.index, bytes)
        broken = replace(file, embedded_index=b"x" * len(file.index))
        planned._kept = (replace(task, file=broken),)
    else:
        file = planned.tasks[1].files[0]
        assert isinstance(file.index, str)
        index = Path(file.index.removeprefix("file:"))
        index.write_bytes(index.read_bytes()[:40] + bytes(30))
    with pytest.raises(CorruptFileError, match=file.name):
        list(batches(planned, LOCAL))
    if not embedded:
        index.unlink()
        with pytest.raises(PaimonKsyError, match=f"{file.name}.*no such file"):
            count(table, "status = 'DONE'", engine=LOCAL)
    # What needs no index is read.
    assert query(table, engine=LOCAL).num_rows == 100


def test_an_index_is_asked_for_many_keys(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).integers(0, 5000, 31_000)
    texts = pa.array(["a", "b", None, "ä"]).take(pa.array(numbers % 4))
    data = pa.table({"n": pa.array(numbers, pa.int32()), "s": texts})
    path = make_table(tmp_path, "numbers", [data.slice(0, 10_000), data.slice(10_000)])
    rewrite_index(path, set={"file-index.bitmap.columns": "n,s"}, engine=LOCAL)
    table = Table.at(path)
    keys = range(3, 5000, 49)
    listed = f"n IN ({', '.join(map(str, keys))})"
    wanted = {0: data.filter(pa.array(np.isin(numbers, keys)))}
    wanted[1] = wanted[0].filter(pc.equal(wanted[0]["s"], "ä"))
    for at, where in enumerate((listed, f"{listed} AND s = 'ä'")):
        assert all(task.pruned()[1].selection.exact for task in plan(table, where))
        for engine in (None, LOCAL):
            found = query(table, where, engine=engine)
            assert found.equals(wanted[at].combine_chunks().cast(found.schema))
            assert count(table, where, engine=engine).count == found.num_rows
        _, _, index, _ = explain(table, where, engine=LOCAL)
        assert index.files_kept == 2
    either = query(table, f"{listed} OR s = 'a'", ["s"], engine=LOCAL)
    assert either.num_rows == int(np.sum(np.isin(numbers, keys) | (numbers % 4 == 0)))


def test_a_vector_of_another_file_is_an_error(tmp_path: Path) -> None:
    options = {"deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "orders", [orders(1, 50)], options)
    table = Table.at(path)
    name = next(iter(table.files(table.snapshot()))).name
    delete_rows(path, {name: [3, 70]})
    with pytest.raises(PaimonKsyError, match=f"{name}.*deletes row 70"):
        query(Table.at(path), engine=LOCAL)
