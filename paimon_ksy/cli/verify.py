"""`paimon-ksy verify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from paimon_ksy.cli.bucket_index import key_columns
from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import open_input, schema_document
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.findings import findings_node
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import Form, Format
from paimon_ksy.cli.output import print_answer
from paimon_ksy.errors import ExitCode, OptionError
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import FileKind
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.commands import STDIN
from paimon_ksy.messages.findings import ERROR, Finding

if TYPE_CHECKING:
    from paimon_ksy.file_index.options import FileIndexOptions


@dataclass(frozen=True)
class Verified(Answer):
    """The findings in a file."""

    file: str
    kind: str
    findings: list[Finding]


@cli_command(
    "verify orders.index -s 'status STRING'",
    "verify orders.index -s 'status STRING' --data orders.parquet",
    "verify index/index-1f2e-0 --rows 20000",
    answer=Verified,
)
def run(
    file: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, or of a bucket index; - is "
            "standard input.",
            metavar="FILE[:OFFSET[:LENGTH]]",
        ),
    ],
    of_file: OfFile,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            help="Number of rows in the data file, if you do not have the file.",
            min=0,
            metavar="N",
        ),
    ] = None,
    cardinality: Annotated[
        int | None,
        typer.Option(
            "--cardinality",
            help="Expected number of rows in the vector, or of hash codes in the bucket index.",
            min=0,
            metavar="N",
        ),
    ] = None,
    form: Format = Form.TEXT,
) -> None:
    """Check that a file is sound.

    The command prints each problem, and exits with 3 if rows could be lost or
    wrong. A file index has no checksum: --data compares it with the data row
    by row. Without --data, only contradictions within the index are found. A
    deletion vector has a CRC; --data or --rows also checks its rows. To check
    a whole table, run table audit.
    """
    from paimon_ksy.cli.vectors import parse_vector_argument
    from paimon_ksy.inspection.verify import verify_as

    place, data = parse_vector_argument(file), of_file.data
    if data is not None and rows is not None:
        raise UsageError("--rows and --data exclude each other: drop --rows")
    with open_input(place.path) as source:
        kind, subject = of_file.subject(source, compares=True)
        file_format = FORMATS.get(kind)
        stated = {"offset": place.offset, "cardinality": cardinality}
        _check(place.path, kind, stated)
        if subject.schema is not None or data is not None:
            subject = _with_key(kind, subject, of_file)
        subject = replace(
            subject,
            num_rows=rows,
            offset=place.offset,
            length=place.length,
            cardinality=subject.cardinality if cardinality is None else cardinality,
            options=_options(of_file.schema_file),
        )
        findings = verify_as(kind, subject, data)
        name = STDIN if place.path == "-" else file
    limits = file_format.limits if file_format is not None and data is None else ""
    tree = findings_node(name, kind.name, findings, *([limits] if limits else []))
    print_answer(Verified(name, kind.id, findings), form, tree.lines())
    if any(finding.severity == ERROR for finding in findings):
        raise typer.Exit(ExitCode.FINDINGS)


def _check(path: str, kind: FileKind, stated: Mapping[str, int | None]) -> None:
    """Check that files of this kind have what was stated. Raises UsageError."""
    takes = FORMATS[kind].takes if kind in FORMATS else _ONLY
    for name, value in stated.items():
        if value is not None and name not in takes:
            raise UsageError(f"{_ONLY[name]}: drop it", path=path)


def _with_key(kind: FileKind, subject: Subject, of_file: OfFile) -> Subject:
    """Return a bucket index with the columns of its key, and any other file as it is."""
    if kind not in FORMATS or "key" not in FORMATS[kind].takes:
        return subject
    return replace(subject, schema=key_columns(of_file.schema, of_file.schema_file))


_ONLY = {
    "offset": "only deletion vectors have offsets",
    "cardinality": "--cardinality is only for deletion vectors and bucket indexes",
}


def _options(schema_file: str | None) -> FileIndexOptions:
    """Return the options for indexes in a schema file; no options if they are invalid."""
    from paimon_ksy.file_index.options import FileIndexOptions, parse_options

    if schema_file is not None:
        options = schema_document(schema_file).get("options")
        try:
            if isinstance(options, Mapping):
                return parse_options({str(key): str(value) for key, value in options.items()})
        except OptionError:
            pass
    return FileIndexOptions()
