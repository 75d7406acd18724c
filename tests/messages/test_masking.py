"""Secrets in options and URLs."""

import pytest

from paimon_ksy.messages.masking import is_secret, masked

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
