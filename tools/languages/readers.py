"""The generated readers of each language: compiled with the Kaitai runtime, and asked for trees."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ksykit.generator.compiler import CompilerMissing, compile_specs
from ksykit.generator.npm import NpmMissing, package_file, tool

from tools.jvm import CACHE, LANGUAGES, MissingToolError, compile_java, fetch_jars, find_java
from tools.languages.specs import camel, parameters, raw_specs, read_types
from tools.languages.trees import Case, Rules, enum_instances

HERE = Path(__file__).parent
COMPUTED = frozenset(("half", "halfbefore", "value", "zigzag", "number"))
"""The integers of `varint`, and numbers of fields, which are read from one."""


class LanguageMissing(Exception):
    """The language's tools or its Kaitai runtime are missing. One line with the remedy."""


class Reader:
    """The readers that the Kaitai compiler makes for a language."""

    key: str
    title: str
    sources: tuple[str, ...]
    """Files of this package that are compiled with it."""
    rules = Rules()

    def folder(self) -> Path:
        """Return the folder with the compiled readers, made if it is not there."""
        key = hashlib.sha256(json.dumps(raw_specs()).encode())
        for path in self.made_of():
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
                for name in self.sources:
                    shutil.copy(HERE / name, folder)
                self.build(folder)
                try:
                    folder.rename(made)
                except OSError:  # another process was faster
                    if not made.exists():
                        raise
        return made

    def made_of(self) -> list[Path]:
        """Return the files beside the specs whose change makes the readers anew."""
        return [HERE / name for name in (*self.sources, "readers.py")]

    def _text(self, text: str) -> str:
        return text

    def build(self, folder: Path) -> None:
        """Compile the sources in a folder."""

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

    def command(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        """Return the program in a folder that reads cases, and the environment that it needs."""
        raise NotImplementedError

    def _request(self, case: Case) -> str:
        return json.dumps(
            {
                "type": [camel(name) for name in case.type.split("::")],
                "data": base64.b64encode(case.data).decode(),
                "names": [camel(name) for name in parameters(case.type)],
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
        name = "$".join(camel(part) for part in case.type.split("::"))
        data = base64.b64encode(case.data).decode()
        return " ".join((name, data, *map(str, case.arguments)))


class Go(Reader):
    """Structs of Go."""

    key, title = "go", "Go"
    sources = ("go/dump.go", "go/go.mod", "go/go.sum")
    rules = Rules(no_absent=True)

    def _text(self, text: str) -> str:
        """Return a file in the package, in which instances that are enums return numbers."""
        pairs = ((spec, name) for spec, raw in raw_specs().items() for name in raw.get("enums", ()))
        enums = "|".join("_".join(map(camel, pair)) for pair in pairs)
        instance = re.compile(rf"^func [^\n]*\(v ({enums}), err error\).*?^}}", re.DOTALL | re.M)
        text = instance.sub(lambda found: found[0].replace("return nil,", "return 0,"), text)
        return f"package main\n\n{text}"

    def build(self, folder: Path) -> None:
        names = ["_".join(map(camel, name.split("::"))) for name in read_types()]
        types = "".join(f'\t"{name}": reflect.TypeFor[{name}](),\n' for name in names)
        text = f'import "reflect"\n\nvar types = map[string]reflect.Type{{\n{types}}}\n'
        (folder / "types.go").write_text(self._text(text), encoding="utf-8")
        self.compile(folder)

    def compile(self, folder: Path) -> None:
        """Compile all files of a folder to the program `dump`."""
        _run(["go", "build", "-o", "dump", "."], folder, "Go 1.23 or newer")

    def command(self, folder: Path) -> tuple[list[str], dict[str, str]]:
        return [str(folder / "dump")], {}


def _run(command: Sequence[str], folder: Path, remedy: str) -> None:
    """Run a compiler in a folder."""
    compiler = shutil.which(command[0])
    if compiler is None:
        raise LanguageMissing(f"no {command[0]}: install {remedy}")
    done = subprocess.run([compiler, *command[1:]], cwd=folder, capture_output=True, text=True)
    if any(sign in done.stderr for sign in _OFFLINE):
        raise LanguageMissing(f"the Kaitai runtime cannot be fetched: {done.stderr}")
    if done.returncode:
        raise RuntimeError(f"the generated code does not compile:\n{done.stderr}")


_OFFLINE = ("dial tcp", "no such host")
"""What `go` prints without a network."""

READERS: Sequence[Reader] = (JavaScript(), Java(), Go())
