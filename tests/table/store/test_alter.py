"""`set_options`: what ALTER TABLE allows, and nothing that changes the rows of existing files."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pypaimon.common.options.config_option import ConfigOption
from pypaimon.common.options.core_options import CoreOptions

import paimon_ksy as pk
from paimon_ksy.errors import OptionError, PaimonKsyError, UnsupportedError
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.alter import FIXED
from paimon_ksy.table.store.java_rules import option_types
from paimon_ksy.table.store.options import known_option
from tests.support.tables import make, rows
from tools.tables import make_table


def options_of(path: str) -> Mapping[str, str]:
    return Table.at(path).options


def test_options_are_set_and_removed(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)])
    number = Table.at(path).schema.id
    assert pk.set_options(path, {"file-index.bitmap.columns": "status", "note": "x"}) == number + 1
    assert pk.set_options(path, {"note": "x"}) == number + 1  # nothing changes
    assert pk.set_options(path, {"note": None}) == number + 2
    assert options_of(path)["file-index.bitmap.columns"] == "status"
    assert "note" not in options_of(path)
    assert pk.set_options(path, {"deletion-vectors.enabled": "true"}) == number + 3
    assert pk.delete(path, "id < 3").rows == 3


REFUSED = {
    "merge-engine": "first-row",
    "bucket": "4",
    "bucket-key": "id",
    "row-tracking.enabled": "true",
    "type": "format-table",
    "path": "/elsewhere",
    "branch": "b",
}


@pytest.mark.parametrize("option", REFUSED)
def test_what_determines_how_files_are_read_cannot_change(option: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)])
    with pytest.raises(UnsupportedError, match=f"option '{option} = .*cannot change"):
        pk.set_options(path, {option: REFUSED[option]})
    assert [file.name for file in Path(path, "schema").iterdir()] == ["schema-0"]


@pytest.mark.parametrize("option", ["merge-engine", "bucket", "bucket-key"])
def test_an_empty_table_may_change(option: str, tmp_path: Path) -> None:
    path = make(tmp_path, [])
    buckets = {"bucket": "4", "bucket-key": "id"} if "bucket" in option else {}
    assert pk.set_options(path, {option: REFUSED[option], **buckets}) == 1


def test_deleted_rows_return_only_if_the_caller_says_so(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)], {"deletion-vectors.enabled": "true"})
    with pytest.raises(UnsupportedError, match="deleted rows would return"):
        pk.set_options(path, {"deletion-vectors.enabled": None})
    modifiable = {"deletion-vectors.modifiable": "true"}
    assert pk.set_options(path, {"deletion-vectors.enabled": None, **modifiable}) == 1


def test_a_primary_key_needs_a_compaction_for_vectors(tmp_path: Path) -> None:
    data = pa.table({"id": pa.array([1], pa.int64())})
    path = make_table(tmp_path, "t", [data], {"bucket": "1"}, primary_keys=["id"])
    with pytest.raises(UnsupportedError, match="until a full compaction"):
        pk.set_options(path, {"deletion-vectors.enabled": "true"})


@pytest.mark.parametrize("option", ["ignore-delete", "ignore-update-before"])
def test_ignored_rows_stay_ignored(option: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)], {option: "true"})
    for value in (None, "false"):
        with pytest.raises(UnsupportedError, match="cannot be unset"):
            pk.set_options(path, {option: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deletion-vectors.enabld": "true"}, "did you mean 'deletion-vectors.enabled'"),
        (
            {"file-index.bitmap.columns": "statsu"},
            "did you mean .status.",
        ),
        ({"file-index.bitmpa.columns": "status"}, "bitmpa"),
        ({"deletion-vectors.enabled": "yes"}, "'yes' is not true or false"),
        ({"deletion-vectors.enabled": True}, "True is not a text"),
        ({"deletion-vectors.enabled": "maybe"}, "'maybe' is not true or false"),
        ({"target-file-size": "big"}, "'big' is not a size such as 128 mb"),
        ({"file.compression.zstd-level": "1.5"}, "'1.5' is not a whole number of 32 bits"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)])
    with pytest.raises(OptionError, match=message):
        pk.set_options(path, options)
    assert options_of(path).keys().isdisjoint(options)


def test_options_have_the_types_of_pypaimon() -> None:
    names = {"bool": "boolean", "MemorySize": "size", "timedelta": "duration"}
    options = [each for each in vars(CoreOptions).values() if isinstance(each, ConfigOption)]
    kinds = {each.key(): getattr(each.get_clazz(), "__name__", "") for each in options}
    for name, kind in kinds.items():
        if kind in names or kind in ("int", "float"):
            wanted = {"int": "int long", "float": "float double"}.get(kind, names.get(kind, ""))
            assert option_types()[name] in wanted.split(), name
    assert len(options) > 100


def test_writers_at_once_keep_each_others_options(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)])
    with ThreadPoolExecutor(4) as pool:
        ids = [*pool.map(lambda n: pk.set_options(path, {f"x.{n}.y": "1"}), range(8))]
    assert sorted(ids) == list(range(1, 9))
    assert {f"x.{n}.y" for n in range(8)} <= options_of(path).keys()


def test_a_schema_that_cannot_be_written_has_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 10)])

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("paimon_ksy.table.store.commits.LocalLinks.try_to_write_atomic", fail)
    with pytest.raises(PaimonKsyError, match=r"cannot save the options: .*No space left"):
        pk.set_options(path, {"note": "x"})
    assert "note" not in options_of(path)


def test_the_fixed_options_are_those_of_other_writers() -> None:
    assert CoreOptions.IMMUTABLE_OPTIONS <= FIXED
    assert all(known_option(name) for name in FIXED)
