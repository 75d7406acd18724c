"""A dump gives the same bytes again, and an edited one gives the edited file."""

import copy
import gc
import json
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest
from ksykit.runtime import objects as runtime
from ksykit.runtime.structs import Struct

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, parse_index_spec
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs.file_index import (
    make_file_index,
    make_file_index_column,
    make_file_index_entry,
    make_file_index_head,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.io.source import open_source
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vectors
from paimon_ksy.types.schema import Schema
from tests.golden import BadFile, GoldenIndex, bad_files, golden_index, golden_indexes
from tests.support.golden_json import schema_from_spec
from tests.support.selections import selected_rows

NO_HEAD = {
    "empty_file",
    "head_length_negative",
    "head_length_short",
    "negative_start_-2",
    "truncated_head",
    "truncated_magic",
    "version_0",
    "version_2",
    "wrong_magic",
}
GOLDEN = {case.name: case for case in (*golden_indexes(), *golden_indexes(*INDEX_TYPES))}
QUICK = [case for case in GOLDEN.values() if len(case.data) < 100_000]


def dumped(data: bytes, schema: Schema | None) -> dict[str, Any]:
    """The dump, once through text."""
    with open_source(data) as source:
        document: dict[str, Any] = json.loads(json.dumps(dump_file(source, schema)))
    return document


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_golden_files_come_back(case: GoldenIndex) -> None:
    assert assemble(dumped(case.data, None)) == case.data
    document = dumped(case.data, schema_from_spec(case.spec))
    assert assemble(document) == case.data
    indexes = [i for column in case.dump["columns"] for i in column["indexes"]]
    told = [i for i in indexes if not i["empty"]]
    assert len(document["parts"]) == 1 + len(told)


@pytest.mark.parametrize("version", ["1", "2"])
def test_objects_that_nothing_looks_into_are_not_kept(version: str) -> None:
    """Their memory would grow with the file, and no collector runs while a file is read."""
    texts = pa.table({"c": [f"{n % 700:03}" for n in range(70_000)]})
    options = {"file-index.bitmap.columns": "c", "file-index.bitmap.c.version": version}
    data = build_file_index(texts, Schema.parse("c STRING"), options)
    gc.collect()
    gc.disable()
    try:
        document = dumped(data, Schema.parse("c STRING"))
        assert document["parts"][1]["$type"] == "bitmap_index"
        assert assemble(document) == data
        kept = sum(isinstance(found, Struct) for found in gc.get_objects())
    finally:
        gc.enable()
    assert kept < 100


@pytest.mark.parametrize("case", bad_files(), ids=lambda case: case.name)
def test_odd_files_come_back_or_are_refused(case: BadFile) -> None:
    if case.name in NO_HEAD:
        with pytest.raises((CorruptFileError, UnsupportedError)):
            dumped(case.data, Schema.parse("a INT"))
        return
    for schema in (None, Schema.parse("a INT"), Schema.parse("a STRING"), Schema.parse("a BIGINT")):
        assert assemble(dumped(case.data, schema)) == case.data


def test_each_truncation_comes_back_or_is_refused() -> None:
    data = golden_index("t_bitmap_v2_varchar_20").data
    schema = Schema.parse("c STRING")
    for length in range(len(data)):
        try:
            document = dumped(data[:length], schema)
        except (CorruptFileError, UnsupportedError):
            assert length < 47  # the head
        else:
            assert assemble(document) == data[:length]


def test_an_edited_value_gives_an_edited_file() -> None:
    case = golden_index("t_bitmap_v2_varchar_20")
    document = dumped(case.data, schema_from_spec(case.spec))
    index = next(part for part in document["parts"] if part["$type"] == "bitmap_index")
    block = index["v2"]["directory"]["blocks"][0]["body"]
    entry = next(e for e in block["entries"] if e["key"]["text"] in ("ab", {"hex": "6162"}))
    entry["key"]["text"] = {"hex": b"ac".hex()}  # still between its neighbours
    rows_of_ab = case_rows(case, "ab")
    with FileIndex.open(assemble(document), Schema.parse("c STRING")) as edited:
        assert edited.evaluate("c = 'ab'").kind == "skip"
        assert selected_rows(edited.evaluate("c = 'ac'")) == rows_of_ab


def case_rows(case: GoldenIndex, value: str) -> list[int]:
    """The rows of a golden file whose first column holds the value."""
    return [row for row, values in enumerate(case.rows) if values[0] == value]


def test_what_is_null_is_computed() -> None:
    case = golden_index("c_one_column")
    document = dumped(case.data, None)
    head = document["parts"][0]
    head["len_head"] = None
    for column in head["head"]["columns"]:
        column["name"] = {"value": {"hex": b"longer_name".hex()}}
        for entry in column["indexes"]:
            entry["ofs_body"] = entry["len_body"] = None
    with FileIndex.open(assemble(document)) as index:
        assert index.columns == ("longer_name",)
        [entry] = index.places["longer_name"].values()
        body = assemble(document)[entry.ofs_body : entry.ofs_body + entry.len_body]
    [listed] = case.dump["columns"][0]["indexes"]
    assert body == case.data[listed["start"] : listed["start"] + listed["length"]]


def test_a_vector_of_many_empty_bitmaps_is_short() -> None:
    data = b"\1" + DeletionVector.of([1, 2**48], 64).to_bytes()
    document = dumped(data, None)
    assert len(json.dumps(document)) < 2000
    assert assemble(document) == data
    document["parts"][0]["vectors"][0]["crc32"] = None
    assert assemble(document) == data


def test_the_crc_of_an_edited_deletion_vector_is_computed() -> None:
    vectors = [DeletionVector.of([1, 2]), DeletionVector.of([5, 2**33], 64)]
    data = b"\1" + b"".join(vector.to_bytes() for vector in vectors)
    document = dumped(data, None)
    assert assemble(document) == data
    narrow, wide = document["parts"][0]["vectors"]
    crcs = [narrow.pop("crc32"), wide["crc32"]]
    wide["crc32"] = None
    assert assemble(document) == data
    bitmap = narrow["data"]["bitmap_32"]
    bitmap["containers"][0]["values"] = [1, 2, 7]
    bitmap["header"]["descriptors"][0]["cardinality_minus_1"] = 2
    narrow["len_data"] = None
    wide["data"]["bitmap_64"]["bitmaps"][0]["bitmap"]["containers"][0]["values"] = [6]
    edited = assemble(document)
    assert [set(found.vector) for found in read_vectors(edited)] == [{1, 2, 7}, {6, 2**33}]
    narrow["crc32"], wide["crc32"] = crcs
    with pytest.raises(CorruptFileError, match="CRC"):
        list(read_vectors(assemble(document)))


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"parts": 1},
        {"parts": [1]},
        {"parts": [{}]},
        {"parts": [{"at": 0, "$type": "nothing"}]},
        {"parts": [{"at": 0, "$type": "file_index", "version": "x"}]},
        {"parts": [{"at": 0, "$type": "file_index", "version": 2**40}]},
        {"parts": [{"at": 0, "$type": "file_index", "frob": 1}]},
        {"parts": [{"at": "x", "$type": "file_index"}]},
        {"parts": [{"at": 0, "$type": "file_index"}]},
        {"parts": [{"at": 0, "$type": "file_index", "head": []}]},
        {"parts": [], "gaps": [{"at": 0, "hex": "zz"}]},
        {"parts": [], "gaps": [{"at": -5, "hex": "00"}]},
        {"parts": [], "gaps": 3},
    ],
    ids=str,
)
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(PaimonKsyError) as caught:
        assemble(document)
    assert "\n" not in str(caught.value)


