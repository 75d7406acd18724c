"""Secrets come from files and the environment, and are printed nowhere."""

import json
import shutil
from pathlib import Path

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.cli.common import catalog_options
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.messages.masking import is_secret, masked
from tests import ROOT

WAREHOUSE = ROOT / "examples/warehouse"
PASSWORD = "hunter2-p@ssword"

SECRET_KEYS = [
    *("password", "jdbc.password", "token", "s3.secret-key", "s3.access-key", "fs.oss.accessKeyId"),
    *("fs.oss.accessKeySecret", "dlf.access-key-secret", "fs.azure.account.key", "credential"),
    *("security.kerberos.login.credentials", "sasl.jaas.config", "fs.s3a.access.key", "db.passwd"),
]
PLAIN_KEYS = [
    *("bucket", "bucket-key", "primary-key", "warehouse", "uri", "file.format", "sequence.field"),
    *("file-index.bitmap.columns", "file-index.bitmap.password.version", "fields.token.aggregate"),
    *("tokenizer", "metastore", "snapshot.num-retained.max"),
]


def test_which_options_are_secrets() -> None:
    assert [key for key in SECRET_KEYS if not is_secret(key)] == []
    assert [key for key in PLAIN_KEYS if is_secret(key)] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://key:secret@bucket/a", "s3://key:***@bucket/a"),
        ("at https://u:p@ss@h:1/x?y=1, and", "at https://u:***@h:1/x?y=1, and"),
        ("s3://key:sec/ret@bucket/a", "s3://key:***@bucket/a"),
        ("jdbc:mysql://h/db?user=u&password=pw1&x=1", "jdbc:mysql://h/db?user=u&password=***&x=1"),
        ("https://h/x?sig=abc&token=t", "https://h/x?sig=***&token=***"),
        ("hdfs://namenode:8020/a@b/c", "hdfs://namenode:8020/a@b/c"),
        ("abfss://container@account/x", "abfss://container@account/x"),
        ("a: b@c", "a: b@c"),
    ],
)
def test_passwords_in_urls(text: str, shown: str) -> None:
    assert masked(text) == shown


def everything(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.mark.parametrize("more", [[], ["--json"], ["--debug"]])
def test_no_command_prints_a_password(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    url = f"memory://user:{PASSWORD}@host/none"
    for command in (
        ("inspect", url),
        ("eval", url, "-s", "s INT", "-w", "s = 1"),
        ("dump", url),
        ("dv", "show", url),
        ("dv", "verify", url),
        ("build", url, "-i", "bitmap:s", "-o", "x"),
        ("bucket-index", "show", url),
    ):
        code, printed = everything(capsys, *command, *more)
        assert code == 1
        assert "user:***@host" in printed
        assert "hunter2" not in printed


def test_no_table_command_prints_a_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["--json"], ["--debug"]):
        given = ["-c", f"uri=http://u:{PASSWORD}@127.0.0.1:9", "-c", f"token={PASSWORD}"]
        code, printed = everything(capsys, "table", "count", "d.t", *given, *more)
        assert code == 1
        assert "hunter2" not in printed


def table_with_secrets(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    shutil.copytree(WAREHOUSE / "default.db/orders", table)
    for number, path in enumerate(sorted((table / "schema").iterdir())):
        document = json.loads(path.read_bytes())
        document["options"] |= {
            "jdbc.password": f"hunter2-{number}",
            "fs.endpoint": f"https://u:hunter2@host-{number}",
        }
        path.write_text(json.dumps(document))
    return table


def test_options_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = table_with_secrets(tmp_path)
    for more in ([], ["--json"]):
        code, printed = everything(capsys, "table", "inspect", table, *more)
        assert code == 0
        assert "jdbc.password" in printed and "https://u:***@host-" in printed
        assert "hunter2" not in printed


def test_rows_are_not_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalog = ["-c", f"warehouse={WAREHOUSE}", "-c", "token=PENDING"]
    query = ("table", "query", "default.orders", "-s", "status", "-w", "status = 'PENDING'")
    code, printed = everything(capsys, *query, "-n", "1", *catalog)
    assert (code, "PENDING" in printed) == (0, True)


def test_where_options_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yaml, lines = tmp_path / "paimon.yaml", tmp_path / "options"
    yaml.write_text("metastore: filesystem\nwarehouse: /a\ns3.port: 9\ns3.path-style: true\n")
    lines.write_text("# a comment\n\nwarehouse = /b\ntoken=x=y\n")
    name = "d.t"
    read = {"metastore": "filesystem", "warehouse": "/a", "s3.port": "9", "s3.path-style": "true"}
    assert catalog_options([f"@{yaml}"], name) == read
    assert catalog_options([f"@{lines}"], name) == {"warehouse": "/b", "token": "x=y"}
    both = catalog_options([f"@{yaml}", f"@{lines}", "warehouse=/c"], name)
    assert both == {**read, "warehouse": "/c", "token": "x=y"}
    monkeypatch.setenv("PAIMON_KSY_CATALOG_WAREHOUSE", "/e")
    monkeypatch.setenv("PAIMON_KSY_CATALOG_S3__SECRET_KEY", "s")
    assert catalog_options([], name) == {"warehouse": "/e", "s3.secret-key": "s"}
    assert catalog_options([f"@{lines}"], name)["warehouse"] == "/b"
    assert catalog_options([], "/a/path") == {"s3.secret-key": "s"}


def test_files_of_options_that_cannot_be_read(tmp_path: Path) -> None:
    for name, text, message in (
        ("a.yaml", "a: [1", "not YAML"),
        ("b.yaml", "- hunter2", "KEY: VALUE"),
        ("c.yaml", "a: {b: hunter2}", "KEY: VALUE"),
        ("d", "hunter2", "line 1"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UsageError, match=message) as raised:
            catalog_options([f"@{tmp_path / name}"], "d.t")
        assert "hunter2" not in str(raised.value)
    with pytest.raises(UsageError, match="no such file"):
        catalog_options(["@none"], "d.t")


def test_a_table_by_a_file_and_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "paimon.yaml"
    path.write_text(f"warehouse: {WAREHOUSE}\n")
    count = ("table", "count", "default.orders")
    assert everything(capsys, *count, "--catalog", f"@{path}")[0] == 0
    monkeypatch.setenv("PAIMON_KSY_CATALOG_WAREHOUSE", str(WAREHOUSE))
    assert everything(capsys, *count)[0] == 0
    assert everything(capsys, "table", "count", WAREHOUSE / "default.db/orders")[0] == 0


def test_a_traceback_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = everything(capsys, "inspect", "a\x1b[2Jb\r", "--debug")
    assert code == 1
    assert "Traceback" in printed
    assert "\x1b" not in printed and "\r" not in printed
    assert "\\x1b[2J" in printed
