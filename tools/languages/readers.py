"""The generated readers of each language: compiled with the Kaitai runtime, and asked for trees."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from tools.jvm import compile_java, find_java
from tools.ksy.__main__ import ROOT
from tools.ksy.compiler import CompilerMissing, compile_specs
from tools.ksy.load import load_specs
from tools.languages.trees import Case, Rules, enum_instances
from tools.maven import CACHE, LANGUAGES, MissingToolError, fetch_jars
from tools.npm import NpmMissing, package_file, tool

HERE = Path(__file__).parent
COMPUTED = frozenset(("half", "value", "zigzag"))
"""The integers of `varint`, which is the only type that computes numbers of 64 bits."""


class LanguageMissing(Exception):
    """The language's tools or its Kaitai runtime are missing. One line with the remedy."""


@cache
def raw_specs() -> Mapping[str, Any]:
    """Return the YAML of each spec by name."""
    return {spec.name: spec.raw for spec in load_specs(ROOT / "specs").values()}


class Generated:
    """What the Kaitai compiler makes for a language."""

    key: str
    title: str
    sources: tuple[str, ...]
    """Files of this package that are compiled with it."""

    def folder(self) -> Path:
        """Return the folder with the compiled readers, made if it is not there."""
        files = [HERE / name for name in self.sources]
        key = hashlib.sha256(json.dumps(raw_specs()).encode())
        for path in files:
            key.update(path.read_bytes())
        made = CACHE / "languages" / f"{self.key}-{key.hexdigest()[:16]}"
        if not made.exists():
            made.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=made.parent) as temporary:
                folder = Path(temporary, "made")
                folder.mkdir()
                compiled = compile_specs(raw_specs(), [self.key])[self.key]
                for answer in compiled.values():
                    for name, text in answer["files"].items():
                        (folder / name.lstrip("/")).write_text(self._text(text), encoding="utf-8")
                for path in files:
                    shutil.copy(path, folder)
                self.build(folder)
                try:
                    folder.rename(made)
                except OSError:  # another process was faster
                    if not made.exists():
                        raise
        return made

    def _text(self, text: str) -> str:
        return text

    def build(self, folder: Path) -> None:
        """Compile the sources in a folder."""


class Reader(Generated, ABC):
    """The readers of a language."""

    rules = Rules()
    unreadable: ClassVar[Mapping[str, str]] = {}
    """Types of cases that these readers cannot read, and why."""

    def trees(self, cases: Sequence[Case]) -> Iterator[Any]:
        """Yield the field tree of each case, None where the reader refuses the bytes.

        Raises:
            LanguageMissing: The compiler or the runtime of the language is missing.
            RuntimeError: The readers do not compile, or their program fails.
        """
        try:
            command, environment = self.command(self.folder())
        except (CompilerMissing, MissingToolError, NpmMissing) as error:
            raise LanguageMissing(str(error)) from error
        done = subprocess.run(
            command,
            input="".join(self._request(case) + "\n" for case in cases),
            capture_output=True,
            text=True,
            env={**os.environ, "NODE_OPTIONS": "", **environment},
            check=False,
        )
        lines = done.stdout.splitlines()
        if done.returncode or len(lines) != len(cases):
            raise RuntimeError(f"{self.title}: {len(lines)} of {len(cases)} trees: {done.stderr}")
        yield from map(json.loads, lines)

    @abstractmethod
    def command(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        """Return the program in a folder that reads cases, and the environment that it needs."""

    def _request(self, case: Case) -> str:
        return json.dumps(
            {
                "type": [_camel(name) for name in case.type.split("::")],
                "data": base64.b64encode(case.data).decode(),
                "names": [_camel(name) for name in parameters(case.type)],
                "arguments": list(case.arguments),
            }
        )


class JavaScript(Reader):
    """Readers for node."""

    key, title = "javascript", "JavaScript"
    sources = ("dump.cjs", "exact.cjs")
    rules = Rules(inexact=COMPUTED, strict_positions=True)

    def command(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        runtime = package_file(HERE, "kaitai-struct/KaitaiStream.js").parent.parent
        paths = os.pathsep.join((str(runtime), str(folder)))
        return [*tool("node"), str(folder / "dump.cjs")], {"NODE_PATH": paths}


class Java(Reader):
    """Classes of Java."""

    key, title = "java", "Java"
    sources = ("Dump.java",)
    rules = Rules(signed_u8=True, null_enums=enum_instances(raw_specs()), strict_positions=True)

    def build(self, folder: Path) -> None:
        jars = fetch_jars(LANGUAGES)
        compile_java(find_java(), jars, sorted(folder.glob("*.java")), folder / "classes")

    def command(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        path = os.pathsep.join(map(str, (folder / "classes", *fetch_jars(LANGUAGES))))
        return [find_java(), "-Xss8m", "-cp", path, "Dump"], {}

    def _request(self, case: Case) -> str:
        name = "$".join(_camel(part) for part in case.type.split("::"))
        data = base64.b64encode(case.data).decode()
        return " ".join((name, data, *map(str, case.arguments)))


class Go(Reader):
    """Structs of Go."""

    key, title = "go", "Go"
    sources = ("go/dump.go", "go/go.mod", "go/go.sum")
    rules = Rules(no_absent=True)
    unreadable: ClassVar = {
        "parquet_metadata": "`_index` of `repeat: until` starts at 1, so compact_thrift fails",
    }

    def _text(self, text: str) -> str:
        return f"package main\n\n{text}"

    def build(self, folder: Path) -> None:
        names = [_camel(name) for name in raw_specs()] + ["BinaryRow_SerializedRow"]
        types = "".join(f'\t"{name}": reflect.TypeFor[{name}](),\n' for name in names)
        text = f'import "reflect"\n\nvar types = map[string]reflect.Type{{\n{types}}}\n'
        (folder / "types.go").write_text(self._text(text), encoding="utf-8")
        go = shutil.which("go")
        if go is None:
            raise LanguageMissing("no go: install Go 1.23 or newer")
        done = subprocess.run(
            [go, "build", "-o", "dump", "."], cwd=folder, capture_output=True, text=True
        )
        if "dial tcp" in done.stderr or "no such host" in done.stderr:
            raise LanguageMissing(f"the Kaitai runtime of Go cannot be fetched: {done.stderr}")
        if done.returncode:
            raise RuntimeError(f"the generated Go does not compile:\n{done.stderr}")

    def command(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        return [str(folder / "dump")], {}


READERS: Sequence[Reader] = (JavaScript(), Java(), Go())


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def parameters(type_name: str) -> list[str]:
    """Return the names of the parameters of a type, such as `binary_row::binary_row_field`."""
    spec, *names = type_name.split("::")
    raw = raw_specs()[spec]
    for name in names:
        raw = raw["types"][name]
    return [param["id"] for param in raw.get("params", ())]
