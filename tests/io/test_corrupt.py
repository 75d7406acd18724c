"""What malformed bytes raise, as errors with file, column and byte."""

import pytest
from ksykit.runtime.errors import EndError, FormatError

from paimon_ksy.errors import AccessError, CorruptFileError
from paimon_ksy.generated.views.bsi_index import BsiHead
from paimon_ksy.io.corrupt import INDEX_REMEDY, CorruptErrors
from paimon_ksy.io.source import open_source, read_view


def raised(error: BaseException, data: bytes = b"0123456789", column: str | None = "c") -> object:
    """What leaves the context manager for an error within it."""
    with (
        open_source(data) as source,
        pytest.raises(type(error) if _passes(error) else Exception) as caught,
        CorruptErrors(source, column),
    ):
        raise error
    return caught.value


def _passes(error: BaseException) -> bool:
    return isinstance(error, AccessError | KeyError | KeyboardInterrupt)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (EOFError("gone"), "the file ends too early: gone"),
        (ValueError("two\nlines"), "two lines"),
        (IndexError("index 5"), "index 5"),
        (UnicodeDecodeError("utf-8", b"a", 0, 1, "bad"), "a name is not modified UTF-8 (bad)"),
    ],
)
def test_what_parsers_raise_names_file_column_and_byte(error: Exception, says: str) -> None:
    found = raised(error)
    assert isinstance(found, CorruptFileError)
    assert says in found.message
    assert "\n" not in str(found)
    assert (found.column, found.remedy) == ("c", INDEX_REMEDY)
    assert found.__cause__ is error


def test_a_field_that_is_not_valid_is_named_with_its_value_and_start() -> None:
    with (
        open_source(b"\x07" + bytes(20)) as source,
        pytest.raises(CorruptFileError) as caught,
        CorruptErrors(source, "c"),
    ):
        read_view(source, BsiHead, 0)
    assert "unsupported version 7 of the bsi index; supported: 1" in str(caught.value)
    assert caught.value.offset == 0


def test_errors_of_views_have_their_own_byte() -> None:
    invalid = FormatError("the field x is 3", 7, field="bitmap_index/seq/9", value=3)
    found = raised(invalid)
    assert isinstance(found, CorruptFileError)
    assert (found.message, found.offset) == ("the field x is 3", 7)
    found = raised(EndError(5, 4, 1))
    assert isinstance(found, CorruptFileError)
    says = "the file ends too early: 4 bytes are needed, but only 1 is left"
    assert (found.message, found.offset) == (says, 6)


def test_an_error_that_is_given_is_completed_and_keeps_what_it_has() -> None:
    found = raised(CorruptFileError("broken", path="own", remedy="do this"))
    assert isinstance(found, CorruptFileError)
    assert (found.path, found.column, found.remedy) == ("own", "c", "do this")
    found = raised(CorruptFileError("broken"))
    assert isinstance(found, CorruptFileError)
    assert (found.path, found.remedy) == ("<bytes>", INDEX_REMEDY)


@pytest.mark.parametrize("error", [KeyError("x"), AccessError("x"), KeyboardInterrupt()])
def test_other_errors_pass(error: BaseException) -> None:
    assert raised(error) is error
