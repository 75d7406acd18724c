"""What is displayed: no secret in any form, and no character that moves the cursor."""

import csv
import html
import io
import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from paimon_ksy.display import MASK, display, forget, hidden, printable, remember
from paimon_ksy.predicates.tree import col


@pytest.fixture(autouse=True)
def no_secrets() -> Iterator[None]:
    yield
    forget()


def as_csv(text: str) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([text])
    return line.getvalue()


def as_sql(text: str) -> str:
    return repr(col("c") == text)


QUOTINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "repr": repr,
    "repr in a repr": lambda text: repr(repr(text)),
    "SQL": as_sql,
    "JSON": json.dumps,
    "JSON as it is": lambda text: json.dumps(text, ensure_ascii=False),
    "SQL in JSON": lambda text: json.dumps(as_sql(text)),
    "HTML": html.escape,
    "HTML of a template": lambda text: str(escape(text)),
    "SQL in HTML": lambda text: str(escape(as_sql(text))),
    "URL": lambda text: quote(text, safe=""),
    "query of a URL": quote_plus,
    "CSV": as_csv,
    "shell": shlex.quote,
    "printable": printable,
}
SECRETS = st.text("aZ9 '\"\\&<>|%+/?#=@:;\n\t\x1bé€\u202e", min_size=4, max_size=12)


@pytest.mark.parametrize("quoting", QUOTINGS)
@given(SECRETS, st.text("xy'\" ", max_size=3), st.text("xy'\" ", max_size=3))
def test_secrets_are_masked_however_they_are_quoted(
    quoting: str, secret: str, before: str, after: str
) -> None:
    forget()
    remember(secret)
    text = QUOTINGS[quoting](f"{before}S{secret}E{after}")
    shown = hidden(text)
    assert MASK in shown
    assert shown.partition(MASK)[0].endswith("S")
    assert shown.rpartition(MASK)[2].startswith("E")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{}/orders: 1 row", "orders: 1 row"),
        ("'{}/a b/orders'", "'a b/orders'"),
        ("{}", "{}"),
        ("{}/", "{}/"),
        ("/x{}/orders", "/x{}/orders"),
        ("file://{}/orders", "file://{}/orders"),
        ("{}-2/orders", "{}-2/orders"),
    ],
)
def test_paths_below_the_current_folder(
    text: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert display(text.format(tmp_path)) == shown.format(tmp_path)
