"""The changes to a table that the recommended indexes need, and the commands that make them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from paimon_ksy.messages.commands import table_command
from paimon_ksy.table.advise.choose import MIN_WORTH, Choice
from paimon_ksy.types.data_type import quote
from paimon_ksy.types.literals import to_sql
from paimon_ksy.types.schema import outer_column

_THRESHOLD = "file-index.in-manifest-threshold"
_STATISTICS = "metadata.stats-mode"
_EMBEDDED, _ALL_EMBEDDED = 8 << 10, 16 << 20  # bytes in manifests, for a file and the table
_HEAD = 64  # bytes of an index in the head of its file, about
_NAMED = 10  # maximum columns that a note names


def index_options(choice: Choice) -> dict[str, str | None]:
    """Return the file index options to change; None for options to remove."""
    own = choice.schema.options
    changes: dict[str, str | None] = {}
    place = {name: at for at, name in enumerate(choice.names)}
    specs = [spec.index_type for spec in choice.options.indexes]
    for kind in dict.fromkeys([*specs, *(kind for _, kind in sorted(choice.advised))]):
        option = f"file-index.{kind}.columns"
        before = [n.strip() for n in own.get(option, "").split(",") if n.strip()]
        advised = {name for name, k in choice.advised if k == kind}
        new = sorted(advised - set(before), key=lambda name: (place.get(name, len(place)), name))
        after = [name for name in before if name in advised] + new
        if after != before:
            changes[option] = ",".join(after) or None
        stay = {*map(outer_column, after), *after}
        for key in own:
            parts = key.split(".")
            is_of_column = key.startswith(f"file-index.{kind}.") and len(parts) == 4
            if is_of_column and parts[2] not in stay:
                changes[key] = None
        for name in new:
            for key, value in choice.candidates[name, kind].options.items():
                changes[f"file-index.{kind}.{name}.{key}"] = value
    threshold = _threshold(choice)
    if threshold is not None:
        changes[_THRESHOLD] = threshold
    return changes


def _threshold(choice: Choice) -> str | None:
    """Return the size up to which manifests should embed indexes; None to keep the current one.

    A larger size helps readers, which then open no index file.
    """
    sizes: Counter[int] = Counter()
    for measured in choice.measurements:
        if measured.rows == choice.sample.files[measured.number].num_rows:
            for key in choice.advised & measured.sizes.keys():
                sizes[measured.number] += measured.sizes[key] + _HEAD
    most = max(sizes.values(), default=0)
    kilobytes = -(-most * 5 // 4 // 1024)
    if not choice.options.in_manifest_threshold < most <= _EMBEDDED:
        return None
    is_much = kilobytes * 1024 * choice.sample.size.files > _ALL_EMBEDDED
    return None if is_much else f"{kilobytes}kb"


def all_options(choice: Choice, changed: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the index options to change, and the one of statistics if missing ones would help."""
    mode = choice.schema.options.get(_STATISTICS, "none").strip().lower()
    needs_statistics = mode == "none" and bool(_missing_statistics(choice))
    return {**changed, _STATISTICS: "full"} if needs_statistics else dict(changed)


def _missing_statistics(choice: Choice) -> list[str]:
    """Return the columns whose minimum and maximum are unknown, but would exclude files."""
    files = choice.sample.files
    if len(files) < 2 or choice.is_tiny:
        return []

    def excluded(at: int) -> int:
        return choice.reads[at].now.files - choice.reads[at].bounds.files

    return [
        name
        for name in choice.columns
        if not all(name in file.statistics.columns for file in files)
        and (choice.mean(name, excluded) or 0.0) >= MIN_WORTH * len(files)
    ]


def rewrite_command(
    table: str, options: Mapping[str, str | None], partitions: str | None = None
) -> str:
    """Return the shell command that saves the options, and builds the indexes.

    An option of None is removed. `table` is the name of `commands.table_words`.
    """
    words = [] if partitions is None else ["--partitions", partitions]
    for key, value in options.items():
        words += ["--set", f"{key}={value or ''}"]
    if options:
        words.append("--save-options")
    return table_command("rewrite-index", *words, table=table)


def indexes_are_missing(choice: Choice) -> bool:
    """Return whether files of the sample lack a recommended index."""
    built = Counter(key for measured in choice.measurements for key in measured.sizes)
    return any(choice.existing[key] < built[key] for key in choice.advised)


def notes(
    choice: Choice, changed: Mapping[str, str | None], table: str, *, in_part: bool
) -> Iterator[str]:
    """Yield notes that a reader of the advice needs.

    `in_part` is whether only some partitions were measured.
    """
    missing = _missing_statistics(choice)
    if missing:
        yield (
            f"{_listed(missing)}: minimum and maximum would exclude files, but the manifests lack "
            f"them. Later writers store them if {_STATISTICS} is 'full' or "
            "'truncate(16)', Java's default"
        )
    if in_part and changed:
        yield "the options apply to the whole table, but only these partitions were measured"
    others = choice.existing.keys() - choice.advised
    # The command would drop indexes on columns that are not considered, too.
    if others and {name for name, _ in others} <= set(choice.names):
        drop = table_command("rewrite-index", "--drop-unlisted", table=table)
        then = "once the options are saved, " if changed else ""
        yield (
            f"rewrites keep the indexes that the options do not list; {then}`{drop}` drops all "
            "of them"
        )
    if _THRESHOLD in changed:
        yield "the indexes are small: stored in the manifests, they need no files of their own"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def sql_name(location: str) -> str:
    """Return the SQL name of the table in a folder such as `warehouse/default.db/orders`."""
    *_, database, name = ["", *location.rstrip("/").split("/")]
    name = re.sub(r"/branch/.*", "", name)
    parts = [database.removesuffix(".db"), name] if database.endswith(".db") else [name]
    return ".".join(map(quote, parts))


def alter_table(name: str, options: Mapping[str, str | None]) -> str:
    """Return a Spark SQL statement that sets a table's options, and removes those that are None."""
    statements = []
    gone = [key for key, value in options.items() if value is None]
    if gone:
        listed = ", ".join(map(to_sql, gone))
        statements.append(f"ALTER TABLE {name} UNSET TBLPROPERTIES ({listed});")
    there = [f"  {to_sql(key)} = {to_sql(v)}" for key, v in options.items() if v is not None]
    if there:
        statements.append(f"ALTER TABLE {name} SET TBLPROPERTIES (\n" + ",\n".join(there) + "\n);")
    return "\n".join(statements)