HUGE = 10**30
ODD: tuple[Any, ...] = HUGE, 2**31 - 1, -1, "x", {"bits": "ff" * 99}, {"hex": "zz"}, [[]], {}, 1e400


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda doc: doc.update(partz=1), "document has no key 'partz' (did you mean 'parts'?)"),
        (lambda doc: doc["parts"][1].update(frob=None), "has no field frob"),
        (lambda doc: doc["parts"][0]["head"].update(frob=None), "has no field frob"),
        (lambda doc: doc["parts"][1].update({"$typ": 1}), "parts[1] has no key '$typ'"),
        (lambda doc: doc["parts"][0].update({"$params": {"a": 1}}), "parts[0].$params has no key"),
        (lambda doc: doc["parts"][1]["$params"].update(bits=HUGE), "$params has no key 'bits'"),
        (
            lambda doc: doc["parts"][1]["$params"].update(column_type=HUGE),
            "parts[1].$params.column_type must be a whole number from 0 to 2147483647",
        ),
        (lambda doc: doc["gaps"].append({"at": 0, "hex": "", "a": 1}), "gaps[0] has no key 'a'"),
        (lambda doc: doc["gaps"].append({"at": 0}), '"gaps" must be a list of objects'),
        (
            lambda doc: doc["parts"][1].update(at=2**31),
            "parts[1].at must be a whole number from 0 to 2147483647, not 2147483648",
        ),
        (lambda doc: doc["parts"][1].update(at=2**31 - 1), "no field covers"),
        (lambda doc: doc["gaps"].append({"at": 2**31 - 2, "hex": "00"}), "no field covers"),
    ],
)
def test_keys_and_positions_are_checked(edit: Any, message: str) -> None:
    document = odd_document()
    edit(document)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, hard))  # one file of 2 GB would fit, not two
    try:
        with pytest.raises(PaimonKsyError) as caught:
            assemble(document)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert message in str(caught.value)


def odd_document() -> dict[str, Any]:
    data = pa.table({"v": pa.array([0.5, None, 1.5, 0.5], pa.float64())})
    schema = Schema.parse("v DOUBLE")
    specs = map(parse_index_spec, ("bitmap:v", "range-bitmap:v"))
    index = build_file_index(data, schema, FileIndexOptions.of(specs))
    return dump_file(open_source(bytes(index)), schema)


def test_any_other_value_is_refused_or_written() -> None:
    """Whatever is written into a field, it is an error of ours, in no time and little memory."""
    started = time.process_time()
    document = odd_document()
    places = list(leaves_of(document))
    assert len(places) > 80
    for path in places:
        *parents, last = path
        for value in ODD:
            changed = copy.deepcopy(document)
            node: Any = changed
            for step in parents:
                node = node[step]
            node[last] = value
            with suppress(PaimonKsyError):
                assemble(changed)
    assert time.process_time() - started < 60


def leaves_of(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps: Any = ()
    if isinstance(node, dict | list):
        steps = node.items() if isinstance(node, dict) else enumerate(node)
    else:
        yield path
    for step, child in steps:
        yield from leaves_of(child, (*path, step))


def test_an_index_without_bytes_may_be_said_to_stand_behind_the_end() -> None:
    head = make_file_index_head(
        columns=[
            make_file_index_column(
                name=make_java_utf8(value=b"c"),
                indexes=[
                    make_file_index_entry(
                        index_type=make_java_utf8(value=b"other"), ofs_body=90, len_body=0, body=b""
                    )
                ],
            )
        ]
    )
    data = runtime.to_bytes(make_file_index(head=head))
    assert len(data) < 90
    document = dump_file(open_source(data), Schema.parse("c INT"))
    assert assemble(json.loads(json.dumps(document))) == data
