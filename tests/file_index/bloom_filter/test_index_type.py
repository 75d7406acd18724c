"""The record of the bloom filter: columns and options that it takes."""

import pytest

from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.types.parse import parse_type
from tests.golden import refusals

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


@pytest.mark.parametrize(("ddl", "java"), refusals()["bloom-filter"].items())
def test_types_that_java_refuses(ddl: str, java: str | None) -> None:
    if java is None:
        INDEX_TYPES["bloom-filter"].new_builder(parse_type(ddl), {})
    else:
        with pytest.raises(UnsupportedError, match="bloom-filter"):
            INDEX_TYPES["bloom-filter"].new_builder(parse_type(ddl), {})


@pytest.mark.parametrize(
    "options",
    [
        {"items": "-1"},
        {"items": "1.5"},
        {"items": "3000000000"},
        {"items": "2147483647", "fpp": "0.0001"},
        {"fpp": "0"},
        {"fpp": "1.1"},
        {"fpp": "nan"},
        {"fpp": "x"},
        {"size": "1"},
    ],
)
def test_options_that_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(OptionError) as caught:
        INDEX_TYPES["bloom-filter"].new_builder(parse_type("INT"), options)
    assert "\n" not in str(caught.value)
