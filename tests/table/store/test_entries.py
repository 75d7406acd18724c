"""Entries of manifests: which files are live."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from paimon_ksy.table.store.entries import deleted_of, live_of
from tests.support.live_files import Change, check_live, given_changes


def manifests_of(
    changes: Sequence[Sequence[Change]],
) -> tuple[list[Any], Callable[[Any], list[Any]]]:
    """Manifests with these entries, and what reads them."""
    contents = {}
    manifests = []
    for number, part in enumerate(changes):
        contents[f"m{number}"] = [
            SimpleNamespace(
                kind=kind,
                partition=SimpleNamespace(values=[float("nan")]),
                bucket=bucket,
                file=SimpleNamespace(
                    file_name=name,
                    level=level,
                    extra_files=[],
                    embedded_index=None,
                    external_path=None,
                ),
            )
            for kind, name, level, bucket in part
        ]
        deleted = sum(kind for kind, *_ in part)
        manifests.append(
            SimpleNamespace(
                file_name=f"m{number}",
                num_added_files=len(part) - deleted,
                num_deleted_files=deleted,
            )
        )
    return manifests, lambda manifest: contents[manifest.file_name]


@given_changes
def test_each_delete_takes_one_add_back(changes: list[list[Change]]) -> None:
    manifests, entries = manifests_of(changes)
    wrong: list[tuple[str, str]] = []
    deleted = deleted_of(manifests, entries)
    live = list(live_of(manifests, deleted, entries, lambda *found: wrong.append(found)))
    names = [(e.file.file_name, e.file.level, e.bucket) for e in live]
    check_live(changes, names, wrong)
