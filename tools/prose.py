"""Check the prose of the project.

It checks README, docs, CHANGELOG, `--help`, specs, messages and docstrings. Fewer rules apply to
docstrings that are not public: those whose `not_in` lacks `internal`.

    python -m tools.prose            check everything; the exit code is 1 if a rule is broken
    python -m tools.prose FILE ..    check these Markdown files and specs only

The rules are in prose.toml. Vale is not used, because its package on PyPI downloads a program from
GitHub at the first run, so `make lint` would fail where only a package index can be reached. The
rules need sentences and words but no grammar, which takes little code.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
RULES = Path(__file__).with_suffix(".toml")
MARKDOWN = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ".github/*.md",
    "docs/**/*.md",
    "conformance/README.md",
    "examples/README.md",
    "tests/golden/README.md",
)

_MADE = re.compile(r"^<!-- `make docs` writes: .*?^<!-- end of ", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2[^\n]*$", re.MULTILINE | re.DOTALL)
_HIDDEN = re.compile(r"``.+?``|`(?:[^`\n]|\n(?!\s*\n))+`|<[^<>\n]+>|https?://[^\s)>]+")
_LINK_END = re.compile(r"\]\([^()\s]*\)")
_BLOCK = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*] |\d+\. |#|\|))|\s\|\s?|^\|\s?", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[*_\"')\]]*\s+(?=[\"'(\[*_]*[A-Z0-9`\x00])")
_WORD = re.compile(r"[\w\x00][^\s]*")
_ITEM = re.compile(r"\n(?=(?: +[\w, ]+|[A-Z]\w+):(?: |$))", re.MULTILINE)  # `Args:`, ` name: ..`
_OF_HELP = ("help", "short_help", "epilog")  # arguments, which `help_texts` yields
_CODE = "\x00"  # stands for each character of code, so that positions stay


@dataclass(frozen=True)
class Rule:
    """A rule: what a sentence must not contain, or how many words it may have."""

    name: str
    message: str
    pattern: re.Pattern[str] | None
    words: int | None
    not_in: frozenset[str]
    bad: tuple[str, ...]
    good: tuple[str, ...]

    def broken_by(self, sentence: str) -> bool:
        """Return whether a sentence, in which code is hidden, breaks the rule."""
        if self.pattern is not None:
            return self.pattern.search(sentence) is not None
        assert self.words is not None
        return len(_WORD.findall(sentence)) > self.words


@dataclass(frozen=True)
class Text:
    """A piece of prose: its file or command, its first line (0 if unknown), and its kind."""

    place: str
    line: int
    kind: str
    text: str


@dataclass(frozen=True)
class Finding:
    """A sentence that breaks a rule."""

    place: str
    line: int
    rule: Rule
    sentence: str

    def __str__(self) -> str:
        at = f"{self.place}:{self.line}" if self.line else self.place
        return f"{at}: {self.rule.name}: {self.rule.message}\n    {self.sentence}"


def main(names: Sequence[str]) -> int:
    """Print the findings in the files named, or in all texts; return the exit code."""
    texts = [text for name in names for text in in_file(Path(name))] if names else list(all_texts())
    findings = [finding for text in texts for finding in check(text, rules())]
    for finding in findings:
        print(finding)
    print(f"prose: {len(findings)} findings in {len(texts)} texts")
    return 1 if findings else 0


def rules() -> list[Rule]:
    """Return the rules of prose.toml."""
    return [
        Rule(
            name=rule["name"],
            message=rule["message"],
            pattern=re.compile(rule["pattern"], re.IGNORECASE) if "pattern" in rule else None,
            words=rule.get("words"),
            not_in=frozenset(rule.get("not_in", ())),
            bad=tuple(rule["bad"]),
            good=tuple(rule["good"]),
        )
        for rule in tomllib.loads(RULES.read_text("utf-8"))["rule"]
    ]


def check(text: Text, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Yield each rule that a sentence of the text breaks."""
    for start, sentence in sentences(text.text):
        for rule in rules:
            if text.kind not in rule.not_in and rule.broken_by(sentence):
                line = text.line and text.line + text.text.count("\n", 0, start)
                shown = " ".join(text.text[start : start + len(sentence)].split())
                yield Finding(text.place, line, rule, shown)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of Markdown with their positions; code is replaced by placeholders."""
    text = _FENCE.sub(_spaces, text)
    text = _HIDDEN.sub(lambda match: _CODE * len(match[0]), text)
    text = _LINK_END.sub(_spaces, text)
    for block_start, block in _split(_BLOCK, text):
        for start, sentence in _split(_SENTENCE_END, block):
            flat = re.sub(r"\s", " ", sentence)
            indent = len(flat) - len(flat.lstrip())
            if flat.strip():
                yield block_start + start + indent, flat.strip()


def _spaces(match: re.Match[str]) -> str:
    """Return blanks and line ends as long as what was matched."""
    return re.sub(r"[^\n]", " ", match[0])


def _split(separator: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for match in separator.finditer(text):
        yield start, text[start : match.start()]
        start = match.end()
    yield start, text[start:]


# Texts ------------------------------------------------------------------------------------------


def all_texts() -> Iterator[Text]:
    """Yield everything that is checked."""
    for pattern in (*MARKDOWN, "specs/*.ksy"):
        for path in sorted(ROOT.glob(pattern)):
            yield from in_file(path)
    yield from help_texts()
    yield from docstrings()
    for path in sorted((ROOT / "paimon_ksy").rglob("*.py")):
        yield from messages(path)
        yield from internal_docstrings(path)


def in_file(path: Path) -> Iterator[Text]:
    """Yield the text of a Markdown file, or the `doc` texts of a spec."""
    place = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
    content = path.read_text("utf-8")
    if path.suffix != ".ksy":
        yield Text(place, 1, "markdown", _MADE.sub(_spaces, content))  # its sources are checked
        return
    for line, text in _docs(YAML(typ="rt").load(content)):
        yield Text(place, line, "spec", text)


def _docs(node: Any) -> Iterator[tuple[int, str]]:
    """Yield the `doc` texts in a YAML document and the lines where they begin."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "doc" and isinstance(value, str):
                line, _ = node.lc.value(key)  # type: ignore[attr-defined]
                yield line + (2 if "\n" in value else 1), str(value)
            else:
                yield from _docs(value)
    elif isinstance(node, list):
        for item in node:
            yield from _docs(item)


