"""The registry: each package of an index type is in it, under the name in file heads."""

import importlib
from pathlib import Path

import paimon_ksy.file_index
from paimon_ksy.file_index.registry import INDEX_TYPES


def test_each_package_of_an_index_type_is_listed() -> None:
    folder = Path(paimon_ksy.file_index.__path__[0])
    packages = {path.parent.name for path in folder.glob("*/index_type.py")}
    modules = [f"paimon_ksy.file_index.{name}.index_type" for name in sorted(packages)]
    records = {importlib.import_module(module).INDEX_TYPE.name for module in modules}
    assert INDEX_TYPES.keys() == records
    assert len(records) == len(packages)


def test_records_are_under_their_names_and_prefer_in_one_order() -> None:
    assert [kind.name for kind in INDEX_TYPES.values()] == list(INDEX_TYPES)
    preferences = [kind.preference for kind in INDEX_TYPES.values()]
    assert len(set(preferences)) == len(preferences)
