"""The server of the Web IDE; tests/project/test_webide.py opens its page."""

import http.client
from pathlib import Path
from urllib.parse import quote, urlsplit

from paimon_ksy.inspection.web_ide import SCRIPT, serve_web_ide


def request(url: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    return answer.status, answer.read()


def made_ide(folder: Path) -> Path:
    ide = folder / "ide"
    ide.mkdir()
    (ide / "index.html").write_text("<body>the IDE</body>")
    (ide / "app.js").write_text("1")
    return ide


def test_serves_the_ide_and_two_files(tmp_path: Path) -> None:
    ide = made_ide(tmp_path)
    data, spec = tmp_path / "a'b <script>é.index", tmp_path / "x.ksy"
    data.write_bytes(b"\x00\xff")
    spec.write_text("meta: 1")
    (tmp_path / "secret").write_text("not served")
    with serve_web_ide(ide, spec, data) as url:
        page = request(url, "/index.html")[1].decode()
        assert "the IDE<script" in page and "</script></body>" in page
        assert page.count("</script>") == 2, "a name ended the script"
        assert request(url, "/app.js") == (200, b"1")
        assert request(url, "/paimon-ksy/web_ide.js") == (200, SCRIPT.encode())
        assert request(url, "/paimon-ksy/x.ksy") == (200, b"meta: 1")
        assert request(url, f"/paimon-ksy/{quote(data.name)}") == (200, b"\x00\xff")
        for path in ("/paimon-ksy/secret", "/../secret", "/paimon-ksy/../../secret"):
            assert request(url, path)[0] == 404
        assert request(url, "/index.html", host="example.org")[0] == 403
    assert urlsplit(url).hostname == "127.0.0.1"


def test_serves_the_ide_alone(tmp_path: Path) -> None:
    with serve_web_ide(made_ide(tmp_path)) as url:
        assert request(url, "/index.html") == (200, b"<body>the IDE</body>")
