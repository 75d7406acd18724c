"""`paimon-ksy verify`."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from paimon_ksy.cli.bucket_index import key_columns
from paimon_ksy.cli.common import open_input, read_schema, schema_document
from paimon_ksy.cli.dv import parse_vector_argument
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.findings import finding_nodes, how_many, print_findings
from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.output import Node, print_json, print_tree
from paimon_ksy.errors import ExitCode, OptionError
from paimon_ksy.file_index.options import FileIndexOptions, parse_options
from paimon_ksy.inspection.verify import KINDS, Kind, kind_of, verify
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.commands import STDIN
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.messages.masking import masked
from paimon_ksy.types.schema import Schema

_NAMES = {
    "index": "file index",
    "vectors": "vector file",
    "bucket-index": "bucket index",
}


def run(
    text: str,
    *,
    kind: str | None,
    schema: str | None,
    schema_file: str | None,
    data: str | None,
    rows: int | None,
    cardinality: int | None,
    form: RowsForm,
) -> None:
    """Verify a file, and print the findings; exit with 3 if there are errors."""
    place = parse_vector_argument(text)
    if data is not None and rows is not None:
        raise UsageError("--rows and --data exclude each other: drop --rows")
    with open_input(place.path) as source:
        chosen = named_kind(kind) or kind_of(source)
        if place.offset is not None and chosen != "vectors":
            message = f"{text}: this is a {_NAMES[chosen]}, but only deletion vectors have offsets"
            raise UsageError(message)
        if cardinality is not None and chosen == "index":
            message = "--cardinality is only for deletion vectors and bucket indexes: drop it"
            raise UsageError(message)
        found = verify(
            source,
            _schema(chosen, schema, schema_file, data),
            data=data,
            kind=chosen,
            num_rows=rows,
            offset=place.offset,
            length=place.length,
            cardinality=cardinality,
            options=_options(schema_file),
        )
        name = STDIN if place.path == "-" else text
    if form is RowsForm.JSON:
        listed = [finding.to_json() for finding in found]
        print_json({"file": masked(name), "kind": chosen, "findings": listed})
    elif form is not RowsForm.TABLE:
        list(print_findings(form, found))
    else:
        nodes = finding_nodes(found)
        if chosen == "index" and data is None:
            hint = "the format has no checksum: only --data FILE detects changed values"
            nodes.append(Node([(hint, "dim")]))
        facts = f": {_NAMES[chosen]}, {how_many(found)}"
        print_tree(Node([(name, "bold"), (facts, "")], nodes))
    if any(finding.severity == ERROR for finding in found):
        raise typer.Exit(ExitCode.FINDINGS)


def named_kind(given: str | None) -> Kind | None:
    """Return the kind that --kind names; None without it. Raises UsageError."""
    if given is None:
        return None
    for kind in KINDS:
        if kind == given:
            return kind
    raise UsageError(f"--kind {given}: must be one of {', '.join(KINDS)}")


def chosen_kind(given: str | None, path: str) -> Kind:
    """Return the kind that --kind names, or that of the file. Raises UsageError."""
    kind = named_kind(given)
    if kind is None:
        with open_source(path) as source:
            kind = kind_of(source)
    return kind


def _schema(
    kind: Kind, schema: str | None, schema_file: str | None, data: str | None
) -> Schema | None:
    if kind == "bucket-index" and {schema, schema_file, data} != {None}:
        return key_columns(schema, schema_file)
    return read_schema(schema, schema_file)


def _options(schema_file: str | None) -> FileIndexOptions:
    """Return the options for indexes in a schema file; no options if they are invalid."""
    if schema_file is not None:
        options = schema_document(schema_file).get("options")
        try:
            if isinstance(options, Mapping):
                return parse_options({str(key): str(value) for key, value in options.items()})
        except OptionError:
            pass
    return FileIndexOptions()
