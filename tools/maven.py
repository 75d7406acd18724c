"""Fetch the pinned jars of tools/java/jars.lock from Maven Central into .cache/jars.

The paimon-bundle is the reference implementation that the benchmark and the conformance
check run against; it needs Hadoop's client classes to open a table. The list is flat, so no
dependency is resolved: each jar is one that the lock file names, with its checksum.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
LOCK = ROOT / "tools" / "java" / "jars.lock"
RELEASES = LOCK.with_name("releases.lock")
LANGUAGES = ROOT / "tools" / "languages" / "jars.lock"


class MissingToolError(Exception):
    """Java, the jars or the network is missing: one line that says what, and how to get it."""


@dataclass(frozen=True)
class Jar:
    """One line of the lock file."""

    coordinate: str  # group:artifact:version
    sha256: str


def read_lock(text: str) -> list[Jar]:
    """The jars in the text of a lock file; blank lines and # comments are skipped."""
    lines = (line.split() for line in text.splitlines() if line.strip() and line[0] != "#")
    return [Jar(coordinate, sha256) for coordinate, sha256 in lines]


def fetch_jars(lock: Path = LOCK) -> list[Path]:
    """The jars of a lock file, in its order, downloaded where they are not in .cache/ yet.

    Raises MissingToolError without the network, or if a jar is not the one that was locked.
    """
    return [_fetch(jar) for jar in read_lock(lock.read_text())]


def _fetch(jar: Jar) -> Path:
    _, artifact, version = jar.coordinate.split(":")
    path = CACHE / "jars" / f"{artifact}-{version}.jar"
    if path.exists() and _sha256(path) == jar.sha256:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    # Downloaded aside and moved, so that processes that do so at once see whole jars only.
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        downloaded = _download(jar.coordinate, Path(folder))
        if _sha256(downloaded) != jar.sha256:
            raise MissingToolError(
                f"{jar.coordinate} has not the checksum of its lock file in tools/java: run it "
                "again, and if that does not help, look who changed the jar or the lock file"
            )
        downloaded.replace(path)
    return path


def _download(coordinate: str, folder: Path) -> Path:
    try:
        from jgo.maven import MavenContext
    except ImportError:
        raise MissingToolError("jgo is not installed: pip install -e '.[dev]'") from None
    context = MavenContext(repo_cache=folder, timeout=120)
    try:
        return Path(context.create_dependency(coordinate).artifact.resolve())
    except Exception as error:  # jgo raises requests' and its own errors, and plain RuntimeError
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise MissingToolError(
            f"{coordinate} is neither in .cache/jars nor could be fetched from Maven Central; "
            f"connect to the network and run it again ({reason})"
        ) from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_lock(lock: Path) -> None:
    """Downloads what a lock file names and replaces its checksums by those of what came."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for line in lock.read_text().splitlines():
            if line.strip() and line[0] != "#":
                coordinate = line.split()[0]
                line = f"{coordinate} {_sha256(_download(coordinate, Path(folder)))}"
            lines.append(line)
    lock.write_text("\n".join(lines) + "\n")


def main() -> int:
    """Prints the jars' paths, one a line."""
    parser = argparse.ArgumentParser(prog="python -m tools.maven", description=__doc__)
    parser.add_argument(
        "--lock", action="store_true", help="rewrite the checksums in the lock file"
    )
    arguments = parser.parse_args()
    try:
        if arguments.lock:
            for lock in (LOCK, RELEASES, LANGUAGES):
                write_lock(lock)
        print("\n".join(map(str, fetch_jars())))
    except MissingToolError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
