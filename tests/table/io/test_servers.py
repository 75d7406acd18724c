"""Servers that cannot be reached are told at once."""

import socket

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.store import Table


def test_a_server_that_is_not_there_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as bound:  # nothing listens there
        bound.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{bound.getsockname()[1]}"
        options = {"s3.endpoint": endpoint, "s3.access-key": "a", "s3.secret-key": "b"}
        words = [word for item in options.items() for word in ("--catalog", "=".join(item))]
        assert run(["table", "count", "s3://b/t", *words]) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "cannot connect to 127.0.0.1, port" in error
        assert f"s3.endpoint={endpoint}: Connection refused" in error
        with pytest.raises(PaimonKsyError, match="cannot connect to"):
            Table.named("d.t", {"warehouse": "s3://b/w", **options})
