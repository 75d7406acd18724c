"""Build sdists and wheels of ksykit and paimon-ksy, and paimon_ksy.zip, into dist/; check them, and
prove that they are reproducible.

    python -m tools.dist [--out DIR]

Sdists are built from a copy of the files that git tracks, and wheels from sdists. All are built
again in another folder, and must have the same bytes. paimon_ksy.zip has the content of both
wheels, under a name that Spark accepts (`--py-files`, `--archives`, `addArtifacts`). Then
validate-pyproject, twine and check-wheel-contents check them. The exit code is 1 if one of them
finds a problem.
SOURCE_DATE_EPOCH sets the time of all files in seconds; the default is the time of the last commit.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
KIT = ROOT / "ksykit"


class DistError(Exception):
    """A distribution that cannot be built, or in which a check found something."""


def main(arguments: list[str] | None = None) -> int:
    """Build and check; print the files, or what is wrong with them."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder to write to")
    out = parser.parse_args(arguments).out
    try:
        files = build_and_check(out)
    except DistError as error:
        print(error, file=sys.stderr)
        return 1
    for file in files:
        print(f"{file}: {file.stat().st_size:,} bytes, the same when built twice")
    return 0


def build_and_check(out: Path) -> list[Path]:
    """Write the sdist and wheel of ksykit, those of paimon-ksy, and paimon_ksy.zip to a folder.

    Returns their paths.

    Raises:
        DistError: They cannot be built, differ when built again, or a check found something.
    """
    time = source_time()
    with tempfile.TemporaryDirectory() as temporary:
        made, again = (build(Path(temporary, name), time) for name in ("first", "second"))
        for first, second in zip(made, again, strict=True):
            if first.name != second.name or first.read_bytes() != second.read_bytes():
                raise DistError(f"{first.name} has other bytes when it is built again")
        for project, of_it in ((KIT, made[:2]), (ROOT, made[2:4])):
            check(project, of_it)
        out.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copy(file, out)) for file in made]


def source_time() -> int:
    """Return the time that the files in distributions get, in seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run("git", "log", "-1", "--format=%ct", cwd=ROOT))


def tracked() -> list[str]:
    """Return the paths of the files that git tracks, below the project's folder."""
    names = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    return [name for name in names if (ROOT / name).is_file()]


def copy_tracked(folder: Path) -> None:
    """Copy the files that git tracks, as they are now, to a new folder."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def build(folder: Path, time: int) -> list[Path]:
    """Build sdists in a new folder, from them wheels, and from these the archive for Spark."""
    source = folder / "source"
    copy_tracked(source)
    made = [*_built(source / KIT.name, folder / KIT.name, time), *_built(source, folder, time)]
    archive = folder / "paimon_ksy.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as joined:
        for wheel in made[1::2]:
            with zipfile.ZipFile(wheel) as content:
                for member in content.infolist():
                    joined.writestr(member, content.read(member), zipfile.ZIP_DEFLATED)
    return [*made, archive]


def _built(source: Path, folder: Path, time: int) -> tuple[Path, Path]:
    """Build the sdist of a distribution, and from it the wheel. Return their paths."""
    command = (sys.executable, "-m", "build", "--outdir", str(folder))
    run(*command, "--sdist", str(source), time=time)
    [sdist] = folder.glob("*.tar.gz")
    normalize(sdist, time)
    run(*command, "--wheel", str(unpacked(sdist, folder / "unpacked")), time=time)
    [wheel] = folder.glob("*.whl")
    return sdist, wheel


def normalize(sdist: Path, time: int) -> None:
    """Write an sdist again: sorted, and with no times, owners and modes of this machine.

    setuptools does so in wheels, but not in sdists.
    """
    packed = io.BytesIO()
    with (
        tarfile.open(sdist) as old,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            same = tarfile.TarInfo(member.name)
            same.type, same.size, same.mtime = member.type, member.size, time
            same.mode = 0o755 if member.isdir() else 0o644
            new.addfile(same, old.extractfile(member))
    sdist.write_bytes(gzip.compress(packed.getvalue(), mtime=time))


def extract(
    archive: tarfile.TarFile, folder: Path | str, members: list[tarfile.TarInfo] | None = None
) -> None:
    """Extract an archive of this project, all of it or only these members.

    The argument `filter` of `extractall` is new in Python 3.11.4, and this attribute only unused
    before.
    """
    archive.extraction_filter = getattr(tarfile, "data_filter", None)
    archive.extractall(folder, members)


def unpacked(sdist: Path, folder: Path) -> Path:
    """Unpack an sdist to a folder, and return the one folder in it."""
    with tarfile.open(sdist) as archive:
        extract(archive, folder)
    return folder / sdist.name.removesuffix(".tar.gz")


def check(project: Path, files: Sequence[Path]) -> None:
    """Let the tools that package indexes recommend check the sdist and the wheel of a project."""
    python, described = (sys.executable, "-m"), str(project / "pyproject.toml")
    run(*python, "validate_pyproject", described)
    run(*python, "twine", "check", "--strict", *map(str, files))
    run(*python, "check_wheel_contents", "--config", described, str(files[1]))


def run(*command: str, cwd: Path | None = None, time: int | None = None) -> str:
    """Return what a command prints.

    Raises:
        DistError: It fails. The message is what it printed.
    """
    environment = os.environ | ({} if time is None else {"SOURCE_DATE_EPOCH": str(time)})
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise DistError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
