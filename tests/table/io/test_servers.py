"""Servers that options name are checked before they are waited for."""

import socket
from typing import Any

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.errors import OptionError, PaimonKsyError
from paimon_ksy.table.io.servers import check_endpoints
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


def test_how_long_a_server_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []

    def connect(place: tuple[str, int], seconds: float) -> Any:
        waited.append((place, seconds))
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", connect)
    options = {"fs.oss.endpoint": "oss.example"}
    with pytest.raises(PaimonKsyError, match="no answer within 5 s"):
        check_endpoints(options)
    with pytest.raises(PaimonKsyError, match=r"within 0\.5 s"):
        check_endpoints({"uri": "http://a.example:81", "paimon-ksy.connect-timeout": "0.5"})
    assert waited == [(("oss.example", 443), 5.0), (("a.example", 81), 0.5)]
    check_endpoints({**options, "paimon-ksy.connect-timeout": "0"})
    check_endpoints({"warehouse": "/data", "uri": "thrift://a.example"})
    for wrong in ("-1", "soon", "nan"):
        with pytest.raises(OptionError, match="number of seconds"):
            check_endpoints({**options, "paimon-ksy.connect-timeout": wrong})
    with pytest.raises(OptionError, match="is not a URL"):
        check_endpoints({"s3.endpoint": "http://[::1"})


def test_aws_without_a_network_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def look_up(host: str, port: int) -> Any:
        asked.append(host)
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    region = {"s3.region": "eu-west-1"}
    with pytest.raises(PaimonKsyError, match=r"s3://b/t: cannot connect to .*name resolution"):
        Table.at("s3://b/t", region)
    assert asked == ["s3.amazonaws.com", "s3.eu-west-1.amazonaws.com"]
    with pytest.raises(PaimonKsyError, match="s3://b/w: cannot connect to"):
        Table.named("d.t", {"warehouse": "s3://b/w"})
    check_endpoints({"paimon-ksy.connect-timeout": "0"}, "s3://b/t")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9000")
    check_endpoints({}, "s3://b/t")
