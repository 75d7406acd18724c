"""The cases of single files, made again by the library: right answers come from a scan of the rows.

A case.json has all that is needed: the content of the file, or the file that it is made of with
edits, and the predicates. The library's answers have to be the right ones, but for the differences
that `explain` knows: those are in the case, with their names.
"""

from __future__ import annotations

import base64
import io
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro

from conformance.run import pack, repeated
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.structs.bucket_index import BucketIndex
from paimon_ksy.generated.structs.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.generated.structs.roaring_bitmap_64 import RoaringBitmap64
from paimon_ksy.inspection.json import assemble
from tools import jvm
from tools.conformance import cases, global_indexes
from tools.conformance.cases import explain, scan
from tools.conformance.kit.case import Case, UnknownDifferenceError, asked
from tools.conformance.kit.fields import fields_as, fields_of

DEVIATIONS = {
    cases.NULL_ROWS: "null-rows",
    cases.ZEROS: "two-zeros",
    cases.PADDING: "char-padding",
    cases.NANOSECONDS: "nanoseconds",
    cases.RANGES: "no-ranges",
    cases.NO_VALUES: "all-null",
    cases.LEAST: "least-bigint",
}
"""The names in deviations.json of what `explain` returns."""

_VERSION = "btree-index.file-version"
# A right answer may have more rows than a scan then: SQL and the index have other values.
_LOOSE = {cases.PADDING, cases.NANOSECONDS}


def renewed(case: Case, bases: Mapping[str, Case], java: jvm.Session) -> Case:
    """Return a case with the library's bytes and answers; `java` is the program Kit.

    Raises:
        UnknownDifferenceError: The library answers otherwise than before, for an unknown reason.
    """
    made_of = case.document.get("made_of")
    if case.kind == "bad":
        return _bad(case, bases[str(made_of)], java)
    if case.kind != "file_index":
        return _MAKERS[case.kind](case, java)
    made = _odd(case, bases[str(made_of)], java) if made_of else file_index(case, java)
    schema = cases.Case.of(made.document["columns"]).schema
    return made.having(fields=fields_of(made.file, schema))


# File indexes -----------------------------------------------------------------------------------


def file_index(case: Case, java: jvm.Session) -> Case:
    """Return a case of a file index with the library's bytes, and with right answers."""
    document = case.document
    rows = repeated(document["rows"])
    columns, options = document["columns"], document["options"]
    answer = java.ask(
        {"op": "build_file_index", "columns": columns, "options": options, "rows": rows}
    )
    made = case.having({"file.index": base64.b64decode(answer["bytes"])}, num_rows=len(rows))
    return answered(made, rows, java)


def _odd(case: Case, base: Case, java: jvm.Session) -> Case:
    """A file index that is unusual but sound."""
    data, edits = _edited(case, base)
    made = case.having({"file.index": data}, edits=edits)
    return answered(made, repeated(base.document["rows"]), java)


