"""Damaged JSON metadata: the file and the field are named, at once, whatever is asked."""

import copy
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.cli.app import run
from paimon_ksy.errors import (
    OptionError,
    PaimonKsyError,
    PredicateError,
    UnsupportedError,
    with_remedy,
)
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.model.documents import consumer_document, schema_document, snapshot_document
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count, query
from tests.support.golden_tables import golden_table

ABSENT = "(absent)"
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 7, 1.5, 2**31, 2**63, -(2**70), 10**400),
    *("", "x", "5", [], [1], ["x"], [None], {}, {"a": 1}, ABSENT),
]

SNAPSHOT = {
    "version": 3,
    "id": 5,
    "schemaId": 0,
    "baseManifestList": "manifest-list-a-0",
    "baseManifestListSize": 884,
    "deltaManifestList": "manifest-list-a-1",
    "deltaManifestListSize": 992,
    "changelogManifestList": "manifest-list-a-2",
    "changelogManifestListSize": 1,
    "indexManifest": "index-manifest-a-0",
    "commitUser": "u",
    "commitIdentifier": 2**63 - 1,
    "commitKind": "APPEND",
    "timeMillis": 1_700_000_000_000,
    "totalRecordCount": 3,
    "deltaRecordCount": -3,
    "changelogRecordCount": 0,
    "watermark": -(2**63),
    "statistics": "stat-a",
    "properties": {"a": "b"},
    "nextRowId": 0,
    "uuid": "x",
    "writerVersion": "2.1",
    "tagCreateTime": [2024, 2, 29, 12, 30],
    "tagTimeRetained": 86400.5,
    "logOffsets": {},
}
UNREAD = ("logOffsets", "writerVersion", "tagCreateTime", "tagTimeRetained")
SCHEMA = {
    "version": 3,
    "id": 0,
    "fields": [
        {"id": 0, "name": "n", "type": "INT NOT NULL", "description": "d"},
        {"id": 1, "name": "p", "type": {"type": "ARRAY", "element": "INT"}, "defaultValue": "1"},
    ],
    "highestFieldId": 1,
    "partitionKeys": [],
    "primaryKeys": ["n"],
    "options": {"bucket": "1", "file.format": "orc"},
    "comment": "",
    "timeMillis": 1_700_000_000_000,
}


