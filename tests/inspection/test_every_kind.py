"""What commands say about files of each kind, sound or damaged: a new format is tested, too."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from paimon_ksy.errors import ExitCode
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.bitmap.writer import BitmapIndexWriter
from paimon_ksy.global_index.btree.writer import Options, write_index
from paimon_ksy.inspection.registry import FORMATS, kind_in
from paimon_ksy.io.file_kind import FILE_INDEX, NAMED, UNKNOWN, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.testing import encoded
from paimon_ksy.types.schema import Schema
from tests.support.commands import Cli
from tests.support.examples import WORKED

READ = [kind for kind in FORMATS if FORMATS[kind].is_read]


def damages(file: bytes, seed: int) -> Iterator[bytes]:
    """The file, and damaged ones."""
    draw = random.Random(seed)
    yield file
    yield file[: draw.randrange(len(file) + 1)]
    yield file[draw.randrange(len(file) + 1) :]
    changed = bytearray(file)
    for at in draw.sample(range(len(file)), min(2, len(file))):
        changed[at] ^= 1 << draw.randrange(8)
    yield bytes(changed)


@pytest.mark.parametrize("kind", READ, ids=attrgetter("id"))
@settings(max_examples=2, phases=[Phase.generate])
@given(st.data())
def test_any_bytes_have_an_answer_or_a_clear_error(
    kind: FileKind, cli: Cli, tmp_path: Path, data: st.DataObject
) -> None:
    """Text and JSON agree; errors name the file, a byte in it, and a remedy for its kind."""
    path = tmp_path / "some file"
    file = data.draw(encoded(FORMATS[kind].spec))
    checked = [] if FORMATS[kind].check is None else ["--kind", kind.id]
    outputs = {"dump": ["-o", tmp_path / "x.json"], "report": ["-o", tmp_path / "x.html"]}
    for number, some in enumerate(damages(file, len(file))):
        path.write_bytes(some)
        if not checked and kind_in(open_source(some)) is not kind:
            continue
        answers = {}
        for name in ("inspect", "verify", "dump", "report"):
            options = [*([] if name == "dump" else checked), *outputs.get(name, [])]
            options += ["--overwrite"] if name in outputs else []
            answers[name] = code, _, err = cli(name, path, *options)
            what = f"{name} of {kind.id}, {number}: {code} {err}"
            assert code in {*ExitCode} and "bug" not in err, what
            assert not err or str(path) in err, what
            assert kind is FILE_INDEX or "build --help" not in err, what
        code, _, err = answers["inspect"]
        as_json, out, problems = cli("inspect", path, *checked, "--format", "json")
        assert (as_json, bool(out)) == (code, bool(answers["inspect"][1]))
        for line in problems.splitlines():
            error = json.loads(line)["error"]
            assert error["remedy"] or error["code"] in ("unsupported", "schema"), error
            assert 0 <= (error["byte"] or 0) <= len(some), error
        if not number and not {"schema", "key"} & {*FORMATS[kind].takes}:
            refused = cli("inspect", path, *checked, "-s", "a INT")
            assert (refused[0], "needs no schema: drop --schema" in refused[2]) == (2, True)
        if not code and not out:
            assert "cannot be read" not in (tmp_path / "x.html").read_text()


TEXTS = pa.array([f"key {number}" for number in range(80)])
STRINGS = Schema.parse("name STRING")
SORTED: dict[str, bytes] = {
    f"{kind} {compression.name}": data
    for compression in (BlockCompression.none, BlockCompression.zstd)
    for kind, data in {
        "btree 1": write_index([TEXTS], STRINGS.fields, Options(1, 200, compression)).data,
        "btree 2": write_index([TEXTS], STRINGS.fields, Options(2, 200, compression)).data,
        "bitmap": BitmapIndexWriter(STRINGS.fields[0], compression=compression).write(TEXTS)[0],
    }.items()
}
WITH_SCHEMA: dict[str, tuple[bytes, dict[str, str]]] = {
    **{
        name: (
            data,
            {
                "name INT": "column 'name', byte",
                "name TIMESTAMP": "column 'name', byte",
                "name ROW<a INT>": "such an index has no keys",
                "name STRING": "",
            },
        )
        for name, data in SORTED.items()
    },
    "old-bitmap": (
        b"".join(INDEX_TYPES["bitmap"].new_builder(STRINGS["name"], {}).build(TEXTS)),
        {
            "name INT": "column 'name': its type in the schema is INT",
            "name TIMESTAMP": "column 'name': its type in the schema is TIMESTAMP",
            "name ROW<a INT>": "such an index has no keys",
            "name STRING": "",
        },
    ),
    "index": (
        WORKED.read_bytes(),
        {
            "statos STRING": "column 'statos': the file has no such column (did you mean",
            "nope INT": "column 'nope': the file has no such column: it has region, status",
            "status STRING, other INT": "",
        },
    ),
}


def test_each_format_that_takes_a_schema_checks_it() -> None:
    takers = [each for each in FORMATS.values() if "schema" in each.takes]
    assert takers and all(each.check_schema for each in takers)
    tested = {
        NAMED.get(name) or kind_in(open_source(data)) for name, (data, _) in WITH_SCHEMA.items()
    }
    assert tested == {each.kind for each in takers}


@pytest.mark.parametrize("name", WITH_SCHEMA)
def test_a_schema_of_another_file_is_an_error(name: str, cli: Cli, tmp_path: Path) -> None:
    data, schemas = WITH_SCHEMA[name]
    path = tmp_path / "x"
    path.write_bytes(data)
    page: list[Any] = ["-o", tmp_path / "x.html", "--overwrite"]
    of_kind = [] if kind_in(open_source(data)) is not UNKNOWN else ["--kind", name]
    commands = ("inspect", "verify", "report", *([] if of_kind else ["dump"]))
    for schema, message in schemas.items():
        for command in commands:
            more = [*of_kind, *(page if command == "report" else [])]
            code, out, err = cli(command, path, "-s", schema, *more)
            expected = (2, False) if message else (0, command != "report" or bool(out))
            assert (code, bool(out)) == expected, (command, schema)
            assert message in err and err.startswith(f"paimon-ksy: {path}: " if message else "")


def test_the_schema_of_a_table_may_have_other_columns_than_an_index(
    cli: Cli, tmp_path: Path
) -> None:
    fields = [{"id": 0, "name": "statos", "type": "STRING"}]
    (tmp_path / "schema-0").write_text(json.dumps({"id": 0, "fields": fields}))
    for command in ("inspect", "verify", "dump"):
        assert cli(command, WORKED, "--schema-file", tmp_path / "schema-0")[0] == 0


def test_composite_keys_are_shown_in_all_forms(cli: Cli, tmp_path: Path) -> None:
    schema, path = Schema.parse("a INT, b STRING, c INT"), tmp_path / "x"
    columns = [pa.array([1, 1], pa.int32()), pa.array(["x", None]), pa.array([2, 3], pa.int32())]
    path.write_bytes(write_index(columns, schema.fields).data)
    of_file = [path, "-s", str(schema)]
    code, out, _ = cli("inspect", *of_file)
    assert (code, "(1, NULL, 3)" in out, "(1, x, 2)" in out) == (0, True, True)
    document = json.loads(cli("inspect", *of_file, "--format", "json")[1])
    assert [each["key"] for each in document["keys"]] == [[1, None, 3], [1, "x", 2]]
    assert cli("report", *of_file, "-o", tmp_path / "x.html")[0] == 0
    assert "(1, NULL, 3)" in (tmp_path / "x.html").read_text()


def test_a_later_version_is_called_unsupported(cli: Cli, tmp_path: Path) -> None:
    """That of an index whose magic number is beside its version."""
    for name, at in {"btree 1 none": -8, "bitmap none": -5}.items():
        data, path = bytearray(SORTED[name]), tmp_path / "x"
        assert data[at] == 1
        data[at] = 9
        path.write_bytes(data)
        code, _, err = cli("inspect", path)
        assert (code, "unsupported version 9 of the" in err) == (2, True)
        code, out, _ = cli("verify", path)
        assert (code, "note" in out and "unsupported version 9" in out) == (0, True)
