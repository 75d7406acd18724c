"""What the options of a command, and the table around a file, say about the file."""

from pathlib import Path

import pytest

from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.io.file_kind import BUCKET_INDEX, UNKNOWN
from paimon_ksy.io.source import open_source
from tests.support.newer_tables import list_index_file
from tests.support.tables import make, rows


def test_the_table_around_a_file_is_asked_only_if_its_bytes_do_not_say(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 4)])
    hashes = list_index_file(path, "HASH", b"\1\2\3\4", "index-1-0")
    other = Path(path, "index", "index-2-0")
    other.write_bytes(hashes.read_bytes())
    source, not_listed = open_source(hashes), open_source(other)
    assert OfFile().facts(source).kind is BUCKET_INDEX
    assert OfFile().facts(not_listed).kind is UNKNOWN
    assert OfFile("bucket-index", "a INT").facts(not_listed).kind is BUCKET_INDEX
    with pytest.raises(PaimonKsyError, match="kind 'x'"):
        OfFile("x").facts(source)
    with pytest.raises(UsageError, match="exclude each other"):
        OfFile(schema="a INT", schema_file="x").facts(source)
    # The table cannot be opened, so nothing is known.
    Path(path, "schema", "schema-0").write_text("{")
    assert OfFile().facts(source).kind is UNKNOWN
