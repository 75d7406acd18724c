"""`verify`: what it prints, its exit code, and how it is called wrongly."""

import json
from pathlib import Path

import pytest

from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from tests.support.commands import Cli
from tests.support.examples import TYPES, WORKED, WORKED_DATA


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "v"
    write_vectors(path, {"f": DeletionVector.of([1, 5])})
    return path


def test_a_sound_file(vectors: Path, cli: Cli) -> None:
    code, out, err = cli("verify", WORKED, "--schema", TYPES)
    assert (code, err) == (0, "")
    first, *rest = out.splitlines()
    assert first.startswith(f"{WORKED}: file index, ")
    assert "only --data FILE detects changed values" in rest[-1]
    assert cli("verify", WORKED, "--schema", TYPES, "--data", WORKED_DATA)[0] == 0
    code, out, _ = cli("verify", vectors)
    assert code == 0
    assert f"{vectors}: vector file, " in out


def test_damage_is_listed_with_exit_code_3(vectors: Path, cli: Cli) -> None:
    data = bytearray(vectors.read_bytes())
    data[-1] ^= 1
    vectors.write_bytes(data)
    code, out, _ = cli("verify", vectors, "--format", "json")
    assert code == 3
    document = json.loads(out)
    assert (document["file"], document["kind"]) == (str(vectors), "vectors")
    [found] = document["findings"]
    assert (found["severity"], found["file"]) == ("error", str(vectors))
    code, out, _ = cli("verify", vectors)
    assert code == 3
    assert found["message"] in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{index}", "--rows", "3", "--data", "{data}"], "--rows and --data exclude each other"),
        (["{index}:5"], "only deletion vectors have offsets"),
        (["{index}", "--cardinality", "2"], "only for deletion vectors and bucket indexes"),
        (["{index}", "--kind", "parquet"], "--kind parquet: must be one of "),
    ],
)
def test_wrong_usage(arguments: list[str], says: str, cli: Cli) -> None:
    given = [text.format(index=WORKED, data=WORKED_DATA) for text in arguments]
    code, _, err = cli("verify", *given)
    assert code == 2
    assert says in err
