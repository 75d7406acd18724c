"""The headers of vector and full-text indexes, and the footer of Mosaic files."""

import json
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import kind_of
from paimon_ksy.io.source import open_source
from tests.support.newer_tables import newer_table

OF_VECTORS = {"version": 1, "dimension": 16, "metric": "inner_product", "num_vectors": 200}
EXPECTED: dict[str, Any] = {
    "ivf-flat": OF_VECTORS | {"num_lists": 256},
    "ivf-pq": OF_VECTORS | {"num_parts": 16, "num_centroids": 256},
    "ivf-sq": OF_VECTORS | {"num_bits": 8},
    "ivf-rq": OF_VECTORS | {"padded_dimension": 64},
    "diskann": OF_VECTORS | {"max_degree": 64, "num_sections": 7},
    "mosaic": {"version": 1, "num_row_groups": 1, "compression": "zstd"},
    "full_text": {"version": 1, "documents": 2000, "tokenizer": "default"},
}


def made(folder: Path, name: str) -> bytes:
    """The bytes of an index or data file of a table."""
    path = Path(newer_table(folder, name))
    pattern = "bucket-0/*.mosaic" if name == "mosaic" else "index/*global-index*"
    return next(path.glob(pattern)).read_bytes()


@pytest.mark.parametrize("name", EXPECTED)
def test_fields_of_a_header(name: str, tmp_path: Path) -> None:
    data = made(tmp_path, name)
    source = open_source(data)
    kind = kind_of(source)
    document = inspect_file(Subject(source)).to_json()
    shown = document.get("header", document)
    assert {key: shown[key] for key in EXPECTED[name]} == EXPECTED[name]
    assert "recognised, not checked" in document["note"] and "pypaimon[" in document["note"]
    assert kind.id.replace("-", "_") == name.replace("-", "_")
    [finding] = verify_as(kind, Subject(source))
    assert finding.severity == "note"
    assert assemble(json.loads(json.dumps(dump_file(source)))) == data
    if name == "mosaic":
        return
    # Of a later version, only the version is shown; a header that ends early is corrupt.
    at = data.index(b"\1", 4, 12) if name != "full_text" else 11
    later = data[:at] + b"\2" + data[at + 1 :]
    document = inspect_file(Subject(open_source(later))).to_json()
    shown = document.get("header", document)
    assert shown["version"] == 2 and not shown.get("dimension") and not shown.get("documents")
    [finding] = verify_as(kind, Subject(open_source(later)))
    assert finding.severity == "note"
    [finding] = verify_as(kind, Subject(open_source(data[:40])))
    assert finding.severity == "error" and "create_global_index" in str(finding.remedy)


@pytest.mark.parametrize("header", [b"{", b"[]", b'{"metadata": 1}', b"[" * 9999, b"\xff", b"{}"])
def test_a_corrupt_header_of_a_full_text_index(header: bytes) -> None:
    files = [{"name": "x", "offset": 0, "length": 9}]
    metadata = {"config": {}, "document_count": 1, "tantivy_version": "1"}
    beyond = json.dumps({"metadata": metadata, "files": files}).encode()
    for each in (header, beyond):
        data = b"PFTIDX01" + bytes([0, 0, 0, 1]) + len(each).to_bytes(4, "big") + each
        source = open_source(data)
        [finding] = verify_as(kind_of(source), Subject(source))
        assert finding.severity == "error" and finding.byte == 16
