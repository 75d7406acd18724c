"""Errors: codes, messages, and the same in each process."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import paimon_ksy
from paimon_ksy import errors
from paimon_ksy.errors import (
    Call,
    CorruptFileError,
    Remedy,
    counted,
    first_line,
    with_article,
)
from paimon_ksy.inspection.verify import verify
from paimon_ksy.messages.causes import is_denied
from tests import ROOT
from tests.golden import golden_index
from tests.golden.vectors import golden_hashes, golden_vectors


def test_every_public_error_has_a_code_of_its_own() -> None:
    kinds = [getattr(paimon_ksy, name) for name in paimon_ksy.__all__ if name.endswith("Error")]
    codes = [kind.code for kind in kinds if "code" in vars(kind)]
    assert len(codes) > 8
    assert len(set(codes)) == len(codes)
    general = {kind.__name__ for kind in kinds if "code" not in vars(kind)}
    assert general == {"MissingColumnError", "OrphansLeftError", "WrongVectorError"}


ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.PaimonKsyError)
]


@pytest.mark.parametrize("kind", ERRORS)
def test_each_error_is_public_and_the_same_after_a_pickle(
    kind: type[errors.PaimonKsyError],
) -> None:
    assert getattr(paimon_ksy, kind.__name__) is kind
    error = kind("cut", path="a", remedy="copy it")
    copied = pickle.loads(pickle.dumps(error))
    assert (type(copied), str(copied), vars(copied)) == (kind, str(error), vars(error))


@pytest.mark.parametrize(
    ("call", "built_in", "kind"),
    [
        (lambda path: paimon_ksy.Table.at(f"{path}/nope"), FileNotFoundError, "MissingFileError"),
        (lambda path: paimon_ksy.query(path, tag="nope"), FileNotFoundError, "MissingFileError"),
        (lambda path: paimon_ksy.query(path, columns=["stat"]), KeyError, "MissingColumnError"),
        (lambda path: paimon_ksy.query(path, "stat = 'A'"), ValueError, "PredicateError"),
        (lambda path: paimon_ksy.parse_type("STRNG"), ValueError, "SchemaError"),
        (lambda path: paimon_ksy.set_options(path, {"bucket": "x"}), ValueError, "OptionError"),
    ],
)
def test_errors_are_those_that_python_people_catch(
    call: Callable[[str], object], built_in: type[Exception], kind: str
) -> None:
    with pytest.raises(built_in) as caught:
        call(str(ROOT / "examples/warehouse/default.db/orders"))
    assert type(caught.value).__mro__.index(getattr(paimon_ksy, kind)) < 2
    if "stat" in str(caught.value):
        assert "did you mean 'status'?" in str(caught.value)


def test_an_error_is_the_same_in_another_process() -> None:
    error = CorruptFileError("cut", path=Path("a b"), column="s", offset=0, remedy="copy it")
    copied = pickle.loads(pickle.dumps(error))
    assert str(copied) == str(error) == "a b: column 's', byte 0: cut; copy it"
    assert vars(copied) == vars(error)
    remedy = Remedy("run ", Call("table audit", "--repair"))
    copied = pickle.loads(pickle.dumps(CorruptFileError("cut", remedy=remedy)))
    assert copied.remedy.on("t") == "run `paimon-ksy table audit t --repair`"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("\n too long\n at 3"), "too long"),
        (ValueError(" \n"), "ValueError"),
        (NotImplementedError(), "NotImplementedError"),
    ],
)
def test_the_first_line_of_an_error(error: Exception, line: str) -> None:
    assert first_line(error) == line


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((1, "byte", "follow"), "1 byte follows"),
        ((2, "byte", "follow"), "2 bytes follow"),
        ((1, "row", "are"), "1 row is"),
        ((1_001, "index"), "1,001 indexes"),
        ((0, "batch"), "0 batches"),
    ],
)
def test_numbers_with_their_nouns(words: tuple[int, str], text: str) -> None:
    assert counted(*words) == text


def test_one_byte_too_many_or_too_few() -> None:
    """No message has a plural with 1, whichever package words it."""
    messages = []
    kinds = {
        "index": golden_index("types_bitmap_v2").data,
        "vectors": golden_vectors()[0].data,
        "bucket-index": golden_hashes()["few"][0],
    }
    for kind, data in kinds.items():
        for wrong in (data + b"\0", data[:-1], data[:9], data[:1], b"\0" * 5):
            messages += [found.message for found in verify(wrong, kind=kind)]
    assert any("1 byte" in message for message in messages)
    assert [m for m in messages if re.search(r"(?<![\d,.'])1 (more )?[a-z]+s\b(?<!is|as)", m)] == []


@pytest.mark.parametrize(
    ("noun", "worded"),
    [("INT", "an INT"), ("DATE", "a DATE"), (int, "an int"), (dict, "a dict"), ("Expr", "an Expr")],
)
def test_articles(noun: object, worded: str) -> None:
    assert with_article(noun) == worded


def test_wrong_arguments_are_named_with_an_article() -> None:
    schema = paimon_ksy.Schema.parse("a INT")
    with pytest.raises(paimon_ksy.PredicateError, match=r"^an int is not a predicate"):
        paimon_ksy.FileIndex.open(golden_index("types_bitmap_v2").data, schema).evaluate(3)
    with pytest.raises(paimon_ksy.PaimonKsyError, match=r"^cannot read from an int"):
        paimon_ksy.FileIndex.open(3)
    with pytest.raises(paimon_ksy.SchemaError, match=r"^an object is not a schema"):
        paimon_ksy.build_file_index(pa.table({"a": [1]}), object(), {"file-index.bsi.columns": "a"})  # type: ignore[arg-type]


def test_no_other_code_takes_the_first_line_of_an_error() -> None:
    """An error without a message has none, and `[0]` would fail."""
    found = [
        path.name
        for path in (ROOT / "paimon_ksy").rglob("*.py")
        if re.search(r"str\(error\)\.splitlines\(\)", path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_an_error_that_causes_itself_has_an_end() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__context__ = second, first
    assert not is_denied(first)
