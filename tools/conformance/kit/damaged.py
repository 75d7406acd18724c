"""The cases of bad files, which have to be refused, and of odd ones, which have to be read.

Each is a file of another case with a few bytes changed: the case lists the changes.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import fastavro

from conformance.run import checks_of, integers
from tools import jvm
from tools.conformance.cases import Case, Column
from tools.conformance.kit import file_indexes
from tools.conformance.kit.draft import Draft, UnknownDifferenceError, fields_of, write

KIND = "bad"

Edit = tuple[str, bytes]
"""The name of a field, and what is written over its first bytes; or `cut` or `append`."""


@dataclass(frozen=True)
class Bad:
    """A file that is broken. `what` is the kind of damage.

    `place` changes what a request has of the metadata: offset, length and cardinality of a vector.
    `because` is the name of the deviation by which the library reads it nevertheless.
    """

    name: str
    what: str
    about: str
    base: str
    edits: Sequence[Edit]
    place: Mapping[str, int] | None = None
    because: str | None = None


@dataclass(frozen=True)
class BadTable:
    """A table with a file that `change` breaks; if it is not needed, a reader may go on without.

    `change` returns the new bytes, and what it did as the case lists it.
    """

    name: str
    what: str
    about: str
    file: str
    change: Callable[[bytes], tuple[bytes, dict[str, Any]]]
    is_needed: bool = True
    because: str | None = None
    base: str = "small"


@dataclass(frozen=True)
class Odd:
    """A file index that is unusual but sound."""

    name: str
    about: str
    base: str
    edits: Sequence[Edit]
    because: str | None = None


def _int(value: int) -> bytes:
    return value.to_bytes(4, "big", signed=True)


_FLAGS = "bitmap_v2_single_null"
_HEAD = "head.columns[0].indexes[0]"
_BLOCK = "c: v2.directory.blocks[0]"


def _index(
    name: str, what: str, about: str, base: str, *edits: Edit, because: str | None = None
) -> Bad:
    return Bad(f"index_{name}", what, about, f"file_index/{base}", edits, because=because)


def _bad_indexes() -> Iterator[Bad]:
    yield _index("magic", "magic", "Another magic number.", _FLAGS, ("magic", b"\xff"))
    yield _index(
        "version_2", "version", "Version 2 of the container.", _FLAGS, ("version", _int(2))
    )
    yield _index("empty", "truncated", "A file of no bytes.", _FLAGS, ("cut", b"\0" * 10_000))
    for name, field in (
        ("magic", "version"),
        ("head", f"{_HEAD}.ofs_body"),
        ("body", "c: v2.num_values"),
    ):
        about = f"The file ends before {field}."
        yield _index(f"ends_in_{name}", "truncated", about, _FLAGS, (f"end before {field}", b""))
    yield _index("head_negative", "bounds", "A head of -1 bytes.", _FLAGS, ("len_head", _int(-1)))
    for name, count in (("negative", -1), ("many", 2**31 - 1)):
        about = f"A head with {count} columns."
        because = "unchecked-counts" if count < 0 else None
        columns = ("head.num_columns", _int(count))
        yield _index(f"columns_{name}", "count", about, _FLAGS, columns, because=because)
        about = f"A column with {count} indexes."
        indexes = ("head.columns[0].num_indexes", _int(count))
        yield _index(f"indexes_{name}", "count", about, _FLAGS, indexes, because=because)
    yield _index("name_past_end", "bounds", "A name of 65,535 bytes.", _FLAGS,
                 ("head.columns[0].name.len_value", b"\xff\xff"))  # fmt: skip
    yield _index("start_negative", "bounds", "A body that starts at -2.", _FLAGS,
                 (f"{_HEAD}.ofs_body", _int(-2)))  # fmt: skip
    yield _index("start_past_end", "bounds", "A body that starts after the end of the file.",
                 _FLAGS, (f"{_HEAD}.ofs_body", _int(100_000)))  # fmt: skip
    for version in (0, 3):
        about = f"Version {version} of a bitmap index."
        edit = ("c: version", bytes([version]))
        yield _index(f"bitmap_version_{version}", "version", about, _FLAGS, edit)
    yield _index("bitmap_blocks_negative", "count", "A dictionary of -1 blocks.", _FLAGS,
                 ("c: v2.num_blocks", _int(-1)))  # fmt: skip
    yield _index("bitmap_block_past_end", "bounds", "A block after the end.", _FLAGS,
                 (f"{_BLOCK}.ofs_block", _int(100_000)))  # fmt: skip
    yield _index("bitmap_entries_many", "count", "A block with 2^31 - 1 entries.", _FLAGS,
                 (f"{_BLOCK}.body.num_entries", _int(2**31 - 1)))  # fmt: skip
    yield _index("bitmap_past_end", "bounds", "A bitmap after the end.", _FLAGS,
                 (f"{_BLOCK}.body.entries[0].ofs_bitmap", _int(100_000)))  # fmt: skip
    yield _index("bitmap_v1_values_negative", "count", "A dictionary of -1 values.",
                 "bitmap_v1_single_null", ("c: v1.num_values", _int(-1)),
                 because="unchecked-counts")  # fmt: skip
    yield _index("bitmap_v1_values_many", "count", "A dictionary of 2^31 - 1 values.",
                 "bitmap_v1_single_null", ("c: v1.num_values", _int(2**31 - 1)))  # fmt: skip
    yield _index("bitmap_cookie", "magic", "A Roaring bitmap with another cookie.",
                 "bitmap_v2_one_value",
                 (f"{_BLOCK}.body.entries[0].bitmap", b"\x00\x00"))  # fmt: skip
    yield from _bad_bodies()


_UNCHECKED = "unchecked-bodies"


def _bad_bodies() -> Iterator[Bad]:
    """One field of a BSI, a range bitmap or a bloom filter is wrong."""
    bodies: dict[str, list[tuple[str, str, str, Edit, str | None]]] = {
        "bsi": [
            ("version", "version", "Version 2", ("head.version", b"\2"), None),
            ("rows_few", "count", "Two rows, of five", ("head.num_rows", _int(2)), _UNCHECKED),
            ("has_rows", "magic", "A flag of 2", ("positive.head.has_rows", b"\2"), _UNCHECKED),
            ("least", "order", "A least value above the greatest",
             ("positive.head.min", b"\0\0\0\0\0\0\0\7"), _UNCHECKED),
            ("rows", "magic", "Another cookie of the rows", ("positive.rows", b"\0\0"), None),
            ("slices_negative", "count", "-1 slices",
             ("positive.slices.num_bitmaps", _int(-1)), None),
            ("slices_few", "count", "One slice, of two",
             ("positive.slices.num_bitmaps", _int(1)), None),
            ("slices_many", "count", "2^31 - 1 slices",
             ("positive.slices.num_bitmaps", _int(2**31 - 1)), None),
            ("slice", "magic", "Another cookie of a slice",
             ("positive.slices.bitmaps[0]", b"\0\0"), None),
            ("ends", "truncated", "The last slice is missing",
             ("end before positive.slices.bitmaps[1]", b""), None),
        ],
        "range_bitmap": [
            ("version", "version", "Version 2", ("version", b"\2"), None),
            ("head", "bounds", "A head of -1 bytes", ("len_head", _int(-1)), None),
            ("values_many", "count", "100 values in five rows",
             ("num_values", _int(100)), _UNCHECKED),
            ("dictionary", "bounds", "A dictionary that ends after the file",
             ("len_dictionary", _int(100_000)), None),
            ("chunks_negative", "count", "-1 chunks", ("dictionary.num_chunks", _int(-1)), None),
            ("chunks_many", "count", "2^31 - 1 chunks",
             ("dictionary.num_chunks", _int(2**31 - 1)), None),
            ("chunk", "bounds", "A chunk after the end",
             ("dictionary.heads.ofs_chunks", _int(1000)), None),
            ("code", "order", "A first value of code 7, not 0",
             ("dictionary.heads.fixed_chunks[0].code", _int(7)), _UNCHECKED),
            ("slices_few", "count", "One slice, of two", ("slices.num_slices", b"\1"), _UNCHECKED),
            ("slices_many", "count", "127 slices", ("slices.num_slices", b"\x7f"), None),
            ("rows", "bounds", "Rows that end after the file",
             ("slices.len_rows", _int(100_000)), None),
            ("slice_past_end", "bounds", "A slice after the end",
             ("slices.slices[0].ofs_bitmap", _int(100_000)), None),
            ("slice", "magic", "Another cookie of a slice",
             ("slices.slices[0].bitmap", b"\0\0"), None),
            ("ends", "truncated", "The last slice is missing",
             ("end before slices.slices[1].bitmap", b""), None),
        ],
        "bloom_filter": [
            ("hashes_none", "count", "No hash function", ("num_hashes", _int(0)), _UNCHECKED),
            ("hashes_negative", "count", "-1 hash functions",
             ("num_hashes", _int(-1)), _UNCHECKED),
            ("ends", "truncated", "The bits are missing", ("end before bits", b""), None),
        ],
    }  # fmt: skip
    for kind, listed in bodies.items():
        for name, what, about, (field, new), because in listed:
            before = "end before " * field.startswith("end before ")
            edit = (f"{before}c: {field.removeprefix(before)}", new)
            yield _index(
                f"{kind}_{name}", what, f"{about}.", f"{kind}_no_null", edit, because=because
            )
    body = f"{_HEAD}.len_body"
    for name, length in (("negative", -5), ("no_bits", 4), ("past_end", 100_000)):
        about = f"A body of {length} bytes."
        edit = (body, _int(length))
        yield _index(f"bloom_filter_{name}", "bounds", about, "bloom_filter_no_null", edit)


def _vector(
    name: str,
    what: str,
    about: str,
    base: str,
    *edits: Edit,
    because: str | None = None,
    **place: int,
) -> Bad:
    return Bad(f"vector_{name}", what, about, f"deletion_vectors/{base}", edits, place, because)


def _bad_vectors() -> Iterator[Bad]:
    for bits in (32, 64):
        base = f"scattered_{bits}"
        yield _vector(f"kind_{bits}", "magic", "A vector of an unknown kind.", base,
                      ("vectors[0].data.kind", b"\0\0\0\0"))  # fmt: skip
        yield _vector(f"checksum_{bits}", "checksum", "A CRC-32 of other bytes.", base,
                      ("vectors[0].crc32", b"\0\0\0\0"), because="unread-checksum")  # fmt: skip
        yield _vector(f"size_{bits}", "bounds", "A size that is not the manifest's length.", base,
                      ("vectors[0].len_data", _int(40)))  # fmt: skip
        yield _vector(f"ends_{bits}", "truncated", "The file ends before the CRC.", base,
                      ("cut", b"\0" * 30))  # fmt: skip
        yield _vector(f"cardinality_{bits}", "count", "The manifest counts one more row.", base,
                      because="unread-cardinality", cardinality=1)  # fmt: skip
        yield _vector(f"length_{bits}", "bounds", "The manifest has one more byte.", base,
                      length=1)  # fmt: skip
        yield _vector(f"offset_{bits}", "bounds", "The manifest has a place after the end.", base,
                      offset=100_000)  # fmt: skip
    yield _vector("version_2", "version", "Version 2 of the file.", "scattered_32",
                  ("version", b"\2"), because="unread-version")  # fmt: skip


def _roaring(
    name: str, what: str, about: str, base: str, *edits: Edit, because: str | None = None
) -> Bad:
    return Bad(f"roaring_{name}", what, about, f"roaring/{base}", edits, because=because)


def _bad_bitmaps() -> Iterator[Bad]:
    unchecked = "unchecked-roaring"
    yield _roaring("cookie", "magic", "Another cookie.", "sparse_32", ("header.cookie", b"\0\0"))
    yield _roaring("ends", "truncated", "The last value is missing.", "sparse_32", ("cut", b"\0\0"))
    yield _roaring("keys_descend", "order", "The second key is above the third.", "sparse_32",
                   ("header.descriptors[1].key", b"\x09\x00"), because=unchecked)  # fmt: skip
    yield _roaring("values_descend", "order", "The first value of an array is above the second.",
                   "sparse_32", ("containers[0].values", b"\x50\x00"),
                   because=unchecked)  # fmt: skip
    yield _roaring("run_past_end", "bounds", "A run that ends after 65,535.", "run_32",
                   ("containers[0].runs[0].len_minus_1", b"\xff\xff"),
                   because=unchecked)  # fmt: skip
    yield _roaring("bitset_cardinality", "count", "A bitset with other bits than it counts.",
                   "bitset_32", ("containers[0].words", b"\0"), because=unchecked)  # fmt: skip
    yield _roaring("containers_many", "count", "65,536 containers.", "sparse_32",
                   ("header.num_containers_without_runs", b"\0\0\1\0"))  # fmt: skip
    yield _roaring("count_64", "count", "A count of 2^40 bitmaps.", "keys_64",
                   ("num_bitmaps", (2**40).to_bytes(8, "little")))  # fmt: skip
    yield _roaring("keys_descend_64", "order", "The second key is above the third.", "keys_64",
                   ("bitmaps[1].key", b"\x09\0\0\0"))  # fmt: skip


def _bad_buckets() -> Iterator[Bad]:
    yield Bad("bucket_five_bytes", "truncated", "One byte follows the last hash code.",
              "bucket_index/limits", [("append", b"\1")], because="leftover-bytes")  # fmt: skip


def _odd() -> Iterator[Odd]:
    yield Odd("trailing_bytes", "Bytes after the last body.", _FLAGS, [("append", b"\xab\xcd")])
    yield Odd("unknown_index_type", "An index of a type that does not exist is ignored.",
              "two_indexes", [("index type bsi", b"bsj")], "unknown-type")  # fmt: skip
    yield Odd("bitmap_length_0", "Only bloom filters need the length of a body.", _FLAGS,
              [(f"{_HEAD}.len_body", _int(0))])  # fmt: skip
    yield Odd("bitmap_length_long", "A length of a body that is too long.", _FLAGS,
              [(f"{_HEAD}.len_body", _int(10_000))])  # fmt: skip


def _bad_tables() -> Iterator[BadTable]:
    index, vectors = "bucket-0/*.index", "index/index-*"
    yield BadTable("index_cut", "truncated", "The index of a data file ends in the middle.",
                   index, _half, is_needed=False)  # fmt: skip
    yield BadTable("index_magic", "magic", "The index of a data file has another magic number.",
                   index, lambda data: _with_byte(data, 0, 0xFF), is_needed=False)  # fmt: skip
    yield BadTable("index_embedded_cut", "truncated",
                   "The index in a manifest ends in the middle.", "manifest/manifest-[0-9a-f]*",
                   _half_embedded, is_needed=False, base="small_embedded")  # fmt: skip
    yield BadTable("vectors_cut", "truncated", "The file of deletion vectors ends in the middle.",
                   vectors, _half)  # fmt: skip
    yield BadTable("vectors_checksum", "checksum", "A deletion vector has the CRC of other bytes.",
                   vectors, lambda data: _with_byte(data, len(data) - 1, data[-1] ^ 1),
                   because="unread-checksum")  # fmt: skip


def _half(data: bytes) -> tuple[bytes, dict[str, Any]]:
    return data[: len(data) // 2], {"cut_to": len(data) // 2}


def _with_byte(data: bytes, at: int, value: int) -> tuple[bytes, dict[str, Any]]:
    changed = bytearray(data)
    changed[at] = value
    edit = {"offset": at, "was": data[at : at + 1].hex(), "now": changed[at : at + 1].hex()}
    return bytes(changed), edit


def _half_embedded(data: bytes) -> tuple[bytes, dict[str, Any]]:
    """Cut the only index in a manifest, which gets shorter: Java reads the size in the list."""
    manifest: Any = fastavro.reader(io.BytesIO(data))
    [entry] = manifest
    entry["_FILE"]["_EMBEDDED_FILE_INDEX"], edit = _half(entry["_FILE"]["_EMBEDDED_FILE_INDEX"])
    changed, sync = io.BytesIO(), data[-16:]
    more = {"codec": manifest.codec, "sync_marker": sync}
    fastavro.writer(changed, manifest.writer_schema, [entry], **more)
    head, block = data.partition(sync)[0], changed.getvalue().partition(sync)[2]
    return head + sync + block, {"field": "_FILE._EMBEDDED_FILE_INDEX", **edit}


# Making -----------------------------------------------------------------------------------------


def drafts(bases: Mapping[str, Draft], java: jvm.Session) -> Iterator[Draft]:
    """All bad and odd files, made of the files of other cases."""
    for bad in (*_bad_indexes(), *_bad_vectors(), *_bad_bitmaps(), *_bad_buckets()):
        yield _make(bad, bases[bad.base], java)
    for table in _bad_tables():
        yield _make_table(table, bases[f"tables/{table.base}"], java)


def odd_drafts(bases: Mapping[str, Draft], java: jvm.Session) -> Iterator[Draft]:
    """All odd file indexes."""
    for odd in _odd():
        yield _make_odd(odd, bases[f"file_index/{odd.base}"], java)


def edited(base: Draft, edits: Sequence[Edit]) -> tuple[bytes, list[dict[str, Any]]]:
    """The bytes of a case with changes, and these as the case lists them."""
    [data] = base.files.values()
    listed: list[dict[str, Any]] = []
    for name, new in edits:
        if name == "cut":
            data = data[: max(len(data) - len(new), 0)]
            listed.append({"cut_to": len(data)})
        elif name.startswith("end before "):
            data = data[: _place(base, name.removeprefix("end before "))]
            listed.append({"cut_to": len(data)})
        elif name == "append":
            data += new
            listed.append({"append": new.hex()})
        else:
            at = _place(base, name)
            was, data = data[at : at + len(new)], data[:at] + new + data[at + len(new) :]
            listed.append({"field": name, "offset": at, "was": was.hex(), "now": new.hex()})
    return data, listed


def _place(base: Draft, name: str) -> int:
    for offset, _, field, value in base.fields:
        is_type = str(field).endswith(".index_type.value")
        if is_type and name == f"index type {value}":
            return offset
        if field == name or str(field).startswith(f"{name}["):
            return offset
    raise KeyError(f"{base.path} has no field {name}")


def _make(bad: Bad, base: Draft, java: jvm.Session) -> Draft:
    [file] = base.files
    data, edits = edited(base, bad.edits)
    request = _request(bad, base)
    document: dict[str, Any] = {
        "file": file,
        "made_of": bad.base,
        "edits": edits,
        "what": bad.what,
        "request": request,
        "error": "corrupt",
    }
    return _answered(Draft(KIND, bad.name, bad.about, document, {file: data}), bad.because, java)


def _make_table(bad: BadTable, base: Draft, java: jvm.Session) -> Draft:
    [file] = [name for name in base.files if fnmatchcase(name, f"*/{bad.file}")]
    changed, edit = bad.change(base.files[file])
    query = base.document["queries"][1]
    document: dict[str, Any] = {
        "table": base.document["table"],
        "made_of": base.path,
        "edits": [{"file": file, **edit}],
        "what": bad.what,
        "request": {
            "op": "query_table",
            "columns": base.document["columns"],
            "predicate": query["predicate"],
        },
        "error": "corrupt",
    }
    if not bad.is_needed:
        document["rows"] = [base.document["rows"][at] for at in integers(query["rows"])]
    draft = Draft(KIND, f"table_{bad.name}", bad.about, document, {**base.files, file: changed})
    return _answered(draft, bad.because, java)


def _answered(draft: Draft, because: str | None, java: jvm.Session) -> Draft:
    """The case, with what the library does if that is known, and for no other reason.

    Raises:
        UnknownDifferenceError: It accepts a file without a known reason, or no longer does.
    """
    with tempfile.TemporaryDirectory() as folder:
        write(draft, Path(folder))
        [check] = checks_of(draft.path, draft.case, Path(folder, draft.path))
        try:
            answer = java.ask(dict(check.request))
        except jvm.JavaError as error:
            answer = {"error": str(error)}
    outcome = check.judge(answer)
    if (outcome is not None) != (because is not None):
        raise UnknownDifferenceError(f"{draft.path}: the library: {outcome}")
    if because is None:
        return draft
    java_answer = {"accepted": True, "because": [because]}
    return replace(draft, document={**draft.document, "java": java_answer})


def _request(bad: Bad, base: Draft) -> dict[str, Any]:
    kind, document = base.kind, base.document
    if kind == "file_index":
        [column] = document["columns"]
        asked = {"op": "eq", "col": column["name"], "value": document["rows"][0][0]}
        about = {"columns": document["columns"], "num_rows": document["num_rows"]}
        return {"op": "evaluate", **about, "predicate": asked}
    if kind == "deletion_vectors":
        [vector] = document["vectors"]
        more = bad.place or {}
        places = {
            key: vector[key] + more.get(key, 0) for key in ("offset", "length", "cardinality")
        }
        return {"op": "read_vector", **places}
    if kind == "roaring":
        return {"op": "read_roaring", "bits": document["bits"]}
    return {"op": "read_bucket_index"}


def _make_odd(odd: Odd, base: Draft, java: jvm.Session) -> Draft:
    data, edits = edited(base, odd.edits)
    columns = base.document["columns"]
    values = zip(*base.document["rows"], strict=True)
    named = [Column(c["name"], c["type"], list(v)) for c, v in zip(columns, values, strict=True)]
    case = Case(0, named, dict(base.document["options"]), [], "plain")
    errors = [odd.because] if odd.because else []
    made = file_indexes.Made(base.kind, odd.name, data, columns, case, java, errors=errors)
    asked = [entry["predicate"] for entry in base.document["predicates"]]
    document = {
        "file": made.file,
        "made_of": base.path,
        "edits": edits,
        "columns": columns,
        "options": base.document["options"],
        "num_rows": base.document["num_rows"],
        "predicates": [made.answered(node) for node in asked],
    }
    fields = fields_of(data, case.schema())
    return Draft(base.kind, f"odd_{odd.name}", odd.about, document, {made.file: data}, fields)
