"""The indexes to try: for each column that predicates test, those that support its type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.table.advise.profile import FileProfile
from paimon_ksy.table.advise.questions import Question
from paimon_ksy.table.advise.sample import Key
from paimon_ksy.table.advise.summary import ColumnSummary
from paimon_ksy.table.index.options import file_options
from paimon_ksy.table.model.files import TableSchema

TYPES = tuple(kind.name for kind in sorted(INDEX_TYPES.values(), key=lambda kind: kind.preference))
"""Index types to try. If several are worth the same, the first one is chosen. Other types are tried
only if such an index exists already."""


def candidate_indexes(
    schema: TableSchema,
    wanted: FileIndexOptions,
    summaries: Mapping[str, ColumnSummary],
    questions: Sequence[Question],
    existing: set[Key],
    *,
    is_typical: bool,
) -> dict[Key, IndexSpec]:
    """Return the indexes to try, in order of preference.

    Args:
        schema: The table's schema.
        wanted: The indexes that the table's options ask for.
        summaries: The columns of the sample.
        questions: The predicates.
        existing: The indexes that files of the sample have.
        is_typical: Whether the predicates are typical ones, generated for all columns.
    """
    named = {name for question in questions for name in question.names}
    specs = {(spec.name, spec.index_type): spec for spec in wanted.indexes}
    there = existing | specs.keys()
    candidates = {}
    for name, summary in summaries.items():
        if not is_typical and name not in named | {own for own, _ in there}:
            continue
        column, key = schema.columns.split(name)
        data_type = schema.columns[name]
        fit = (kind for kind in TYPES if not INDEX_TYPES[kind].loses_rows(data_type))
        types = [*fit, *sorted(kind for own, kind in there if own == name)]
        for kind in dict.fromkeys(types):
            options: Mapping[str, str] = {}
            options_for = INDEX_TYPES[kind].options_for if kind in INDEX_TYPES else None
            if options_for is not None:
                options = options_for(_round_up(summary.distinct_in_file))
                if "." in name and (name, kind) not in specs:
                    continue  # none of its options can be set, and its size would be 600 kB
            spec = specs.get((name, kind), IndexSpec(kind, column.name, key, options))
            if spec_in_file(spec, schema, schema) is not None:
                candidates[name, kind] = spec
    return candidates


def untried_indexes(
    schema: TableSchema, candidates: Mapping[Key, IndexSpec], profiles: Sequence[FileProfile]
) -> dict[Key, IndexSpec]:
    """Return the existing indexes that are not tried, because their columns are not.

    A bloom filter should keep its size; without options, it would be built for a million values.
    """
    sizes: dict[Key, int] = {}
    for found in profiles:
        for key, size in found.existing.items():
            if key not in candidates:
                sizes[key] = max(size, sizes.get(key, 0))
    untried = {}
    for (name, kind), size in sizes.items():
        column, map_key = schema.columns.split(name)
        options: Mapping[str, str] = {}
        known = INDEX_TYPES.get(kind)
        if known is not None and known.options_for and known.values_of_size:
            if "." in name:
                continue  # none of its options can be set
            options = known.options_for(max(1, known.values_of_size(size)))
        spec = IndexSpec(kind, column.name, map_key, options)
        if "," not in name and spec_in_file(spec, schema, schema) is not None:
            untried[name, kind] = spec
    return untried


def why_unfit(name: str, schema: TableSchema) -> str | None:
    """Return why a column supports no index at all; None if it supports one."""
    column, key = schema.columns.split(name)
    data_type = schema.columns[name]
    if column.name in schema.partition_keys:
        return "a partition column: partition pruning already skips its files"
    if data_type.root == "MAP":
        return "a MAP: indexes are built on its keys, if a predicate names them"
    if data_type.fields or data_type.root in ("VARIANT", "BLOB") or data_type.text is not None:
        return f"no index supports {data_type.root}"
    if "," in name or name != name.strip() or (key is None and re.search(r"\[.*\]$", name)):
        return "table options cannot contain its name"
    return None


def spec_in_file(spec: IndexSpec, table: TableSchema, file: TableSchema) -> IndexSpec | None:
    """Return an index in terms of a data file's schema; None if it cannot be built there."""
    found = file_options(FileIndexOptions((spec,)), table, file)[0].indexes
    return found[0] if found else None


def _round_up(count: int) -> int:
    """Return a round number that is larger by at least a tenth."""
    wanted = max(1, -(-count * 11 // 10))
    digits = max(0, len(str(wanted)) - 2)
    return int(-(-wanted // 10**digits) * 10**digits)
