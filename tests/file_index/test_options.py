"""Table options and `--index` texts, by Paimon's rules."""

import pytest

from paimon_ksy.errors import OptionError
from paimon_ksy.file_index.options import (
    FileIndexOptions,
    IndexSpec,
    parse_index_spec,
    parse_memory_size,
    parse_options,
)


def test_options_of_a_table() -> None:
    options = parse_options(
        {
            "bucket": "4",
            "file-index.bitmap.columns": "status, m[k1] ,m[k2]",
            "file-index.bitmap.status.version": "1",
            "file-index.bitmap.m.index-block-size": "1kb",
            "file-index.bitmap.m[k2].index-block-size": "2kb",
            "file-index.bloom-filter.columns": "status",
            "file-index.bloom-filter.status.items": "200",
            "file-index.in-manifest-threshold": "1 kb",
            "file-index.read.enabled": "true",
        }
    )
    assert set(map(str, options.indexes)) == set(
        map(
            str,
            [
                IndexSpec("bitmap", "status", None, {"version": "1"}),
                IndexSpec("bitmap", "m", "k1", {"index-block-size": "1kb"}),
                IndexSpec("bitmap", "m", "k2", {"index-block-size": "2kb"}),
                IndexSpec("bloom-filter", "status", None, {"items": "200"}),
            ],
        )
    )
    assert options.in_manifest_threshold == 1024
    assert {spec.name for spec in options.indexes} == {"status", "m[k1]", "m[k2]"}


def test_no_index() -> None:
    assert parse_options({"bucket": "4"}) == FileIndexOptions((), 500)


def test_options_with_other_numbers_of_dots_are_passed_over_as_in_java() -> None:
    options = parse_options(
        {"file-index.bitmap.columns": "a.b", "file-index.bitmap.a.b.version": "1"}
    )
    assert options.indexes == (IndexSpec("bitmap", "a.b"),)


@pytest.mark.parametrize("value", ["", "a,,b", ",a", "a, ,b"])
def test_a_column_name_is_missing(value: str) -> None:
    with pytest.raises(OptionError, match=r"file-index\.bitmap\.columns"):
        parse_options({"file-index.bitmap.columns": value})


def test_java_takes_commas_at_the_end() -> None:
    assert len(parse_options({"file-index.bitmap.columns": "a,b,,"}).indexes) == 2


def test_an_option_of_a_column_that_is_not_listed() -> None:
    with pytest.raises(OptionError, match="add column 'b'"):
        parse_options({"file-index.bitmap.columns": "a", "file-index.bitmap.b.version": "1"})


def test_a_column_twice() -> None:
    with pytest.raises(OptionError, match="column 'a' is listed twice"):
        parse_options({"file-index.bitmap.columns": "a,b,a"})


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("100", 100),
        ("16kb", 16384),
        ("1 mb", 1 << 20),
        (" 2 Gibibytes ", 2 << 30),
        ("3t", 3 << 40),
        ("256B", 256),
        ("0", 0),
    ],
)
def test_memory_size(text: str, size: int) -> None:
    assert parse_memory_size(text, "o") == size


@pytest.mark.parametrize("text", ["", "kb", "-1", "1.5kb", "1 xb", "9223372036854775808", "16 k b"])
def test_bad_memory_size(text: str) -> None:
    with pytest.raises(OptionError, match="option 'index-block-size'"):
        parse_memory_size(text, "index-block-size")


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("bitmap:status", IndexSpec("bitmap", "status")),
        (
            "bitmap:user_id(version=1, index-block-size=1kb)",
            IndexSpec("bitmap", "user_id", None, {"version": "1", "index-block-size": "1kb"}),
        ),
        ("bitmap:m[a b]", IndexSpec("bitmap", "m", "a b")),
        (
            " bitmap : `a(b)``c` ( version = 1 ) ",
            IndexSpec("bitmap", "a(b)`c", None, {"version": "1"}),
        ),
        ("bloom-filter:用户", IndexSpec("bloom-filter", "用户")),
    ],
)
def test_index_spec(text: str, spec: IndexSpec) -> None:
    assert parse_index_spec(text) == spec


@pytest.mark.parametrize(
    "text",
    [
        "",
        "status",
        "bitmap:",
        ":a",
        "bitmap:a(version)",
        "bitmap:a(version=)",
        "bitmap:a(x=1,x=2)",
        "bitmap:a(x=1",
    ],
)
def test_bad_index_spec(text: str) -> None:
    with pytest.raises(OptionError):
        parse_index_spec(text)
