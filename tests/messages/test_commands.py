"""Commands in messages can be pasted."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.messages.commands import table_command, table_of, table_words


@pytest.mark.parametrize("name", ["orders", "/a b/t", "it's", "$(rm)", "-rf", "s3://b/x;y", "`a`"])
def test_a_table_is_named_as_a_shell_takes_it(name: str) -> None:
    words = shlex.split(table_command("audit", "--repair", table=table_words(name)))
    assert words[:3] == ["paimon-ksy", "table", "audit"]
    assert words[3].removeprefix("./") == name
    assert words[4:] == ["--repair"]
    assert not words[3].startswith("-")


def test_options_of_a_catalog_without_its_secrets() -> None:
    options = {
        "warehouse": "s3://b/w h",
        "s3.secret-key": "hidden",
        "s3.access-key": "hidden",
        "token": "hidden",
        "dlf.access-key-secret": "hidden",
        "uri": "http://me:hidden@host/",
    }
    words = table_words("default.t", options)
    assert "hidden" not in words
    assert shlex.split(words) == [
        *("default.t", "--catalog", "warehouse=s3://b/w h", "--catalog", "uri=http://host/")
    ]


def test_a_file_tells_its_table(tmp_path: Path) -> None:
    table = tmp_path / "a b" / "t"
    (table / "schema").mkdir(parents=True)
    (table / "schema" / "schema-0").write_text("{}")
    (table / "day=1" / "bucket-0").mkdir(parents=True)
    assert table_of(str(table / "day=1" / "bucket-0" / "x.index")) == shlex.quote(str(table))
    assert table_of(str(tmp_path / "x.index")) is None


def test_the_current_folder_may_be_deleted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr("os.getcwd", gone)
    assert table_of("x.index") is None
    assert run(["inspect", "x.index"]) == 1
    assert capsys.readouterr().err == "paimon-ksy: x.index: no such file\n"
