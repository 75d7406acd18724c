"""The records of index types: columns, options and content, in the same tests for all."""

import importlib
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paimon_ksy.file_index
from kit_support.examples import examples
from paimon_ksy.errors import OptionError, SchemaError, UnsupportedError
from paimon_ksy.file_index.content import Content
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.source import open_source
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from tests.golden import refusals
from tests.support.strategies import arrow_column, columns

INT, BIGINT, STRING = map(parse_type, ("INT", "BIGINT", "STRING"))


def test_the_registry_has_each_package_under_its_name() -> None:
    folder = Path(paimon_ksy.file_index.__path__[0])
    packages = {path.parent.name for path in folder.glob("*/index_type.py")}
    modules = [f"paimon_ksy.file_index.{name}.index_type" for name in packages]
    records = {importlib.import_module(module).INDEX_TYPE for module in modules}
    assert {kind.name: kind for kind in records} == INDEX_TYPES
    assert len({kind.preference for kind in records}) == len(packages)


@pytest.mark.parametrize("name", INDEX_TYPES)
def test_types_that_java_refuses(name: str) -> None:
    kind = INDEX_TYPES[name]
    for ddl, java in refusals()[name].items():
        data_type = parse_type(ddl)
        assert kind.takes(data_type) == (java is None), ddl
        if java is None:
            kind.new_builder(data_type, {})
            continue
        assert not kind.is_typed or kind.arguments(data_type, 0) is None
        with pytest.raises(UnsupportedError, match=f"{name} index cannot be built on type"):
            kind.new_builder(data_type, {})
        with pytest.raises(UnsupportedError, match="pass the schema that the file was written"):
            kind.reader(open_source(b"x"), 0, "c", data_type, 1)


def test_in_which_indexes_java_loses_rows_of_nanoseconds() -> None:
    losing = {
        name for name, kind in INDEX_TYPES.items() if kind.loses_rows(parse_type("TIMESTAMP(9)"))
    }
    assert losing == {"bitmap", "bsi"}
    assert not any(kind.loses_rows(parse_type("TIMESTAMP(6)")) for kind in INDEX_TYPES.values())


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("bitmap", {"chunk-size": "1kb"}, "no option 'chunk-size'"),
        ("bitmap", {"version": "3"}, "version of a bitmap index is 1 or 2, not '3'"),
        ("bitmap", {"version": ""}, "version of a bitmap index is 1 or 2, not ''"),
        ("bitmap", {"index-block-size": "1q"}, "index-block-size"),
        ("bsi", {"version": "1"}, "no option 'version'"),
        ("range-bitmap", {"version": "1"}, "no option 'version'"),
        ("range-bitmap", {"chunk-size": "3gb"}, "at most 2147483647 bytes"),
        ("range-bitmap", {"chunk-size": "big"}, "chunk-size"),
        ("bloom-filter", {"size": "1"}, "no option 'size'"),
        ("bloom-filter", {"items": "-1"}, "set up to 2147483647"),
        ("bloom-filter", {"items": "1.5"}, "set up to 2147483647"),
        ("bloom-filter", {"items": "2147483648"}, "set up to 2147483647"),
        (
            "bloom-filter",
            {"items": "500000000"},
            "takes 2396264600 bits, and Java allows 2147483647",
        ),
        *(
            ("bloom-filter", {"fpp": fpp}, "is not a false-positive rate")
            for fpp in ("0", "1.1", "nan", "x")
        ),
    ],
)
def test_options_that_are_refused(name: str, options: dict[str, str], says: str) -> None:
    with pytest.raises(OptionError, match=says) as caught:
        INDEX_TYPES[name].new_builder(INT, options)
    assert "\n" not in str(caught.value)


def test_values_that_are_refused() -> None:
    least = pa.array([0, -(2**63)], pa.int64())
    with pytest.raises(UnsupportedError, match="-9223372036854775808: use 'range-bitmap'"):
        INDEX_TYPES["bsi"].new_builder(BIGINT, {}).build(least)
    decimal = parse_type("DECIMAL(20, 0)")
    with pytest.raises(UnsupportedError, match="64 bits"):
        INDEX_TYPES["bsi"].new_builder(decimal, {}).build(pa.array([10**19], to_arrow(decimal)))
    for kind in INDEX_TYPES.values():
        with pytest.raises(SchemaError, match="cannot be INT"):
            kind.new_builder(INT, {}).build(pa.array(["a"]))


FORMS = [
    ("bitmap", {"version": "1"}),
    ("bitmap", {"version": "2", "index-block-size": "128b"}),
    ("bsi", {}),
    ("range-bitmap", {"chunk-size": "0b"}),
    ("range-bitmap", {"chunk-size": "24b"}),
    ("bloom-filter", {"items": "50"}),
]


@pytest.mark.parametrize(("name", "options"), FORMS)
@pytest.mark.parametrize("ddl", ["INT", "BIGINT", "STRING", "DOUBLE", "BOOLEAN", "TIMESTAMP(3)"])
@examples(15)
@given(data=st.data())
def test_an_index_has_the_content_of_its_column(
    name: str, options: dict[str, str], ddl: str, data: st.DataObject
) -> None:
    """In any chunks, and as a dictionary, the column gives the same bytes."""
    kind, data_type = INDEX_TYPES[name], parse_type(ddl)
    if not kind.takes(data_type):
        return
    values = data.draw(columns(data_type).filter(lambda column: -(2**63) not in column))
    column = arrow_column(data_type, values)
    builder = kind.new_builder(data_type, options)
    body = b"".join(map(bytes, builder.build(column)))
    cut = data.draw(st.integers(0, len(column)))
    chunks = pa.chunked_array([column[:cut], column[cut:]], column.type)
    for same in (chunks, chunks.dictionary_encode()):
        assert b"".join(map(bytes, builder.build(same))) == body
    with open_source(b"xyz" + body) as source:
        shown = kind.stored_options(source, 3, len(body), "c")
        if "version" in options:
            assert shown == {"version": options["version"]}
        if kind.num_rows is not None:
            assert kind.num_rows(source, 3) == len(column)
        reader = kind.reader(source, 3, "c", data_type, len(body))
        content = kind.check(reader, 3, 3 + len(body))
        if kind.compare is not None:
            kind.compare(reader, "c", chunks, data_type, "parquet")
            return
    assert content is not None
    assert not len(content.differs(Content.of_column(chunks, data_type)))
