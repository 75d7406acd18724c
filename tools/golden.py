"""Pack a folder of golden data into tests/golden/golden.tar.xz.

Takes what the tests need: index files with a bitmap index, container cases, broken files and
refusals. What can be derived is left out: the bodies in hex (they are in the file) and `remain`
(true if there are rows). Two runs give the same bytes.

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="folder with index/, bad/ and refusals.json")
    parser.add_argument("--output", type=Path, default=ARCHIVE)
    arguments = parser.parse_args()
    packed = pack(arguments.folder)
    arguments.output.write_bytes(packed)
    print(f"{arguments.output}: {len(packed)} bytes")


def pack(folder: Path) -> bytes:
    """The archive as bytes: names sorted, no times, no owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members(folder):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def members(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file to pack."""
    for case in sorted((folder / "index").iterdir()):
        if case.is_dir() and _wanted(case):
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


def _wanted(case: Path) -> bool:
    columns = _load(case / "dump.json")["columns"]
    types = {index["type"] for column in columns for index in column["indexes"]}
    return "bitmap" in types or case.name.startswith("c_")


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
