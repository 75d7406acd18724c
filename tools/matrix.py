"""Run a selection of tests with the lowest and the newest dependencies, and with each minor Spark.

    python -m tools.matrix [lowest newest files spark-4.0 ..]

Each has its own environment in .cache/matrix, which uv creates for the Python that runs this.
`lowest` has the lowest versions of users' dependencies that pyproject.toml allows; tools for tests
are the newest. `files` lacks pypaimon, whose bounds exclude the newest pyarrow, and runs the tests
of single files.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".cache" / "matrix"
EXTRAS = ("avro", "fast", "generator", "remote", "table")
SPARKS = {f"spark-4.{minor}": f"pyspark[connect]==4.{minor}.*" for minor in range(4)}
NAMES = ("lowest", "newest", "files", *SPARKS)
_FOLDERS = "columns data_files evaluation file_index predicates roaring"
_OF_TABLES = "table/dataset table/formats table/manifests table/query"
PACKAGES = ("unit or tables or docs", *f"{_FOLDERS} generator {_OF_TABLES}".split())
FILES = ("unit", *f"{_FOLDERS} generated inspection java rows table_index testing types".split())
SPARK = ("java", "spark", "table/engine")
"""A layer of tests, and folders of them."""
NEVER = "sys_platform == 'none'"  # an override with this marker drops a package


def main() -> int:
    """Make each environment, run its tests, and print a line for each; return 1 if one failed."""
    results = {name: run(name) for name in sys.argv[1:] or NAMES}
    for name, passed in results.items():
        print(f"{name:12} {'passed' if passed else 'FAILED'}")
    return 0 if all(results.values()) else 1


def run(name: str) -> bool:
    """Make an environment and run its tests; return whether all passed."""
    if name not in NAMES:
        sys.exit(f"no {name!r} in the matrix: there are {', '.join(NAMES)}")
    print(f"== {name}", flush=True)
    folder = FOLDER / name
    uv("venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
    limits = folder / "limits.txt"
    limits.write_text(SPARKS.get(name, ""), encoding="utf-8")
    if name == "files":
        limits.write_text(f"pypaimon; {NEVER}", encoding="utf-8")
    if name == "lowest":
        extras = [f"--extra={extra}" for extra in EXTRAS]
        lowest = ("--resolution=lowest-direct", "--no-annotate", "--no-header", "--quiet")
        projects = ("pyproject.toml", "ksykit/pyproject.toml")
        without = ("--no-emit-package", "ksykit")
        uv("pip", "compile", *projects, *extras, *lowest, *without, "--output-file", str(limits))
    # Overrides, because the tools for tests may ask for newer ones.
    executable = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    python = ("--python", executable)
    uv(
        "pip",
        "install",
        "--quiet",
        *python,
        "--override",
        str(limits),
        "-e",
        "./ksykit",
        "-e",
        ".[dev]",
    )
    layer, *folders = SPARK if name in SPARKS else FILES if name == "files" else PACKAGES
    # Old versions and new ones warn of each other.
    tests = ["-W", "default", "-m", layer, *(f"tests/{one}" for one in folders)]
    command = [executable, "-m", "pytest", "-n", "2", "--dist", "worksteal"]
    return subprocess.run([*command, *tests], cwd=ROOT, check=False).returncode == 0


def uv(*arguments: str) -> None:
    """Run uv, which prints what fails."""
    subprocess.run([sys.executable, "-m", "uv", *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main())