def help_texts() -> Iterator[Text]:
    """Yield the help texts of each command and option."""
    from typer.main import get_command

    from paimon_ksy.cli import app
    from paimon_ksy.cli.commands import Command

    group: Any = get_command(app.app)
    yield from _of_command("paimon-ksy", group)
    for name, inner in group.commands.items():
        if not isinstance(inner, Command):
            yield from _of_command(f"paimon-ksy {name}", inner)
    for name, command in app.commands():
        command.load()
        yield from _of_command(f"paimon-ksy {name}", command)


def _of_command(name: str, command: Any) -> Iterator[Text]:
    for text in dict.fromkeys(filter(None, (command.short_help, command.help))):
        yield Text(f"{name} --help", 0, "help", text)
    if command.epilog and not command.epilog.startswith("Example:"):
        yield Text(f"{name} --help", 0, "epilog", command.epilog)
    for parameter in command.params:
        if text := getattr(parameter, "help", None):
            yield Text(f"{name} --help, {parameter.opts[0]}", 0, "help", text)


def messages(path: Path) -> Iterator[Text]:
    """Yield the texts of three words or more in a module, without docstrings and `--help`.

    Most of them are messages: errors, findings, remedies and notes. What an f-string inserts
    becomes `{}`.
    """
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    hidden: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Expr):
            hidden.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            hidden.update(map(id, node.values))
        elif isinstance(node, ast.FormattedValue):
            hidden.add(id(node.format_spec))
        elif isinstance(node, ast.keyword) and node.arg in _OF_HELP:
            hidden.add(id(node.value))
    place = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
    for node in nodes:
        if id(node) in hidden or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts)
        if len(text.split()) > 2:
            yield Text(place, node.lineno, "message", text)


def docstrings() -> Iterator[Text]:
    """Yield the docstrings of the public names and of their public methods."""
    import paimon_ksy

    for name in paimon_ksy.__all__:
        value = getattr(paimon_ksy, name)
        yield from _docstring(f"paimon_ksy.{name}", value)
        for member, inner in vars(value).items() if inspect.isclass(value) else ():
            if not member.startswith("_"):
                inner = getattr(inner, "__func__", inner)  # of class and static methods
                yield from _docstring(f"paimon_ksy.{name}.{member}", inner)


def _docstring(name: str, value: Any) -> Iterator[Text]:
    if callable(value) or isinstance(value, property):
        text = inspect.getdoc(value)
        if text and not text.startswith(f"{name.rpartition('.')[2]}("):  # not of a bare dataclass
            yield Text(name, 0, "docstring", _ITEM.sub("\n\n", text))


def internal_docstrings(path: Path) -> Iterator[Text]:
    """Yield all docstrings in a module of the package."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                line = getattr(node, "lineno", 1)
                yield Text(str(path.relative_to(ROOT)), line, "internal", _ITEM.sub("\n\n", text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
