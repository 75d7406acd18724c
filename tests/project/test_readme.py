"""Every command and every Python example in the documents runs and prints what is said there.

In a `console` block, what follows a command is its output; a line `...` stands for any lines, `...`
within a line for any text. In a `python` block, the comment after a `print(..)` is its output.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from kit_support.page_text import pattern, tidy
from paimon_ksy import errors
from paimon_ksy.cli import failures
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from tests import ROOT
from tests.conftest import undo
from tests.support.commands import Cli
from tools import demo

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TESTED_ELSEWHERE = (
    ROOT / "docs/project/adding-an-index-type.md",  # by test_worked_type.py
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    document: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def blocks(language: str) -> list[Block]:
    """Return the blocks of all documents; those of a tutorial are one: they share a folder."""
    fence = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    found: list[Block] = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        own = [
            Block(document, text.count("\n", 0, match.start()) + 1, match[1], match[2])
            for match in fence.finditer(text)
            if match[1] == language and document not in TESTED_ELSEWHERE
        ]
        if own and document.parent.name == "tutorials":
            own = [Block(document, own[0].line, language, "".join(block.text for block in own))]
        found += own
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the examples and the kit, so that commands can write files."""
    for name in ("examples", "conformance"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("block", blocks("console"), ids=str)
def test_commands(block: Block, folder: Path, cli: Cli, pytestconfig: pytest.Config) -> None:
    commands = re.split(r"^\$ ", block.text.replace("\\\n", ""), flags=re.MULTILINE)
    assert not commands[0], f"{block}: a console block begins with `$ `"
    for entry in commands[1:]:
        command, _, expected = entry.partition("\n")
        if command == "python -m tools.demo --folder demo":
            # test_demo.py runs it: here only its table is made, for the commands that follow.
            demo.write_table(folder / "demo" / "warehouse")
            rewrite_index(str(folder / "demo" / demo.TABLE), engine=local_engine(1))
            continue
        code, out, error = ran_here(command, cli) or ran_by_shell(
            command, folder, only_look_up=pytestconfig.option.share < 100
        )
        assert code == 0, f"{block}: {command}\n{out}{error}"
        if expected.strip():
            assert re.fullmatch(pattern(expected), tidy(out)), f"{block}: {command} printed\n{out}"


def ran_here(command: str, cli: Cli) -> tuple[int, str, str] | None:
    """Run `paimon-ksy`, if it is all that the command needs, in this process, which is quicker."""
    called, echo, _ = command.partition('; echo "exit $?"')
    called, merged = called.removesuffix(" 2>&1"), called.endswith(" 2>&1")
    lexer = shlex.shlex(called, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    first, *words = lexer
    if first != "paimon-ksy" or any(set(word) <= set("();<>|&") for word in words):
        return None
    undo()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "100")
        patch.setenv("NO_COLOR", "1")
        code, out, error = cli(*words)
    if merged:
        out += error
    return (0, f"{out}exit {code}\n", error) if echo else (code, out, error)


def ran_by_shell(command: str, folder: Path, *, only_look_up: bool) -> tuple[int, str, str]:
    bin_folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "COLUMNS": "100"}
    environment |= {"VENV": str(bin_folder.parent), "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    # `make test` is what runs this test, and `make demo`, of which other tests have the parts,
    # takes long: `make test-all` runs it.
    is_dry = command == "make test" or (command == "make demo" and only_look_up)
    dry = command.replace("make ", "make --dry-run ") if is_dry else command
    done = subprocess.run(
        dry,
        shell=True,
        cwd=ROOT if command.startswith("make ") else folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python(block: Block, folder: Path) -> None:
    expected = re.findall(r"^ *print\(.*\)  # (.*)$", block.text, re.MULTILINE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, str(block), "exec"), {"__name__": "__main__"})
    assert printed.getvalue().splitlines() == expected


def test_links_of_readme_are_absolute_and_lead_to_files() -> None:
    """README is also the package page, where relative links lead nowhere."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    home = re.escape(project["urls"]["Homepage"])
    raw = home.replace("https://github", "https://raw\\.githubusercontent")
    text = (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert all(link.startswith("https://") for link in links)
    files = [
        match[1]
        for link in [*links, *project["urls"].values()]
        if (match := re.match(rf"(?:{home}/(?:blob|tree)|{raw})/main/([^#]+)", link))
    ]
    assert len(files) >= 10
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_command_line_lists_all_exit_codes_and_kinds_of_errors() -> None:
    """The tables in docs/reference/errors.md are those of the program, in its words."""
    text = (ROOT / "docs" / "reference" / "errors.md").read_text("utf-8")
    section = text.partition("\n## In Python\n")[0]
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", section, re.MULTILINE)
    assert rows == [(str(code.value), code.meaning) for code in errors.ExitCode]

    kinds = re.findall(r"^\| (`.*`) \| .* \| (\d+) \|$", section, re.MULTILINE)
    listed = {
        code: int(exit_code) for codes, exit_code in kinds for code in codes[1:-1].split("`, `")
    }
    sources = [path.read_text("utf-8") for path in (ROOT / "paimon_ksy").rglob("*.py")]
    codes = {code for text in sources for code in re.findall(r'^    code = "(.*)"$', text, re.M)}
    assert set(listed) == codes - {"shifted"}  # which is printed as a note
    classes = [
        failures.UsageError,
        *(one for one in vars(errors).values() if isinstance(one, type)),
    ]
    own = [one for one in classes if issubclass(one, errors.PaimonKsyError)]
    assert listed == {one.code: int(one.exit_code) for one in own}


def test_documents_are_tested() -> None:
    """The tests above see blocks at all."""
    found = blocks("console") + blocks("python")
    documents = {str(block.document.relative_to(ROOT)) for block in found}
    assert {"README.md", "docs/reference/errors.md", "docs/reference/sql.md"} <= documents
