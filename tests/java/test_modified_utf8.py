"""Java's modified UTF-8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.java import modified_utf8


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", ""),
        ("abc", "616263"),
        ("\0", "c080"),
        ("é€", "c3a9e282ac"),
        ("\U0001f600", "eda0bdedb880"),
        ("\U0010ffff", "edafbfedbfbf"),
        ("\ud83d", "eda0bd"),  # half of a pair: Java keeps it
    ],
)
def test_as_java_writes_it(text: str, data: str) -> None:
    assert modified_utf8.encode(text).hex() == data
    assert modified_utf8.decode(bytes.fromhex(data)) == text


def test_a_plain_nul_is_read_too() -> None:
    assert modified_utf8.decode(b"a\0b") == "a\0b"


@given(st.text(st.characters(exclude_categories=[])))
def test_round_trip(text: str) -> None:
    # Python keeps two halves of a pair apart, and Java does not.
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert modified_utf8.decode(modified_utf8.encode(text)) == joined


@pytest.mark.parametrize("data", ["80", "c3", "e282", "f09f9880", "c3c3", "ff", "c181"])
def test_what_java_never_writes_is_an_error(data: str) -> None:
    with pytest.raises(UnicodeDecodeError):
        modified_utf8.decode(bytes.fromhex(data))


def test_a_name_may_take_65535_bytes() -> None:
    assert len(modified_utf8.encode("x" * 65535)) == 65535
    with pytest.raises(PaimonKsyError, match="takes 65536 bytes"):
        modified_utf8.encode("x" * 65536)
