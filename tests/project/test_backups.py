"""Messages that advise to restore a file from a backup: only where nothing else helps."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REASONS = {
    "a crash interrupted its commit: if it is the newest snapshot, delete it and the hint "
    "snapshot/LATEST, and repeat the commit; restore an older one from a backup": (
        "an empty file has nothing to lose, but nothing else has the lists of an older snapshot"
    ),
    "if it was an index, rebuild it; if it was another file, restore it from a backup": (
        "an empty file does not show what it was"
    ),
    "if the table should use that folder, add it to the table's option data-file.external-paths; "
    "if not, restore the metadata from a backup, or remove the link": (
        "metadata that names files elsewhere were changed, or the table was copied"
    ),
    "pass the data file that the index was built from, or restore it from a backup": (
        "the given data file has other rows, or is corrupt"
    ),
    "restore the data file from a backup, or read a snapshot that does not need it; ": (
        "only a data file has its rows"
    ),
    "restore the file from a backup": "a footer of ORC is corrupt: only a data file has its rows",
    "restore the file from a backup, or rescale the table, which reassigns all buckets": (
        "the buckets of keys are only in a bucket index, or are assigned again"
    ),
    "restore the file from a backup: files of that schema need it": (
        "data files do not have the ids of columns"
    ),
    "restore the file from a backup: nothing else holds its rows": "only a data file has its rows",
    "restore its metadata from a backup, or drop the table with Java": (
        "no snapshot or tag is left, so nothing shows which files are needed"
    ),
    "restore the file from a backup; if it is lost for good, write {} to {}/EARLIEST, so that "
    "earlier ones count as expired": "only a snapshot names its manifests",
    "restore the file from a backup; if memory was short, run ": (
        "it crashes the process that reads it, also alone"
    ),
    "restore the file from a backup; to see which snapshots can be read, run ": (
        "only manifests and their lists name the files of a snapshot"
    ),
    "restore the file from a backup; until then, ": "a rollback would lose the commit",
    "the data file is corrupt and cannot be rebuilt: restore it from a backup": (
        "only a data file has its rows"
    ),
    "the deleted rows of {} are unknown{}; restore the file from a backup": (
        "only a vector shows which rows are deleted; a rollback would lose later commits"
    ),
}
"""Each message, and why there is no better advice."""


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts of a module, with the expressions of an f-string as {}; no docstrings."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        yield "".join(map(str, parts))
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from texts(child)


def test_each_message_about_a_backup_has_a_reason() -> None:
    files = (ROOT / "paimon_ksy").rglob("*.py")
    found = {text for file in files for text in texts(ast.parse(file.read_text()))}
    assert {text for text in found if "backup" in text} == REASONS.keys()
