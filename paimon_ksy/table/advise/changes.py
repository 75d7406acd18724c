"""The changes to a table that the recommended indexes need, and the commands that make them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from paimon_ksy.messages.commands import table_command
from paimon_ksy.table.advise.choose import Choice
from paimon_ksy.table.index.options import is_replaced


def index_options(choice: Choice) -> dict[str, str | None]:
    """Return the file index options to change; None for options to remove."""
    changes: dict[str, str | None] = {}
    specs = [spec.index_type for spec in choice.options.indexes]
    for kind in dict.fromkeys([*specs, *(kind for _, kind in sorted(choice.advised))]):
        changes |= _options_of(choice, kind)
    return changes


def _options_of(choice: Choice, kind: str) -> dict[str, str | None]:
    """Return the options of an index type to change."""
    own, option = choice.schema.options, f"file-index.{kind}.columns"
    before = [name.strip() for name in own.get(option, "").split(",") if name.strip()]
    advised = {name for name, k in choice.advised if k == kind}
    place = {name: at for at, name in enumerate(choice.names)}
    new = sorted(advised - {*before}, key=lambda name: (place.get(name, len(place)), name))
    after = [*filter(advised.__contains__, before), *new]
    listed: dict[str, str | None] = {option: ",".join(after) or None} if after != before else {}
    gone = dict.fromkeys(key for key in own if is_replaced(key, {option: ",".join(after)}))
    added = {
        f"file-index.{kind}.{name}.{key}": value
        for name in new
        for key, value in choice.candidates[name, kind].options.items()
    }
    return {**listed, **gone, **added}


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
