"""A REST catalog on localhost, as `rest-catalog-open-api.yaml` of Paimon describes one.

    with RestCatalog(warehouse) as server:
        Table.of_catalog(server.options, "default.orders")

The tables are those of a folder, made there beforehand. What is served is what readers and writers
of tables need. A commit is made by the server alone: it takes a snapshot that follows the last one,
of the table that the writer means.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from pypaimon.catalog.rest.rest_token_file_io import RESTTokenFileIO

from tests.support.local_server import LocalServer

TOKEN = "a secret"
PREFIX = "catalogs"


class Refused(Exception):
    """An answer with this HTTP status."""

    def __init__(self, status: int, message: str, kind: str = "", name: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body = {"message": message, "code": status, "resourceType": kind, "resourceName": name}


class NoAnswer(Exception):
    """The connection is closed instead."""


class RestCatalog(LocalServer):
    """The catalog of the tables in a warehouse folder. `asked` has what was asked for, as
    `POST databases/default/tables/t/commit`; `before_commit` is called once, before the
    next. `commit_answers` has what the next commits get: a status that refuses them, `lost` for no
    answer after the commit, or `dead` if later requests are refused, too. `token` is what requests
    have to bring. Data tokens hold for `data_seconds`; with a number in `data_answers`, that many
    are given, and further requests are refused. `auth` is the answer to who may see what."""

    def __init__(self, warehouse: Path, data_tokens: dict[str, str] | None = None) -> None:
        self.warehouse = warehouse
        self.data_tokens = data_tokens
        self.asked: list[str] = []
        self.before_commit: Callable[[], object] | None = None
        self.commit_answers: list[int | str] = []
        self.token = TOKEN
        self.data_seconds = 24 * 3_600
        self.data_answers: int | None = None
        self.auth: dict[str, Any] = {}
        RESTTokenFileIO._TOKEN_CACHE.clear()  # of servers before, that had a table of this name
        self._lock = threading.Lock()
        super().__init__(_Handler)

    @property
    def options(self) -> dict[str, str]:
        """pypaimon's options of the catalog."""
        return {
            "uri": self.url,
            "warehouse": "main",
            "token.provider": "bear",
            "token": TOKEN,
        }

    def answer(self, method: str, target: str, body: Any) -> Any:
        """What a request gets, as JSON. Raises Refused."""
        url = urlsplit(target)
        if (method, url.path) == ("GET", "/v1/config"):
            if parse_qs(url.query).get("warehouse") != ["main"]:
                raise Refused(404, "no such warehouse", "warehouse")
            defaults = {"prefix": PREFIX}
            if self.data_tokens is not None:
                defaults["data-token.enabled"] = "true"
            return {"defaults": defaults, "overrides": {}}
        path = url.path.removeprefix(f"/v1/{PREFIX}/")
        self.asked.append(f"{method} {path}")
        if path == "databases":
            return {"databases": sorted(d.stem for d in self.warehouse.glob("*.db"))}
        found = re.fullmatch(r"databases/([^/]+)(?:/tables(?:/([^/]+)(?:/(\w+))?)?)?", path)
        if found is None:
            raise Refused(501, f"{method} {path} is not served")
        database, table, what = (unquote(part) if part else None for part in found.groups())
        if table is None:
            return self._database(str(database), listed="/tables" in path)
        folder = self.warehouse / f"{database}.db" / table
        if not folder.is_dir():
            raise Refused(404, f"no table {table}", "TABLE", table)
        match method, what:
            case "GET", None:
                return self._table(folder)
            case "GET", "snapshot":
                return {"snapshot": self._snapshot(folder)}
            case "GET", "token":
                if self.data_answers is not None:
                    if self.data_answers == 0:
                        raise Refused(403, "no more data tokens")
                    self.data_answers -= 1
                expires = int(time.time() + self.data_seconds) * 1000
                return {"token": self.data_tokens, "expiresAtMillis": expires}
            case "POST", "auth":
                return self.auth
            case "POST", None:
                return self._alter(folder, body["changes"])
            case "POST", "commit":
                if self.before_commit is not None:
                    before, self.before_commit = self.before_commit, None
                    before()
                answer = self.commit_answers.pop(0) if self.commit_answers else None
                if isinstance(answer, int):
                    raise Refused(answer, f"refused with {answer}")
                with self._lock:
                    done = {"success": self._commit(folder, body)}
                if answer == "dead":
                    self.token = "no longer known"
                if answer is not None:
                    raise NoAnswer
                return done
        raise Refused(501, f"{method} {path} is not served")

    def _database(self, name: str, *, listed: bool) -> Any:
        folder = self.warehouse / f"{name}.db"
        if not folder.is_dir():
            raise Refused(404, f"no database {name}", "DATABASE", name)
        if listed:
            return {"tables": sorted(table.name for table in folder.iterdir())}
        return {"id": name, "name": name, "location": str(folder), "options": {}}

    def _table(self, folder: Path) -> Any:
        last = max((folder / "schema").glob("schema-*"), key=lambda file: int(file.name[7:]))
        schema = json.loads(last.read_text())
        parts = ("fields", "partitionKeys", "primaryKeys", "options", "comment")
        return {
            "id": f"id of {folder.name}",
            "name": folder.name,
            "path": str(folder),
            "isExternal": False,
            "schemaId": schema["id"],
            "schema": {part: schema.get(part) for part in parts},
            "owner": "tests",
        }

    def _alter(self, folder: Path, changes: list[dict[str, str]]) -> Any:
        last = max((folder / "schema").glob("schema-*"), key=lambda file: int(file.name[7:]))
        schema = json.loads(last.read_text())
        for change in changes:
            if change["action"] == "setOption":
                schema["options"][change["key"]] = change["value"]
            elif change["action"] == "removeOption":
                schema["options"].pop(change["key"])
            else:
                raise Refused(501, f"{change['action']} is not served")
        schema["id"] += 1
        last.with_name(f"schema-{schema['id']}").write_text(json.dumps(schema))
        return {}

    def _snapshot(self, folder: Path) -> Any:
        numbers = [int(file.name[9:]) for file in (folder / "snapshot").glob("snapshot-*")]
        if not numbers:
            raise Refused(404, "no snapshot yet", "SNAPSHOT", "")
        snapshot = json.loads((folder / "snapshot" / f"snapshot-{max(numbers)}").read_text())
        return {
            "snapshot": snapshot,
            "recordCount": snapshot["totalRecordCount"],
            "fileSizeInBytes": 0,
            "fileCount": 0,
            "lastFileCreationTime": 0,
        }

    def _commit(self, folder: Path, body: Any) -> bool:
        if body["tableId"] != f"id of {folder.name}":
            raise Refused(404, "another table by now", "TABLE", folder.name)
        number = body["snapshot"]["id"]
        numbers = [int(file.name[9:]) for file in (folder / "snapshot").glob("snapshot-*")]
        if number != max(numbers, default=0) + 1:
            return False
        for each in body["statistics"]:
            if not isinstance(each["spec"], dict) or not isinstance(each["recordCount"], int):
                raise Refused(400, f"no statistics of a partition: {each}")
        place = folder / "snapshot" / f"snapshot-{number}"
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(body["snapshot"]))
        return True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, catalog: RestCatalog, *given: Any) -> None:
        self.catalog = catalog
        super().__init__(*given)

    def _serve(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if self.headers.get("Authorization") != f"Bearer {self.catalog.token}":
                raise Refused(401, "who is it?")
            body = json.loads(data) if data else None
            status, found = 200, self.catalog.answer(self.command, self.path, body)
        except NoAnswer:
            self.close_connection = True
            return
        except Refused as refused:
            status, found = refused.status, refused.body
        sent = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    do_GET = do_POST = do_DELETE = _serve

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is logged."""
