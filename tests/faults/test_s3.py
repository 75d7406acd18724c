"""S3 that refuses, throttles, hangs or cuts answers: one line, no row lost, in bounded time."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pypaimon.filesystem.pyarrow_file_io import PyArrowFileIO

from paimon_ksy import query
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table import engine
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from tests.conftest import S3
from tests.support.commands import Cli
from tests.support.failing_proxy import FailingProxy, Fault
from tests.support.tables import STATUS, TO_FILES, rows
from tools.tables import append

JOBS = {
    "query": ("query", "-w", "status = 'PAID' AND amount >= 0"),
    "count": ("count", "-w", "status = 'PAID'"),
    "audit": ("audit", "--deep"),
    "rewrite-index": ("rewrite-index", "--rebuild"),
}
ENDS = {"manifest": "/manifest/", "index": r"\.index$", "data": r"\.parquet$"}
"""Paths of which requests fail."""

CASES = [
    ("query", "manifest"),
    ("query", "data"),
    ("count", "index"),
    ("audit", "data"),
    ("rewrite-index", "data"),
]
MOST_REQUESTS = 12


@pytest.fixture
def proxy(s3: S3) -> Iterator[FailingProxy]:
    with FailingProxy(s3.options["s3.endpoint"]) as made:
        yield made


@pytest.fixture
def table(s3: S3, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table with an index; clients try twice, and wait for a second."""
    from pypaimon import CatalogFactory, Schema

    plain = PyArrowFileIO._create_s3_retry_config

    def impatient(self: Any) -> dict[str, Any]:
        return plain(self, max_attempts=2, request_timeout=1, connect_timeout=1)  # type: ignore[no-any-return]

    monkeypatch.setattr(engine, "local_engine", lambda **_: local_engine(1))  # starts no processes
    monkeypatch.setattr(PyArrowFileIO, "_create_s3_retry_config", impatient)
    catalog = CatalogFactory.create({"warehouse": f"s3://{s3.bucket}/w", **s3.options})
    catalog.create_database("d", True)
    made = Schema.from_pyarrow_schema(rows(0, 1).schema, options={**STATUS, **TO_FILES})
    catalog.create_table("d.t", made, False)
    append(catalog.get_table("d.t"), rows(0, 12))
    path = f"s3://{s3.bucket}/w/d.db/t"
    rewrite_index(Table.at(path, s3.options), engine=local_engine(1))
    return path


def ids(table: str, s3: S3, where: str | None = None) -> list[int]:
    return sorted(query(Table.at(table, s3.options), where)["id"].to_pylist())


def words(table: str, job: str, s3: S3, proxy: FailingProxy) -> list[str]:
    name, *more = JOBS[job]
    found = ["table", name, table, *more, "--engine", "local"]
    for key, value in {**s3.options, "s3.endpoint": proxy.url}.items():
        found += ["--catalog", f"{key}={value}"]
    return found


FAULTS = [403, 503, "slow", "cut", "hangs"]
EACH = pytest.mark.parametrize("fault", FAULTS)
WORDS = {
    403: "no permission to read it",
    503: "SERVICE_UNAVAILABLE",
    "slow": "SLOW_DOWN|SERVICE_UNAVAILABLE",
    "cut": "Transferred a partial file",
    "hangs": "Timeout was reached",
}
"""What is printed of each."""


class Failing:
    """Requests of files of a place fail, so many times or always."""

    def __init__(self, place: str, fault: Fault, times: int = 1_000) -> None:
        self.left = times
        self._end, self._fault = re.compile(ENDS[place]), fault

    def __call__(self, method: str, path: str) -> Fault:
        if not self.left or method != "GET" or self._end.search(path) is None:
            return None
        self.left -= 1
        return self._fault


@EACH
def test_a_fault_that_stays(
    fault: Fault, table: str, proxy: FailingProxy, s3: S3, cli: Cli
) -> None:
    """Exit code 1, or 3 of an audit, which ends; the line names the file, and no row is printed."""
    before = s3.keys()
    for job, place in CASES[FAULTS.index(fault) % 2 :: 2]:  # each case with two faults or more
        proxy.failed.clear()
        proxy.fail = Failing(place, fault)
        code, out, errors = cli(*words(table, job, s3, proxy))
        assert 0 < len(proxy.failed) <= MOST_REQUESTS, (job, place, proxy.failed)
        assert "Traceback" not in errors
        assert re.search(WORDS[fault], out + errors), (job, place)
        assert table in out + errors
        assert re.search(ENDS[place].rstrip("$"), out + errors), (job, place)
        if job == "audit":
            assert (code, errors) == (3, "")
        else:
            assert (code, len(errors.splitlines()), out) == (1, 1, ""), (job, place, errors)
    assert {key for key in s3.keys() - before if "/manifest/" not in key} == set()
    assert before <= s3.keys()
    assert ids(table, s3) == list(range(12))


@EACH
def test_a_fault_that_passes(fault: Fault, table: str, proxy: FailingProxy, s3: S3) -> None:
    """The client tries again where that can help: the answer is whole, or there is none."""
    for place in ENDS:
        proxy.fail = failing = Failing(place, fault, times=1)
        options = {**s3.options, "s3.endpoint": proxy.url}
        try:
            found = query(Table.at(table, options), JOBS["query"][2])
        except PaimonKsyError:
            assert fault == 403
        else:
            assert fault != 403
            assert sorted(found["id"].to_pylist()) == [0, 4, 8]
        assert failing.left == 0
