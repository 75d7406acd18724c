"""What each release wrote is read by this version, with the same answers."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

import paimon_ksy as pk
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table_index.bucket_index import read_bucket_index
from paimon_ksy.table_index.deletion_vector_file import read_vectors
from tools import frozen
from tools.dist import extract

ARCHIVES = sorted(frozen.FOLDER.glob("written-*.tar.xz"))


NOW = Path("what is written now")


@pytest.fixture(scope="module", params=[*ARCHIVES, NOW], ids=lambda path: path.name)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    archive = request.param
    if archive == NOW:
        made = tmp_path_factory.mktemp("archive")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(frozen, "FOLDER", made)
            assert frozen.main() == 0
        [archive] = made.iterdir()
        assert archive.name == f"written-{pk.__version__}.tar.xz"
    with tarfile.open(archive) as opened:
        extract(opened, folder)
    return folder


def answers(written: Path) -> Any:
    return json.loads((written / "answers.json").read_text())


def test_this_version_has_an_archive() -> None:
    """If this fails, make frozen."""
    assert f"written-{pk.__version__}.tar.xz" in [path.name for path in ARCHIVES]


def test_an_archive_is_never_written_again(capsys: pytest.CaptureFixture[str]) -> None:
    before = [path.read_bytes() for path in ARCHIVES]
    assert frozen.main() == 1
    assert "is frozen" in capsys.readouterr().err
    assert [path.read_bytes() for path in ARCHIVES] == before


def test_file_indexes(written: Path) -> None:
    due = answers(written)
    schema = pk.Schema.parse(due["schema"])
    exact = set()
    files = sorted(written.glob("*.index"))
    for file in files:
        if file.name == "bucket.index":
            continue
        assert list(pk.verify(str(file), schema)) == []
        with pk.FileIndex.open(str(file), schema) as index:
            for where, rows in due["rows"].items():
                found = index.evaluate(where)
                whole = {"skip": [], "all": list(range(60))}
                selected = whole[found.kind] if found.matching is None else list(found.rows)
                assert set(rows) <= set(selected)
                if found.exact:
                    exact.add((file.stem, where))
                    assert selected == rows
    assert {name for name, _ in exact} == {file.stem for file in files} - {"bucket"}


@pytest.mark.parametrize("bits", [32, 64])
def test_vectors(bits: int, written: Path) -> None:
    found = [stored.vector for stored in read_vectors(str(written / f"{bits}.vectors"))]
    assert [list(vector) for vector in found] == list(answers(written)["positions"].values())
    assert {vector.bits for vector in found} == {bits}


def test_bucket_index(written: Path) -> None:
    found = read_bucket_index(str(written / "bucket.index"))
    assert found.hashes.tolist() == answers(written)["hashes"]


def test_table(written: Path) -> None:
    table = str(written / "table")
    for where, ids in answers(written)["ids"].items():
        assert sorted(pk.query(table, where)["id"].to_pylist()) == ids
        assert pk.count(table, where).count == len(ids)
    assert list(pk.audit(table, deep=True, engine=local_engine(1))) == []