def changed(document: dict[str, Any], field: str, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    if value == ABSENT:
        made.pop(field, None)
    else:
        made[field] = value
    return made


@pytest.mark.parametrize("field", SNAPSHOT)
def test_each_field_of_a_snapshot_is_checked(field: str) -> None:
    kind = type(SNAPSHOT[field])
    for value in VALUES:
        text = json.dumps(changed(SNAPSHOT, field, value))
        try:
            found = snapshot_document(text).get(field)
        except ValueError as error:
            assert str(error).startswith(field)
            assert len(str(error)) < 200
            continue
        if field not in UNREAD:
            assert found is None or type(found) is kind


REQUIRED = [
    *("id", "schemaId", "baseManifestList", "deltaManifestList", "commitUser"),
    *("commitIdentifier", "commitKind", "timeMillis", "totalRecordCount", "deltaRecordCount"),
]


@pytest.mark.parametrize("field", SNAPSHOT)
def test_fields_may_be_absent_that_not_every_snapshot_has(field: str) -> None:
    without = json.dumps(changed(SNAPSHOT, field, ABSENT))
    if field in REQUIRED:
        with pytest.raises(ValueError, match=f"^{field} is missing$"):
            snapshot_document(without)
    else:
        snapshot_document(without)
        snapshot_document(json.dumps(changed(SNAPSHOT, field, None)))


def test_old_snapshots_have_no_counts() -> None:
    for version in (None, 1, 2):
        old = changed(SNAPSHOT, "version", version)
        del old["totalRecordCount"], old["deltaRecordCount"]
        found = snapshot_document(json.dumps(old))
        assert (found["version"], found["totalRecordCount"]) == (version or 1, 0)


@pytest.mark.parametrize("field", SCHEMA)
def test_each_field_of_a_schema_is_checked(field: str) -> None:
    kind = type(SCHEMA[field])
    for value in VALUES:
        text = json.dumps(changed(SCHEMA, field, value))
        try:
            found = schema_document(text).get(field)
        except ValueError as error:
            assert field in str(error) or "primaryKeys[0]" in str(error)  # a column that is gone
            continue
        assert found is None or type(found) is kind


@pytest.mark.parametrize("field", ["id", "name", "type", "description", "defaultValue"])
def test_each_field_of_a_column_is_checked(field: str) -> None:
    for value in VALUES:
        made = copy.deepcopy(SCHEMA)
        made["fields"][1] = changed(made["fields"][1], field, value)  # type: ignore[index]
        try:
            found = schema_document(json.dumps(made))["fields"][1].get(field)
        except ValueError as error:
            assert str(error).startswith(f"fields[1].{field} is ")
            continue
        assert found is None or type(found) in {"id": (int,), "type": (str, dict)}.get(
            field, (str,)
        )


def test_options_are_texts_as_java_takes_them() -> None:
    options = {"a": True, "b": 1.5, "c": 4, "d": "x"}
    found = schema_document(json.dumps({**SCHEMA, "options": options}))["options"]
    assert found == {"a": "true", "b": "1.5", "c": "4", "d": "x"}
    wrong: list[Any] = [None, [], {}]
    for value in wrong:
        with pytest.raises(ValueError, match=r"^options\['a'\] is "):
            schema_document(json.dumps({**SCHEMA, "options": {"a": value}}))


def test_old_schemas_leave_out_what_was_taken_for_granted() -> None:
    for version, due in (
        (None, {"bucket": "1", "file.format": "orc"}),
        (1, {"bucket": "1", "file.format": "orc"}),
        (2, {"file.format": "orc"}),
        (3, {}),
    ):
        old = {**SCHEMA, "version": version, "options": {}}
        assert schema_document(json.dumps(old))["options"] == due


@pytest.mark.parametrize("text", ["", "[]", "5", "null", "{", '"x"', "[" * 100_000, "\ud800"])
def test_what_is_no_object_is_an_error(text: str) -> None:
    for parse in (snapshot_document, schema_document, consumer_document):
        with pytest.raises(ValueError, match=r"document|JSON|Expecting|nested|surrogates"):
            parse(text)


# Every command ----------------------------------------------------------------------------------

ENGINE = local_engine(1)
COMMANDS: dict[str, Callable[[str], Any]] = {
    "query": lambda path: query(path, "id < 10", engine=ENGINE),
    "count": lambda path: count(path, engine=ENGINE),
    "explain": lambda path: explain(path, "id < 10"),
    "inspect": lambda path: list(texts_in(asdict(inspect_table(path)))),
    "audit": lambda path: [f"{f.file} {f.message}" for f in audit(path, engine=ENGINE)],
    "rewrite": lambda path: rewrite_index(path, dry_run=True, engine=ENGINE),
    "delete": lambda path: delete(path, "id < 10", dry_run=True, engine=ENGINE),
    "orphans": lambda path: orphans(path),
}


def texts_in(report: Any) -> Iterator[str]:
    if isinstance(report, str):
        yield report
    elif isinstance(report, dict):
        for value in report.values():
            yield from texts_in(value)
    elif isinstance(report, list | tuple):
        for value in report:
            yield from texts_in(value)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(golden_table("append_dv32", tmp_path_factory.mktemp("golden")))


@contextmanager
def no_sleep() -> Iterator[list[float]]:
    """Let this thread not sleep, and list how long it would have. Others do: Spark's, for one."""
    waits: list[float] = []
    own, sleep = threading.get_ident(), time.sleep

    def wait(seconds: float) -> None:
        if threading.get_ident() == own:
            waits.append(seconds)
        else:
            sleep(seconds)

    with patch("time.sleep", wait):
        yield waits


def check(table: Path, file: str, document: dict[str, Any], field: str, value: Any) -> None:
    """Ask all there is of the table with this field changed: an answer, or its error."""
    place = table / file
    before = place.read_bytes()
    place.write_text(json.dumps(changed(document, field, value)))
    try:
        for name, ask in COMMANDS.items():
            try:
                with no_sleep() as waits:
                    found = ask(str(table))
                if name in ("inspect", "audit") and is_damaged(place):
                    assert any(file in text and field in text for text in found), name
            except PaimonKsyError as error:
                told = with_remedy(error)
                if isinstance(error, PredicateError | OptionError | UnsupportedError):
                    continue  # the document is sound, and of another table
                named = file in told and field in told
                # A sound file may name what is not there.
                assert named or (type(value) in (str, int) and str(value) in told), (name, told)
                assert "\n" not in told
            finally:
                assert waits == [], name
    finally:
        place.write_bytes(before)


def is_damaged(place: Path) -> bool:
    parse = schema_document if place.parent.name == "schema" else snapshot_document
    try:
        parse(place.read_bytes())
    except ValueError:
        return True
    return False


LATEST, SCHEMA_0 = "snapshot/snapshot-5", "schema/schema-0"


@examples(40)
@given(st.sampled_from(sorted(SNAPSHOT)), st.sampled_from(VALUES))
@example("totalRecordCount", "x")
@example("baseManifestListSize", {})
@example("deltaRecordCount", "x")
@example("timeMillis", "x")
@example("id", "5")
@example("id", 4)
@example("schemaId", 7)
@example("baseManifestList", "x")
def test_every_command_names_a_damaged_field_of_a_snapshot(
    table: Path, field: str, value: Any
) -> None:
    check(table, LATEST, json.loads((table / LATEST).read_text()), field, value)


@pytest.mark.parametrize("value", ["5", 4, 7, None])
@pytest.mark.parametrize("ask", [delete, rewrite_index], ids=["delete", "rewrite"])
def test_a_commit_does_not_wait_for_a_damaged_id(
    ask: Callable[..., Any], value: Any, tmp_path: Path
) -> None:
    path = Path(golden_table("append_dv32", tmp_path))
    document = json.loads((path / LATEST).read_text())
    (path / LATEST).write_text(json.dumps(changed(document, "id", value)))
    before = sorted(path.rglob("*"))
    options = {"set": {"file-index.in-manifest-threshold": "1 mb"}, "rebuild": True}
    if ask is delete:
        options = {"where": "id < 10"}
    with (
        no_sleep() as waits,
        pytest.raises(PaimonKsyError, match=rf"/{LATEST}: .*id is "),
    ):
        ask(path, engine=ENGINE, **options)
    assert waits == []
    assert sorted(path.rglob("*")) == before


COMMAND_LINES = [
    *(["count"], ["query"], ["explain", "-w", "id < 3"], ["audit"], ["inspect"]),
    *(["delete", "-w", "id < 3"], ["rewrite-index"], ["advise"]),
]


@pytest.mark.parametrize("line", COMMAND_LINES, ids=lambda line: line[0])
def test_command_lines_name_damage_before_they_start_spark(
    line: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def started(*_: object, **__: object) -> None:
        pytest.fail("Spark is started")

    monkeypatch.setattr("paimon_ksy.table.engine.spark_engine", started)
    path = Path(golden_table("append_dv32", tmp_path))
    document = json.loads((path / LATEST).read_text())
    (path / LATEST).write_text(json.dumps(changed(document, "totalRecordCount", "x")))
    # An audit reports the damage as a finding, and the others of these are queries.
    jobs = ("delete", "rewrite-index", "advise")
    engine = ["--engine", "spark"] if line[0] in jobs else []
    assert run(["table", line[0], str(path), *line[1:], *engine]) in (1, 3)
    printed = capsys.readouterr()
    told = " ".join((printed.out + printed.err).split())
    assert f'{LATEST}: cannot be read: totalRecordCount is "x"' in told
    assert "bug" not in told


@pytest.mark.parametrize("value", ["x", [], None, 1.5])
def test_damaged_changelogs_tags_and_consumers_are_named_at_once(
    value: Any, tmp_path: Path
) -> None:
    path = Path(golden_table("append_dv32", tmp_path))
    document = json.loads((path / LATEST).read_text())
    for kind, name, made in (
        ("tag", "tag-t", changed(document, "timeMillis", value)),
        ("changelog", "changelog-1", changed(document, "timeMillis", value)),
        ("consumer", "consumer-c", {"nextSnapshot": value}),
    ):
        (path / kind).mkdir()
        (path / kind / name).write_text(json.dumps(made))
        field = "nextSnapshot" if kind == "consumer" else "timeMillis"
        with no_sleep() as waits:
            told = list(texts_in(asdict(inspect_table(path))))
            found = [f"{f.file}: {f.message}" for f in audit(path, engine=ENGINE)]
        assert waits == []
        assert any(f"{name}: " in text and f"{field} is " in text for text in told)
        if kind == "consumer":  # which names no file
            continue
        assert any(f"{name}: " in text and f"{field} is " in text for text in found)
        asked: list[Callable[[], Any]] = [lambda: orphans(path, timedelta(days=-1))]
        if kind == "tag":
            asked.append(lambda: count(path, tag="t", engine=ENGINE))
        for ask in asked:
            with pytest.raises(PaimonKsyError, match=rf"/{kind}/{name}: .*timeMillis is "):
                ask()
        (path / kind / name).unlink()


@examples(40)
@given(st.sampled_from(sorted(SCHEMA)), st.sampled_from(VALUES))
@example("id", 1)
@example("options", {"bucket": True})
@example("options", {"bucket": [1]})
@example("fields", [{"id": 0, "name": "id", "type": "NO TYPE"}])
def test_every_command_names_a_damaged_field_of_a_schema(
    table: Path, field: str, value: Any
) -> None:
    check(table, SCHEMA_0, json.loads((table / SCHEMA_0).read_text()), field, value)
