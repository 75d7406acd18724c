"""The changes to a table's options that the recommended indexes need."""

from __future__ import annotations

from collections.abc import Mapping

from paimon_ksy.file_index.builder import assemble
from paimon_ksy.table.advise.choose import MIN_WORTH, IndexChoice
from paimon_ksy.table.advise.sample import Key
from paimon_ksy.types.schema import outer_column

THRESHOLD = "file-index.in-manifest-threshold"

_EMBEDDED, _ALL_EMBEDDED = 8 << 10, 16 << 20  # bytes in manifests, for a file and the table


def index_options(choice: IndexChoice) -> dict[str, str | None]:
    """Return the file index options to change; None for options to remove."""
    results = choice.results
    own = results.schema.options
    changes: dict[str, str | None] = {}
    place = {name: at for at, name in enumerate(results.names)}
    types = dict.fromkeys(kind for _, kind in (*choice.wanted, *sorted(choice.advised)))
    for kind in types:
        option = f"file-index.{kind}.columns"
        before = [n.strip() for n in own.get(option, "").split(",") if n.strip()]
        wanted = {name for name, k in choice.advised if k == kind}
        new = sorted(wanted - set(before), key=lambda name: (place.get(name, len(place)), name))
        after = [name for name in before if name in wanted] + new
        if after != before:
            changes[option] = ",".join(after) or None
        left = {*map(outer_column, after), *after}
        for key in own:
            parts = key.split(".")
            is_of_column = key.startswith(f"file-index.{kind}.") and len(parts) == 4
            if is_of_column and parts[2] not in left:
                changes[key] = None
        for name in new:
            spec = {**results.untried, **results.candidates}[name, kind]
            for key, value in spec.options.items():
                changes[f"file-index.{kind}.{name}.{key}"] = value
    threshold = _threshold(choice)
    if threshold is not None:
        changes[THRESHOLD] = threshold
    return changes


def are_missing(choice: IndexChoice) -> bool:
    """Return whether files of the sample lack a recommended index."""
    for key in choice.advised:
        measured = choice.results.measurements
        files = sum(any(key in one.sizes for one in of_file) for of_file in measured)
        if choice.existing.get(key, 0) < files:
            return True
    return False


def have_others(choice: IndexChoice) -> bool:
    """Return whether files of the sample have an index that is not recommended."""
    return any(key not in choice.advised for key in choice.existing)


def _threshold(choice: IndexChoice) -> str | None:
    """Return the size up to which manifests should embed indexes; None to keep the current one.

    A larger size helps readers, which then open no index file.
    """
    results = choice.results
    sizes = []
    for file, of_file in zip(results.files, results.measurements, strict=True):
        bodies = {
            key: size
            for measured in of_file
            for key, size in measured.sizes.items()
            if key in choice.advised and measured.rows == file.num_rows
        }
        if bodies:
            sizes.append(_file_size(bodies))
    most = max(sizes, default=0)
    if not results.wanted.in_manifest_threshold < most <= _EMBEDDED:
        return None
    wanted = -(-most * 5 // 4 // 1024) * 1024
    if wanted * results.size.files > _ALL_EMBEDDED:
        return None
    return f"{wanted >> 10}kb"


def _file_size(bodies: Mapping[Key, int]) -> int:
    """Return the size in bytes of a file index with bodies of these sizes."""
    columns: dict[str, list[tuple[str, list[bytes] | None]]] = {}
    for name, kind in bodies:
        columns.setdefault(name, []).append((kind, None))
    return len(assemble(columns.items())) + sum(bodies.values())


def missing_statistics(choice: IndexChoice) -> list[str]:
    """Return the columns whose minimum and maximum are unknown, but would exclude files."""
    results = choice.results
    found = []
    for name, summary in results.summaries.items():
        unknown = sum(name not in file.statistics.columns for file in results.files)
        if not unknown or summary.files < 2 or choice.is_tiny:
            continue
        gains = []
        for at in choice.questions_on(name):
            totals = results.totals[at]
            gains.append((results.questions[at].weight, totals.now.files - totals.bounds.files))
        weights = sum(weight for weight, _ in gains)
        if weights and sum(w * gain for w, gain in gains) >= (
            MIN_WORTH * weights * len(results.files)
        ):
            found.append(name)
    return found
