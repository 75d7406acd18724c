"""Print the findings of an audit or of `verify`, for terminals and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from paimon_ksy.errors import counted
from paimon_ksy.messages.findings import ERROR, NOTE, SEVERITIES, WARNING, Finding, folded
from paimon_ksy.pages.text import Node

_STYLES = {ERROR: "red", WARNING: "yellow", NOTE: "dim"}


def how_many(findings: Iterable[Finding]) -> str:
    """Count the findings of each severity, such as `1 error, 2 notes`."""
    counts = Counter(finding.severity for finding in findings)
    listed = ", ".join(counted(counts[kind], kind) for kind in SEVERITIES if counts[kind])
    return listed or "no problems"


def findings_node(name: str, kind: str, findings: Sequence[Finding], *hints: str) -> Node:
    """Return a tree about a file: its name and kind, its findings, and hints."""
    nodes = [*finding_nodes(findings), *(Node([(hint, "dim")]) for hint in hints)]
    return Node([(name, "bold"), (f": {kind}, {how_many(findings)}", "")], nodes)


def finding_nodes(findings: Sequence[Finding], location: str = "") -> list[Node]:
    """Return the findings as nodes of a tree, errors first; paths are relative to `location`."""
    return [_node(location, each) for each in folded(findings, " (--format json lists each)")]


def _node(location: str, finding: Finding) -> Node:
    file = finding.file.removeprefix(f"{location}/") if location else finding.file
    where = [] if finding.column is None else [f"column {finding.column!r}"]
    where += [] if finding.byte is None else [f"byte {finding.byte:,}"]
    place = ": ".join([file, *([", ".join(where)] if where else []), finding.message])
    return Node(
        [(finding.severity, _STYLES[finding.severity]), (f" {finding.check}: {place}", "")],
        [Node([(finding.remedy, "dim")])],
    )
