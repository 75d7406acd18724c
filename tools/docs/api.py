"""The public names of the package: what mkdocstrings is to show of them."""

from __future__ import annotations

GROUPS = {
    "Single files": ("file_index", "evaluation", "inspection", "table_index"),
    "Schemas and predicates": ("types", "predicates"),
    "Whole tables": ("table",),
    "Findings and errors": ("messages", "errors"),
}
"""The parts of the page, by the packages whose public names they have."""


def part(_: str) -> str:
    """Return the reference of all public names."""
    import paimon_ksy

    groups: dict[str, list[str]] = {title: [] for title in GROUPS}
    for name in sorted(paimon_ksy.__all__, key=str.lower):
        module = paimon_ksy._MODULES[name]
        package = module.partition(".")[0]
        title = next(title for title, packages in GROUPS.items() if package in packages)
        groups[title].append(f"::: paimon_ksy.{module}.{name}\n")
    return "\n".join(f"## {title}\n\n" + "\n".join(names) for title, names in groups.items())
