"""What the project says of itself to indexes, GitHub and readers is consistent."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet
from ruamel.yaml import YAML

from paimon_ksy import __version__
from paimon_ksy.messages.install import NEWEST_FOR_TABLES
from tests import ROOT
from tools.dist import tracked

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def yaml(path: Path) -> Any:
    """The content of a YAML file."""
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


def jobs(name: str) -> dict[str, Any]:
    """The jobs of a workflow."""
    found: dict[str, Any] = yaml(ROOT / ".github" / "workflows" / name)["jobs"]
    return found


# Names and addresses ------------------------------------------------------------------------------


def test_the_project_has_one_address() -> None:
    home = PROJECT["urls"]["Homepage"]
    owner_and_name = home.removeprefix("https://github.com/")
    address = r"(?:github\.com|raw\.githubusercontent\.com)/([\w.-]+/paimon-ksy)\b"
    found = {
        (file, other)
        for file in tracked()
        if Path(file).suffix in {".md", ".py", ".toml", ".yml", ".yaml", ".cff", ".html", ".ksy"}
        for other in re.findall(address, (ROOT / file).read_text(encoding="utf-8"))
    }
    assert {"pyproject.toml", "README.md", "CITATION.cff"} <= {file for file, _ in found}
    assert {(file, other) for file, other in found if other != owner_and_name} == set()
    assert all(url.startswith(home) for url in PROJECT["urls"].values())


def test_the_citation_is_about_this_version() -> None:
    citation = yaml(ROOT / "CITATION.cff")
    assert citation["version"] == __version__
    assert citation["title"] == PROJECT["name"]
    assert citation["abstract"] == PROJECT["description"]
    assert citation["license"] == PROJECT["license"]
    assert citation["keywords"] == PROJECT["keywords"]
    assert citation["repository-code"] == PROJECT["urls"]["Source"]
    assert {"cff-version", "message", "authors"} <= set(citation)


# Releases -----------------------------------------------------------------------------------------

TWO = "# Changelog\n\n## 0.2.0 (not released)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n\n- Old.\n"


@pytest.mark.parametrize(
    ("version", "tag", "printed"),
    [
        ("0.2.0", "", "\n- New.\n\n"),
        ("0.1.0", "v0.1.0", "\n- Old.\n"),
        ("0.2.0", "v0.2.0", None),  # which has no date
        ("0.1.0", "v0.2.0", None),
        ("0.1", "", None),
    ],
)
def test_release_notes(version: str, tag: str, printed: str | None, tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text(TWO)
    asked = ["make", "-sf", str(ROOT / "Makefile"), "release-notes", f"VERSION={version}"]
    done = subprocess.run([*asked, f"TAG={tag}"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout if done.returncode == 0 else None) == printed


# Workflows ----------------------------------------------------------------------------------------


def commands() -> list[tuple[str, str]]:
    """Each command of a workflow, with the workflow's name; a matrix's `TARGET` is filled in."""
    found = []
    for path in WORKFLOWS:
        for job in jobs(path.name).values():
            targets = job.get("strategy", {}).get("matrix", {}).get("target", [""])
            steps = [step["run"] for step in job["steps"] if "run" in step]
            found += [
                (path.name, step.replace('"$TARGET"', target))
                for step in steps
                for target in targets
            ]
    return found


def test_workflows_run_targets_and_modules_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    run = {
        target for _, command in commands() for target in re.findall(r"\bmake ([\w-]+)", command)
    }
    assert {"lint", "check-generated", "dist", "faults", "chaos"} <= run
    assert run - targets == set()
    modules = re.findall(r"-m (tools\.\w+)", str(commands()))
    assert modules
    assert [name for name in modules if not (ROOT / f"{name.replace('.', '/')}.py").exists()] == []


def test_each_supported_python_is_tested_on_each_system() -> None:
    supported = [
        version
        for minor in range(8, 40)
        if f"Programming Language :: Python :: {(version := f'3.{minor}')}"
        in PROJECT["classifiers"]
    ]
    assert supported[0] in PROJECT["requires-python"]
    assert all(version in SpecifierSet(PROJECT["requires-python"]) for version in supported)
    too_new = [one for one in supported if tuple(map(int, one.split("."))) > NEWEST_FOR_TABLES]
    assert too_new and too_new != supported
    for job in ("tests", "spark", "files"):
        matrix = jobs("tests.yml")[job]["strategy"]["matrix"]
        expected = too_new if job == "files" else supported[: -len(too_new)]
        assert matrix["python"] == expected
        assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]


def test_each_tested_spark_is_tested_and_named() -> None:
    sparks = jobs("tests.yml")["spark"]["strategy"]["matrix"]["spark"]
    page = (ROOT / "docs" / "tutorials" / "spark.md").read_text(encoding="utf-8")
    [tested] = re.findall(r"Tested\s+versions\s+are\s+(\d[\d., and\s]+\d)\.", page)
    assert sparks == re.findall(r"[\d.]+\d", tested)
    [needed] = [text for text in PROJECT["optional-dependencies"]["spark"] if "pyspark" in text]
    assert all(spark in SpecifierSet(needed.partition("]")[2]) for spark in sparks)


def test_only_the_job_that_publishes_may_ask_for_a_token_of_pypi() -> None:
    allowed = {
        (path.name, name)
        for path in WORKFLOWS
        for name, job in jobs(path.name).items()
        if job.get("permissions", {}).get("id-token") == "write"
    }
    assert allowed == {("release.yml", "pypi")}
    assert all(yaml(path)["permissions"] == {"contents": "read"} for path in WORKFLOWS)
    assert "secrets." not in "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)


@pytest.mark.go
@pytest.mark.network
@pytest.mark.slow
def test_workflows_are_valid() -> None:
    go = shutil.which("go")
    assert go
    done = subprocess.run(
        [go, "run", ACTIONLINT, *WORKFLOWS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
