"""Write tests/golden/releases.tar.xz: the same tables by each release of Paimon since 0.4.

    python -m tools.releases

tools/java/Releases.java is compiled and run with the library of each release in
tools/java/releases.lock, and with manifests in ORC and Parquet, too. In the archive a folder
`RELEASE-FORMAT` has the tables `log` and `keyed`, and beside each the rows that the release reads.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import jvm
from tools.golden import members, pack
from tools.jvm import RELEASES, ROOT, MissingToolError, fetch_jars

ARCHIVE = ROOT / "tests" / "golden" / "releases.tar.xz"
FORMATS = ("avro", "orc", "parquet")
_BUNDLE = "paimon-bundle-"


def write(folder: Path) -> None:
    """Writes a folder for each release and format of manifests.

    Raises MissingToolError without Java or network, JavaError if a release cannot write a table.
    """
    java = jvm.find_java()
    libraries = fetch_jars(RELEASES)
    bundles = [jar for jar in libraries if jar.name.startswith("paimon-bundle-")]
    shared = [
        jar for jar in (*fetch_jars(), *libraries) if not jar.name.startswith("paimon-bundle-")
    ]
    for bundle in bundles:
        release = bundle.stem.removeprefix(_BUNDLE).removesuffix("-incubating")
        jars = [bundle, *shared]
        classes = folder / "classes" / release
        classes.parent.mkdir(exist_ok=True)
        jvm.compile_java(java, jars, [jvm.SOURCES / "Releases.java"], classes)
        path = os.pathsep.join(map(str, [classes, *jars]))
        for kind in FORMATS:
            place = folder / "tables" / f"{release}-{kind}"
            place.mkdir(parents=True)
            # Older releases compress by reaching into Java's buffers.
            opens = "--add-opens=java.base/java.nio=ALL-UNNAMED"
            command = [java, "-Xmx1g", opens, "-cp", path, "Releases", str(place)]
            done = subprocess.run(
                [*command, f"manifest.format={kind}"], capture_output=True, text=True
            )
            if done.returncode and kind == "avro":
                raise jvm.JavaError(f"Paimon {release}:\n{done.stderr}")
            if done.returncode:  # older ones cannot read the Parquet that they wrote
                print(f"Paimon {release} cannot use manifests in {kind}", file=sys.stderr)
                shutil.rmtree(place)


def main() -> int:
    """Replaces the committed archive."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            write(Path(folder))
        except (MissingToolError, jvm.JavaError) as error:
            print(error, file=sys.stderr)
            return 1
        packed = pack(members(Path(folder, "tables")))
    ARCHIVE.write_bytes(packed)
    print(f"{ARCHIVE.relative_to(ROOT)}: {len(packed)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
