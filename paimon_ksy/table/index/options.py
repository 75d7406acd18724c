"""The indexes that a table's options ask for.

Options name columns as the table has them now. A data file is indexed under the names and types of
the schema that it was written with, since readers look them up so. Java's `FileIndexProcessor`
matches the columns of both by their field ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import starmap

from paimon_ksy.errors import OptionError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.builder import check_names, check_options
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, parse_options
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.commands import table_command
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.types.schema import outer_column

_COLUMNS = re.compile(r"file-index\.([^.]+)\.columns")

INDEXABLE_FORMATS = {"parquet", "orc", "avro"}
"""Formats of data files that can be indexed; others, such as blobs, stay unchanged."""


@dataclass(frozen=True)
class Refusal(Answer):
    """An index that the options list, but that cannot be built.

    Attributes:
        index_type: The type of the index.
        column: The name of the column, or `column[key]`.
        reason: Why it cannot be built.
    """

    index_type: str
    column: str
    reason: str


@dataclass(frozen=True)
class WantedIndexes:
    """The indexes that a table's options ask for, in terms of one schema.

    Attributes:
        schema: The schema of the table, or of data files.
        options: The indexes that columns of the schema can have.
        refused: Those that they cannot have.
    """

    schema: TableSchema
    options: FileIndexOptions
    refused: tuple[Refusal, ...] = ()

    def at(self, schema: TableSchema) -> WantedIndexes:
        """Return the indexes of data files of another schema of the table.

        A column that the schema lacks has no index. An index type may refuse the type that a column
        had then, though it supports the type that the column has now.
        """
        names = {field_id: name for name, field_id in schema.ids.items()}
        own = [
            IndexSpec(spec.index_type, name, spec.key, spec.options)
            for spec in self.options.indexes
            if (name := names.get(self.schema.ids[spec.column])) is not None
        ]
        usable, errors = _checked(own, schema)
        options = replace(self.options, indexes=usable)
        return WantedIndexes(schema, options, self.refused + tuple(starmap(_refusal, errors)))

    def of_written(self, written: tuple[str, ...] | None) -> WantedIndexes:
        """Return the indexes of a data file that has only the columns `written`; None for all.

        With data evolution, a file may have fewer columns than its schema.
        """
        if written is None:
            return self
        there = tuple(spec for spec in self.options.indexes if spec.column in written)
        return replace(self, options=replace(self.options, indexes=there))


def wanted_indexes(schema: TableSchema, changed: Mapping[str, str]) -> WantedIndexes:
    """Return the indexes that a table's options ask for.

    `changed` replaces options of the schema; an empty value removes one.

    Raises:
        OptionError: An option is unknown or does not fit its column.
        UnsupportedError: None of the indexes can be built.
    """
    check_names(changed)
    own = {key: value for key, value in schema.options.items() if not is_replaced(key, changed)}
    options = parse_options({k: v for k, v in {**own, **changed}.items() if v.strip()})
    usable, errors = _checked(options.indexes, schema)
    for spec, error in errors:
        if isinstance(error, OptionError):
            raised = OptionError(str(error))
            if spec.name not in changed.get(f"file-index.{spec.index_type}.columns", ""):
                raised.remedy = usable_command(schema, "TABLE")
            raise raised from None
    if errors and not usable:
        raise UnsupportedError(str(errors[0][1]))
    refused = tuple(starmap(_refusal, errors))
    return WantedIndexes(schema, replace(options, indexes=usable), refused)


def _checked(
    indexes: Iterable[IndexSpec], schema: TableSchema
) -> tuple[tuple[IndexSpec, ...], list[tuple[IndexSpec, OptionError | UnsupportedError]]]:
    """Return the indexes that columns of a schema can have, and the others with the error."""
    usable: list[IndexSpec] = []
    errors: list[tuple[IndexSpec, OptionError | UnsupportedError]] = []
    for spec in indexes:
        try:
            check_options(schema.columns, FileIndexOptions((spec,)))
            usable.append(spec)
        except (OptionError, UnsupportedError) as error:
            errors.append((spec, error))
    return tuple(usable), errors


def _refusal(spec: IndexSpec, error: PaimonKsyError) -> Refusal:
    return Refusal(spec.index_type, spec.name, str(error))


def is_replaced(key: str, changed: Mapping[str, str]) -> bool:
    """Return whether an option is void because its column is no longer listed.

    Args:
        key: An option such as `file-index.bitmap.status.version`.
        changed: The options that are set, here `file-index.bitmap.columns`.
    """
    parts = key.split(".")
    return (
        len(parts) == 4
        and parts[0] == "file-index"
        and (columns := changed.get(f"file-index.{parts[1]}.columns")) is not None
        and parts[2] not in {outer_column(name.strip()) for name in columns.split(",")}
    )


def usable_options(schema: TableSchema) -> tuple[FileIndexOptions, list[str]]:
    """Return the indexes of a table's own options that can be built, and the problems of others.

    Java allows dropping a column that an option names, but cannot write to the table afterwards.
    """
    try:
        options = parse_options({k: value for k, value in schema.options.items() if value.strip()})
    except OptionError as error:
        return FileIndexOptions(), [str(error)]
    usable, errors = _checked(options.indexes, schema)
    return replace(options, indexes=usable), [str(error) for _, error in errors]


def usable_command(schema: TableSchema, table: str) -> str | None:
    """Return the command that removes from a table's options the indexes that cannot be built.

    `table` is its name in the command, as `commands.table_words` returns it.

    Returns:
        None if no such command helps.
    """
    usable, wrong = usable_options(schema)
    words: list[str] = []
    for key, value in schema.options.items():
        listed = _COLUMNS.fullmatch(key)
        names = [spec.name for spec in usable.indexes if listed and spec.index_type == listed[1]]
        if listed and {*names} != {name.strip() for name in value.split(",")} - {""}:
            words += ["--set", f"{key}={','.join(names)}"]
    if not (wrong and words):
        return None
    return table_command("rewrite-index", *words, "--save-options", table=table)