def answered(
    case: Case, rows: Sequence[Sequence[Any]], java: jvm.Session, op: str = "evaluate", **given: Any
) -> Case:
    """Return a case with right answers to its predicates, and Java's where that is another one.

    Args:
        case: The case of an index.
        rows: The rows from which the index was built.
        java: The program Kit.
        op: The operation that answers predicates.
        given: What its requests also have.

    Raises:
        UnknownDifferenceError: Java's is wrong for an unknown reason.
    """
    columns = case.document["columns"]
    table = cases.Case.of(columns, rows, case.document["options"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.index")
        path.write_bytes(case.file)
        request = {"op": op, **given, "file": str(path), "columns": columns}
        index = _Index(case.path, table, {**request, "num_rows": len(rows)}, java)
        answers = [index.answered(entry) for entry in case.document["predicates"]]
    return case.having(predicates=answers)


@dataclass(frozen=True)
class _Index:
    """A file index, and the library that answers predicates on it."""

    path: str
    table: cases.Case
    request: Mapping[str, Any]
    java: jvm.Session

    def answered(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entry of a predicate, or of the first rows in an order."""
        question = {k: entry[k] for k in ("predicate", "order", "limit") if k in entry}
        answer = asked(self.java, {**self.request, **question})
        if "unsupported" in answer:
            answer = {"rows": scan(self.table, question["predicate"])}
        every_row = set(range(self.table.num_rows))
        theirs = every_row if answer.get("rows") == "all" else set(answer.get("rows", ()))
        right, sound, names = (self._first if "order" in question else self._all)(question, theirs)
        if "error" in answer:  # the library may fail on all of an odd file
            sound, names = False, entry.get("java", {}).get("because", [])
        if sound:
            return right
        if self.of_global_index and self.request["metadata"] is not None:
            names = self._because(question["predicate"])
        if not names:
            raise UnknownDifferenceError(f"{self.path}: {question}: {answer}, not {right}")
        java = {"rows": pack(theirs)} if "rows" in answer else {"error": answer["error"]}
        return {**right, "java": {**java, "because": names}}

    def _all(
        self, question: Mapping[str, Any], theirs: set[int]
    ) -> tuple[dict[str, Any], bool, list[str]]:
        """Return the entry, whether the library's rows are right, and why they may not be."""
        node = question["predicate"]
        right, reasons = scan(self.table, node), explain(self.table, node)
        exact = not reasons & _LOOSE and (theirs == right or self._has_all(node))
        answer = {**question, "rows": pack(right), "answer": "exact" if exact else "superset"}
        names = sorted(DEVIATIONS[reason] for reason in reasons)
        return answer, theirs == right if exact else theirs >= right, names

    def _first(
        self, question: Mapping[str, Any], theirs: set[int]
    ) -> tuple[dict[str, Any], bool, list[str]]:
        rows, ties, least = cases.first(self.table, question)
        answer = {**question, "rows": pack(rows), "ties": pack(ties), "least": least}
        sound = rows <= theirs <= rows | ties and len(theirs & ties) >= least
        names = ["no-top-n"] if self.table.has("bsi", question["order"]["col"]) else []
        return {**answer, "answer": "exact"}, sound, names

    @property
    def of_global_index(self) -> bool:
        """Whether this is a global index."""
        return "index_type" in self.request

    def _because(self, node: Mapping[str, Any]) -> list[str]:
        """Return why the library's answer from a global index is not the right one."""
        if self.table.options.get(_VERSION, "1") != "1":
            return ["global-index-forms"]
        if "" in self.table.indexed(node["col"]).values:
            return ["empty-text"]
        if cases.ZEROS in explain(self.table, node):
            return [DEVIATIONS[cases.ZEROS]]
        return ["no-prefixes"] if node["op"] == "startswith" else []

    def _has_all(self, node: Mapping[str, Any]) -> bool:
        """Whether the indexes contain what an exact answer takes: bloom filters do not."""
        if self.of_global_index:
            return True
        if "args" in node:
            return all(map(self._has_all, node["args"]))
        kinds = [kind for kind in INDEX_TYPES if kind != "bloom-filter"]
        return any(self.table.has(kind, node["col"]) for kind in kinds)


# Global indexes and other files -----------------------------------------------------------------


def _global_index(case: Case, java: jvm.Session) -> Case:
    """A global index: the library's bytes, or ours if it cannot write the index.

    Raises:
        UnknownDifferenceError: The library reads other keys or rows, for an unknown reason.
    """
    document = case.document
    asked_for = {key: document[key] for key in ("index_type", "columns", "options", "rows")}
    if document.get("metadata", "") is None:  # a bitmap index of Paimon 1.4
        asked_for["metadata"] = None
    index_type, rows = document["index_type"], document["rows"]
    answer = java.ask({"op": "build_global_index", **asked_for})
    if "unsupported" in answer:
        data, metadata = global_indexes.written(**asked_for)
    else:
        data, stated = base64.b64decode(answer["bytes"]), answer["metadata"]
        metadata = None if stated is None else bytes.fromhex(stated)
    facts = {"index_type": index_type, "metadata": None if metadata is None else metadata.hex()}
    keys = global_indexes.right_keys(index_type, rows)
    made = case.having({"file.index": data}, num_rows=len(rows), keys=keys, **facts)
    made = answered(made, rows, java, "evaluate_global_index", **facts)
    schema = cases.Case.of(document["columns"]).schema
    made = made.having(fields=fields_of(data, schema, global_indexes.file_kind(facts)))
    with tempfile.TemporaryDirectory() as folder:
        made.write(Path(folder))
        check, *_ = made.checks(Path(folder))
        read = asked(java, check.request)
        if "unsupported" in read or ("error" not in read and check.judge(read) is None):
            return made
    if document["options"].get(_VERSION, "1") == "1":
        raise UnknownDifferenceError(f"{case.path}: the library reads {read}")
    return made.having(java={**read, "because": ["global-index-forms"]})


def _other_file(case: Case, _: jvm.Session) -> Case:
    """A file that the JSON of a dump describes, by the specs."""
    data = assemble(case.document["document"])
    [part] = case.document["document"]["parts"]
    fields = fields_as(data, type_named(part["$type"]).cls)
    return case.having({case.document["file"]: data}, fields=fields)


# Deletion vectors, bucket indexes, Roaring bitmaps ----------------------------------------------


def _vectors(case: Case, java: jvm.Session) -> Case:
    wanted = [{key: v[key] for key in ("name", "bits", "rows")} for v in case.document["vectors"]]
    written = java.ask({"op": "write_vectors", "vectors": wanted})
    data = base64.b64decode(written["bytes"])
    places = [
        {"name": vector["name"], "bits": vector["bits"]} | place | {"rows": vector["rows"]}
        for vector, place in zip(wanted, written["vectors"], strict=True)
    ]
    return case.having({"file.dv": data}, vectors=places, fields=fields_of(data))


def _bucket_index(case: Case, java: jvm.Session) -> Case:
    hashes = case.document["hashes"]
    if "keys" in case.document:
        keys = {"columns": case.document["columns"], "rows": case.document["keys"]}
        hashes = java.ask({"op": "hash_keys", **keys})["hashes"]
    data = base64.b64decode(java.ask({"op": "write_bucket_index", "hashes": hashes})["bytes"])
    made = case.having({"file.hash": data}, hashes=hashes)
    fields = fields_as(data, BucketIndex)
    return made.having(fields=fields) if fields else made


def _roaring(case: Case, java: jvm.Session) -> Case:
    content = {key: case.document[key] for key in ("bits", "values")}
    data = base64.b64decode(java.ask({"op": "write_roaring", **content})["bytes"])
    kind = RoaringBitmap64 if content["bits"] == 64 else RoaringBitmap32
    return case.having({"file.roaring": data}, fields=fields_as(data, kind))


_MAKERS: dict[str, Callable[[Case, jvm.Session], Case]] = {
    "deletion_vectors": _vectors,
    "bucket_index": _bucket_index,
    "roaring": _roaring,
    "global_index": _global_index,
    "other_files": _other_file,
}


# Files with edits -------------------------------------------------------------------------------


def _bad(case: Case, base: Case, java: jvm.Session) -> Case:
    """A file that is broken, or a table with one.

    Raises:
        UnknownDifferenceError: The library accepts it without a known reason, or no longer does.
    """
    if "table" in case.document:
        made = _bad_table(case, base)
    else:
        data, edits = _edited(case, base)
        made = case.having({case.document["file"]: data}, edits=edits)
    with tempfile.TemporaryDirectory() as folder:
        made.write(Path(folder))
        [check] = made.checks(Path(folder))
        answer = asked(java, check.request)
    outcome = None if "unsupported" in answer else check.judge(answer)
    if (outcome is not None) != ("java" in case.document):
        raise UnknownDifferenceError(f"{case.path}: the library: {outcome}")
    return made


def _edited(case: Case, base: Case) -> tuple[bytes, list[dict[str, Any]]]:
    """The bytes of another case with the edits of this one, and these with places and bytes."""
    data, edits = base.file, []
    for edit in case.document["edits"]:
        if "field" in edit:
            edit = {**edit, "offset": _place(base, edit["field"])}
        data, edit = _changed(data, edit)
        edits.append(edit)
    return data, edits


def _changed(data: bytes, edit: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
    if "cut_to" in edit:
        return data[: edit["cut_to"]], dict(edit)
    if "append" in edit:
        return data + bytes.fromhex(edit["append"]), dict(edit)
    at, new = edit["offset"], bytes.fromhex(edit["now"])
    was = data[at : at + len(new)].hex()
    kept = {key: edit[key] for key in ("file", "field", "offset") if key in edit}
    return data[:at] + new + data[at + len(new) :], {**kept, "was": was, "now": edit["now"]}


def _place(base: Case, name: str) -> int:
    for offset, _, field, value in base.document["fields"]:
        is_type = str(field).endswith(".index_type.value")
        if is_type and name == f"index type {value}":
            return int(offset)
        if field == name or str(field).startswith(f"{name}["):
            return int(offset)
    raise KeyError(f"{base.path} has no field {name}")


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _bad_table(case: Case, base: Case) -> Case:
    [edit] = case.document["edits"]
    [file] = [name for name in base.files if _UUID.sub("", name) == _UUID.sub("", edit["file"])]
    if "field" in edit:
        data = _with_shorter_index(base.files[file], edit["cut_to"])
        edit = {**edit, "file": file}
    else:
        data, edit = _changed(base.files[file], {**edit, "file": file})
    return case.having({**base.files, file: data}, edits=[edit])


def _with_shorter_index(data: bytes, size: int) -> bytes:
    """Cut the only index in a manifest, which gets shorter: Java reads the size in the list."""
    manifest: Any = fastavro.reader(io.BytesIO(data))
    [entry] = manifest
    entry["_FILE"]["_EMBEDDED_FILE_INDEX"] = entry["_FILE"]["_EMBEDDED_FILE_INDEX"][:size]
    changed, sync = io.BytesIO(), data[-16:]
    more = {"codec": manifest.codec, "sync_marker": sync}
    fastavro.writer(changed, manifest.writer_schema, [entry], **more)
    head, block = data.partition(sync)[0], changed.getvalue().partition(sync)[2]
    return head + sync + block
