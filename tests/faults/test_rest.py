"""Commits to a REST catalog that fail: whole or not made, and no file of a commit is lost."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from paimon_ksy import delete, rewrite_index
from paimon_ksy.errors import ConflictError, PaimonKsyError, UncertainError
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import Table
from tests.support.commands import Cli
from tests.support.rest_catalog import RestCatalog
from tests.support.tables import STATUS, TO_FILES, ids, make, rows

ENGINE = local_engine(1)
JOBS = pytest.mark.parametrize("job", ["delete", "rewrite"])
BEFORE, AFTER = list(range(12)), list(range(5, 12))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestCatalog]:
    """A catalog with the table `default.t` of 12 rows."""
    options = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true", "commit.max-retries": "2"}
    make(tmp_path, [rows(0, 12)], options)
    with RestCatalog(tmp_path) as made:
        yield made


def run_job(server: RestCatalog, job: str) -> int | None:
    table = Table.named("default.t", server.options)
    if job == "delete":
        return delete(table, "id < 5", engine=ENGINE).snapshot
    return rewrite_index(table, engine=ENGINE).snapshot


def path(server: RestCatalog) -> str:
    return str(server.warehouse / "default.db" / "t")


def names(server: RestCatalog) -> set[str]:
    """The new files of a job; manifests of an attempt stay, as pypaimon leaves them."""
    table = Path(path(server))
    return {file.name for place in ("index/*", "*/*.index") for file in table.glob(place)}


def check(server: RestCatalog, job: str, *, made: bool) -> None:
    """The rows are those before or after, and each file is there that the table names."""
    assert ids(path(server)) == (AFTER if made and job == "delete" else BEFORE)
    found = audit(path(server), deep=True, engine=ENGINE)
    assert [one for one in found if one.severity == "error"] == []


@JOBS
def test_an_answer_that_is_lost(job: str, server: RestCatalog) -> None:
    """The commit is found, and not made twice."""
    server.commit_answers = ["lost"]
    assert run_job(server, job) == 2
    assert Table.at(path(server)).snapshot().id == 2  # type: ignore[union-attr]
    check(server, job, made=True)


@JOBS
def test_a_server_that_no_longer_answers_after_the_commit(job: str, server: RestCatalog) -> None:
    """The snapshot names the new files, so they have to stay."""
    server.commit_answers = ["dead"]
    with pytest.raises(UncertainError, match="may or may not have been made"):
        run_job(server, job)
    assert len(names(server)) >= 1
    check(server, job, made=True)


@JOBS
@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_that_fails(job: str, status: int, server: RestCatalog) -> None:
    server.commit_answers = [status] * 5
    with pytest.raises(UncertainError, match=f"refused with {status}"):
        run_job(server, job)
    check(server, job, made=False)
    server.commit_answers = [status]
    assert run_job(server, job) == 2
    check(server, job, made=True)


@JOBS
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_server_that_refuses(job: str, status: int, server: RestCatalog) -> None:
    """It is asked once, and nothing is left of the job."""
    before = names(server)
    server.commit_answers = [status] * 5
    with pytest.raises(PaimonKsyError, match=f"refused with {status}") as caught:
        run_job(server, job)
    assert not isinstance(caught.value, ConflictError | UncertainError)
    assert len(server.commit_answers) == 4
    assert names(server) == before
    server.commit_answers = []
    assert run_job(server, job) == 2
    check(server, job, made=True)


def test_a_conflict_is_planned_again(server: RestCatalog) -> None:
    server.commit_answers = [409]
    assert run_job(server, "delete") == 2
    check(server, "delete", made=True)


@JOBS
def test_a_token_that_expires_before_the_commit(job: str, server: RestCatalog, cli: Cli) -> None:
    before = names(server)

    def expire() -> None:
        server.token = "new"

    server.before_commit = expire
    table = ["default.t"]
    for key, value in server.options.items():
        table += ["--catalog", f"{key}={value}"]
    words = (
        ["delete", *table, "-w", "id < 5", "--yes"]
        if job == "delete"
        else ["rewrite-index", *table]
    )
    server.commit_answers = [401]
    code, _, errors = cli("table", *words, "--engine", "local")
    assert code == 1
    assert "Traceback" not in errors
    assert len(errors.splitlines()) == 1
    assert names(server) == before
    check(server, job, made=False)


@pytest.fixture
def short_lived(server: RestCatalog) -> RestCatalog:
    """The same with data tokens that are out of date as soon as they are there."""
    server.data_tokens, server.data_seconds = {"data-token": "secret"}, 0
    return server


@JOBS
def test_data_tokens_that_expire_during_a_job(job: str, short_lived: RestCatalog) -> None:
    """Each is replaced by a new one."""
    assert run_job(short_lived, job) == 2
    assert short_lived.asked.count("GET databases/default/tables/t/token") > 3
    check(short_lived, job, made=True)


@JOBS
def test_no_new_data_token_during_a_job(job: str, short_lived: RestCatalog) -> None:
    """Whichever request is refused: the rows are those of before or after, as was reported."""
    ended = set()
    for answers in range(1, 100, 12):
        short_lived.data_answers = answers
        try:
            run_job(short_lived, job)
            ended.add("done")
        except UncertainError:
            ended.add("uncertain")
        except PaimonKsyError as error:
            assert "no more data tokens" in str(error)
            assert "\n" not in str(error)
            ended.add("failed")
        snapshot = Table.at(path(short_lived)).snapshot()
        assert snapshot is not None
        made = snapshot.id == 2
        check(short_lived, job, made=made)
        if made:
            break
        assert "done" not in ended
    assert "failed" in ended
    assert made


def test_nothing_of_the_copies_differs(server: RestCatalog, tmp_path: Path) -> None:
    """A refused commit leaves each file of the table as it was."""
    shutil.copytree(path(server), tmp_path / "copy")
    server.commit_answers = [403]
    with pytest.raises(PaimonKsyError):
        run_job(server, "delete")
    for file in (tmp_path / "copy").rglob("*"):
        if file.is_file():
            now = Path(path(server)) / file.relative_to(tmp_path / "copy")
            assert now.read_bytes() == file.read_bytes()
