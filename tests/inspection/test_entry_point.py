"""Entry points as text; tests/project/test_webide.py opens them in the Web IDE."""

import re
from typing import Any

import pytest
from ksykit.runtime.objects import to_bytes
from ruamel.yaml import YAML

from kit_support.compiled import compile_errors
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs.file_index import (
    make_file_index,
    make_file_index_column,
    make_file_index_entry,
    make_file_index_head,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.inspection import entry_point as module
from paimon_ksy.inspection.entry_point import EntryPoint, entry_point, inlined_types
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import (
    BUCKET_INDEX,
    FILE_INDEX,
    NAMED,
    ORC,
    PARQUET,
    UNKNOWN,
    VECTORS,
    FileKind,
)
from paimon_ksy.io.source import open_source
from paimon_ksy.java import modified_utf8
from paimon_ksy.table_index.deletion_vector_file import VectorMeta
from paimon_ksy.types.data_type import quote
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import bad_files, golden_index
from tests.golden.vectors import bad_vectors, golden_vectors
from tests.support.golden_json import schema_from_spec

EXAMPLES = ROOT / "examples"


def of_index(data: bytes, types: str | None) -> EntryPoint:
    schema = None if types is None else Schema.parse(types)
    return entry_point(FILE_INDEX, Subject(open_source(data), schema))


def parsed(made: EntryPoint) -> Any:
    return YAML(typ="safe").load(made.text)


@pytest.mark.parametrize("name", ["orders", "worked"])
def test_examples_are_up_to_date(name: str) -> None:
    folder = EXAMPLES / name
    schema = Schema.from_paimon_json((folder / "orders.schema.json").read_bytes())
    with open_source(folder / "orders.parquet.index") as source:
        made = entry_point(FILE_INDEX, Subject(source, schema))
    assert (folder / "orders.parquet.index.ksy").read_text(encoding="utf-8") == made.text


def test_any_compiler_takes_it() -> None:
    """It has all types in it, for each language: each index type, vectors and bucket indexes."""
    case, [vectors] = (
        golden_index("c_all_indexes_one_column"),
        [case for case in golden_vectors() if case.name == "dv_mixed"],
    )
    metas = [
        VectorMeta(r["offset"], r["length"], r["cardinality"], r["name"]) for r in vectors.ranges
    ]
    made = {
        "index": entry_point(
            FILE_INDEX, Subject(open_source(case.data), schema_from_spec(case.spec))
        ),
        "vectors": entry_point(VECTORS, Subject(open_source(vectors.data))),
        "placed": entry_point(VECTORS, Subject(open_source(vectors.data), vectors=metas)),
        "kind": entry_point(NAMED["btree"], Subject(open_source(b"\4n003\1\0\0\0ITBP"))),
        "bucket": entry_point(BUCKET_INDEX, Subject(open_source(bytes(8)))),
    }
    specs = {name: parsed(each) for name, each in made.items()}
    assert all("imports" not in spec["meta"] for spec in specs.values())
    types = specs["index"]["types"]
    assert {kind.spec for kind in INDEX_TYPES.values()} < types.keys()
    assert compile_errors(specs) == {}
    with pytest.raises(UnsupportedError, match="a CSV file, which no spec describes"):
        entry_point(NAMED["csv"], Subject(open_source(b"a,b")))


def test_each_spec_can_describe_a_file() -> None:
    """Also those of parts of files, such as rows. Data files need no name."""
    found = inlined_types()
    listed = {path.stem for path in (ROOT / "specs").glob("*.ksy")}
    calls = {
        name: f"{name}({', '.join('1' for _ in found[name].params)})".removesuffix("()")
        for name in listed
    }
    calls |= {"row": "binary_row::serialized_row", "snappy": "snappy_block"}
    source = open_source(b"")
    made = {name: entry_point(UNKNOWN, Subject(source), spec=call) for name, call in calls.items()}
    made |= {kind.id: entry_point(kind, Subject(source)) for kind in (PARQUET, ORC)}
    specs = {name: parsed(each) for name, each in made.items()}
    assert compile_errors(specs, ["javascript"]) == {}  # as the Web IDE does
    with pytest.raises(UnsupportedError, match=r"no spec 'bitmap'.*: there are "):
        entry_point(UNKNOWN, Subject(source), spec="bitmap(3)")
    with pytest.raises(UnsupportedError, match="is not a type"):
        entry_point(UNKNOWN, Subject(source), spec="binary_row(3)\nseq: []")


def test_decimals_have_their_scale() -> None:
    data = golden_index("range_decimal").data
    [column] = golden_index("range_decimal").columns
    types = f"{column['name']} {column['type']}"
    [inlined] = parsed(of_index(data, types))["instances"].values()
    assert inlined["type"] == "range_bitmap_index(102)"


def test_names_that_kaitai_cannot_spell() -> None:
    case = golden_index("c_names_mutf8")
    columns = ", ".join(f"{quote(column['name'])} INT" for column in case.columns)
    ids = list(parsed(of_index(case.data, columns))["instances"])
    assert len(ids) == len(case.columns)
    assert {"a_bitmap", "a_bitmap_2", "a_b_c_d_bitmap", "column_bitmap"} <= set(ids)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", spec_id) for spec_id in ids)


NASTY = [
    '"',
    "\\",
    "'",
    "\n",
    "\x00",
    "\x7f",
    "\u2028",
    "\ufeff",
    ": - {",
    "#",
    "\ud800",
    "é😀",
    "",
]


def made_index(*names: str, kind: str = "bitmap") -> bytes:
    columns = [
        make_file_index_column(
            name=make_java_utf8(value=modified_utf8.encode(name)),
            indexes=[
                make_file_index_entry(
                    index_type=make_java_utf8(value=modified_utf8.encode(kind)),
                    ofs_body=0,
                    len_body=1,
                )
            ],
        )
        for name in names
    ]
    return to_bytes(make_file_index(head=make_file_index_head(columns=columns, len_redundant=0)))


def test_no_name_breaks_the_yaml() -> None:
    """A file may have any bytes as a name, and any text as the type of an index."""
    for text in NASTY:
        made = parsed(of_index(made_index(text, "a" + text), None))
        assert len(made["instances"]) == 2
        made = parsed(of_index(made_index("a", kind=text), None))
        [(name, instance)] = made["instances"].items()
        assert re.fullmatch("a_[a-z0-9_]+", name) and "size" in instance


def test_many_indexes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    made = of_index(made_index(*"abcde"), None)
    assert list(parsed(made)["instances"]) == ["a_bitmap", "b_bitmap", "c_bitmap"]
    assert made.notes[0] == "only the first 3 of 5 indexes are listed"


def test_unknown_and_wrong_types_are_named() -> None:
    data = golden_index("t_bitmap_v2_int").data
    made = of_index(data, None)
    assert "the types of columns 'c' are unknown" in made.notes[0]
    assert "size" in parsed(made)["instances"]["c_bitmap"]
    made = of_index(data, "c DECIMAL(10, 2)")
    assert made.notes == (
        "column 'c' cannot be DECIMAL(10, 2) in a bitmap index: its index is shown as bytes",
    )
    assert "size" in parsed(made)["instances"]["c_bitmap"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, FILE_INDEX) for name in ("version_2", "truncated_head", "wrong_magic")),
        *((name, VECTORS) for name in ("magic", "truncated", "crc_flipped")),
    ],
)
def test_broken_files(name: str, kind: FileKind) -> None:
    bad: dict[str, bytes] = {each.name: each.data for each in bad_files()}
    bad |= {each.name: each.data for each in bad_vectors()}
    made = entry_point(kind, Subject(open_source(bad[name]), Schema.parse("a INT")))
    assert len(made.notes) == 1
    spec = "file_index" if kind is FILE_INDEX else "deletion_vectors"
    assert parsed(made)["seq"] == [{"id": "file", "type": spec}]
    assert "instances" not in parsed(made)
