"""SECURITY.md names tests that exist and numbers that the code has."""

import ast
import re

import pytest
from ksykit.generator import expression, read

from paimon_ksy.table.io import storage
from paimon_ksy.table.manifests import (
    avro_blocks,
    avro_records,
    containers,
    index_files,
    lists,
)
from paimon_ksy.types import parse
from tests import ROOT
from tests.support import hostile

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
TESTS = re.findall(r"`((?:ksykit/)?tests/[\w/]+\.py)(?:::(\w+))?`", TEXT)


@pytest.mark.parametrize(("file", "name"), TESTS)
def test_its_tests_exist(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert name in names if name else any(each.startswith("test_") for each in names)


def test_all_promises_name_a_test() -> None:
    promises = TEXT.partition("## What is promised")[2].partition("## ")[0].split("\n- ")[1:]
    assert len(promises) >= 8
    assert [promise for promise in promises if "tests/" not in promise] == []


@pytest.mark.parametrize(
    "words",
    [
        f"at most {hostile.SECONDS} seconds",
        f"{hostile.MEGABYTES} MB beyond",
        f"at most {avro_blocks.MOST_AT_ONCE >> 20} MB",
        f"a file to {avro_blocks.MOST_BYTES >> 20:,} MB",
        f"than {avro_records.MOST_MEMORY >> 20} MB of memory",
        f"at most {containers.MOST_IN_ARROW >> 20:,} MB in Arrow",
        f"a manifest list {lists.MOST_BYTES >> 20} MB",
        f"at most {index_files.MOST_FILES:,} index files",
        f"at most {containers.MOST_RECORDS:,} records",
        f"at most {storage._MOST_BYTES >> 20} MB, those in JSON",
        f"in JSON {storage._MOST_JSON_BYTES >> 20} MB",
        f"types | nested at most {parse.MAX_DEPTH} deep",
        f"at most {read.MOST_BYTES:,} bytes and {read.MOST_NODES:,} values",
        f"of each alias again; nested at most {read.MOST_DEPTH} deep",
        f"value instances nested at most {expression.MOST_DEPTH} deep",
        f"{expression.MOST_PARTS:,} operations with value instances",
    ],
)
def test_its_numbers_are_those_of_the_code(words: str) -> None:
    assert words in TEXT


def test_nothing_runs_what_it_reads() -> None:
    """Tasks and their results are pickled between our own processes."""
    found = []
    for path in (ROOT / "paimon_ksy").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            if called in ("eval", "exec", "pickle.load", "pickle.loads", "yaml.load"):
                found.append((str(path.relative_to(ROOT / "paimon_ksy").parent), called))
    assert set(found) == {("spark", "pickle.loads"), ("table/engine", "pickle.loads")}
