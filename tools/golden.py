"""Pack a folder of golden data into tests/golden/golden.tar.xz, vectors.tar.xz, tables.tar.xz.

The first contains sound and corrupt index files, and refusals. It omits what can be derived: the
bodies in hex (which are in the file) and `remain` (true if there are rows). The second contains
files of deletion vectors and dynamic buckets, with their numbers in manifests. The third contains
whole tables, with their live rows and the rows that the library read for predicates. Two runs write
the same bytes.

    python tools/golden.py FOLDER
"""

import argparse
import io
import json
import lzma
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ARCHIVE = Path(__file__).parents[1] / "tests" / "golden" / "golden.tar.xz"
VECTORS = ARCHIVE.with_name("vectors.tar.xz")
TABLES = ARCHIVE.with_name("tables.tar.xz")
DYNAMIC = ("pk_dynamic", "pk_dynamic_partitioned_dv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="folder with index/, bad/ and refusals.json")
    parser.add_argument("--output", type=Path, default=ARCHIVE)
    parser.add_argument("--vectors", type=Path, default=VECTORS)
    parser.add_argument("--tables", type=Path, default=TABLES)
    arguments = parser.parse_args()
    for output, found in (
        (arguments.output, members(arguments.folder)),
        (arguments.vectors, vector_members(arguments.folder)),
        (arguments.tables, table_members(arguments.folder / "tables")),
    ):
        packed = pack(found)
        output.write_bytes(packed)
        print(f"{output}: {len(packed)} bytes")


def pack(members: Iterator[tuple[str, bytes]]) -> bytes:
    """The archive as bytes: names in the order given, no times, no owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def members(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file to pack."""
    for case in sorted((folder / "index").iterdir()):
        if case.is_dir():
            yield f"index/{case.name}/spec.json", _compact(_load(case / "spec.json"))
            yield f"index/{case.name}/file.index", (case / "file.index").read_bytes()
            yield f"index/{case.name}/dump.json", _compact(_without_hex(_load(case / "dump.json")))
            yield f"index/{case.name}/eval.json", _compact(_answers(_load(case / "eval.json")))
            if (case / "write_error.json").exists():
                yield (
                    f"index/{case.name}/write_error.json",
                    _compact(_load(case / "write_error.json")),
                )
    for path in sorted((folder / "bad").glob("*.index")):
        yield f"bad/{path.name}", path.read_bytes()
    expected = {
        name: {"dump": _without_hex(case["dump"]), "eval": _answers(case["eval"])}
        for name, case in _load(folder / "bad" / "expected.json").items()
    }
    yield "bad/expected.json", _compact(expected)
    yield "refusals.json", _compact(_load(folder / "refusals.json"))


def vector_members(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Files of deletion vectors and dynamic buckets, and those of tables with dynamic buckets."""
    for case in sorted((folder / "dv").iterdir()):
        if case.is_dir():
            yield f"dv/{case.name}/file.dv", (case / "file.dv").read_bytes()
            yield f"dv/{case.name}/spec.json", _compact(_load(case / "spec.json"))
            yield f"dv/{case.name}/meta.json", _compact(_load(case / "meta.json"))
        elif case.suffix == ".dv":
            yield f"dv/{case.name}", case.read_bytes()
    yield "dv/errors.json", _compact(_load(folder / "dv" / "errors.json"))
    for case in sorted((folder / "hash").iterdir()):
        if case.is_dir():
            yield f"hash/{case.name}/file.hash", (case / "file.hash").read_bytes()
            hashes = _load(case / "spec.json")["hashes"]
            yield (
                f"hash/{case.name}/spec.json",
                _compact({"count": len(hashes), "hashes": hashes[:100]}),
            )
    yield "hash/bad_5bytes.hash", (folder / "hash" / "bad_5bytes.hash").read_bytes()
    for table in DYNAMIC:
        made = _load(folder / "tables" / f"{table}.expected.json")["make"]
        spec = _load(folder / "tables" / f"{table}.spec.json")
        files = [file for file in made["indexFiles"] if file["indexType"] == "HASH"]
        yield f"tables/{table}/spec.json", _compact(spec)
        yield f"tables/{table}/files.json", _compact(files)
        for file in files:
            path = folder / "tables" / "default.db" / table / "index" / file["fileName"]
            yield f"tables/{table}/{file['fileName']}", path.read_bytes()


def table_members(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All files of the tables; of each the columns it was made with, its rows, the answers."""
    for spec in sorted(folder.glob("*.spec.json")):
        table = spec.name.removesuffix(".spec.json")
        yield f"{table}/spec.json", _compact(_load(spec))
        expected = _load(folder / f"{table}.expected.json")
        for answer in expected["predicates"]:
            del answer["withoutIndex"]
        yield f"{table}/expected.json", _compact(expected)
        place = folder / "default.db" / table
        for path in sorted(place.rglob("*")):
            if path.is_file():
                yield f"{table}/table/{path.relative_to(place).as_posix()}", path.read_bytes()


def _without_hex(dump: dict[str, Any]) -> dict[str, Any]:
    for column in dump.get("columns", []):
        for index in column["indexes"]:
            index.pop("hex", None)
    return dump


def _answers(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: answer[key] for key in answer if key != "remain"} for answer in answers]


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


if __name__ == "__main__":
    main()
