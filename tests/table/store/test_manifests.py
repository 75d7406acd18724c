"""Manifests that are damaged, or not of Avro, are named."""

from pathlib import Path

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.read import query
from tests.support.golden_tables import golden_table


@pytest.mark.parametrize("pattern", ["manifest-list-*", "manifest-[0-9a-f]*", "index-manifest-*"])
def test_damaged_manifests_are_named(pattern: str, tmp_path: Path) -> None:
    path = Path(golden_table("pk_dv64", tmp_path))
    files = list((path / "manifest").glob(pattern))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(PaimonKsyError) as error:
        query(path, engine=local_engine(1))
    assert str(error.value).split(": ")[0] in {str(file) for file in files}


@pytest.mark.parametrize("pattern", ["manifest-list-*", "manifest-[0-9a-f]*"])
def test_a_manifest_that_a_merge_finds_damaged_is_named(pattern: str, tmp_path: Path) -> None:
    """What we remember of manifests is sound; pypaimon, which plans a merge, reads them again."""
    path = Path(golden_table("pk_plain_no_dv", tmp_path))
    assert query(path, engine=local_engine(1)).num_rows
    files = list((path / "manifest").glob(pattern))
    for file in files:
        file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(PaimonKsyError) as error:
        query(path, engine=local_engine(1))
    assert str(error.value).split(": ")[0] in {str(file) for file in files}
