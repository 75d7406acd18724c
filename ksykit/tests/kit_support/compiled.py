"""Kaitai's compiler: what is generated from specs with it, and what it finds wrong with them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ksykit.generator.compiler import LANGUAGES, CompilerMissing, compile_specs, compiler_path
from ksykit.generator.generate import render_all, render_kaitai, write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import Spec

from kit_support.needs import skip_or_fail


def need_compiler() -> None:
    """Skip a test without the compiler, or fail."""
    try:
        compiler_path()
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")


def generated(
    specs: Mapping[str, str], folder: Path, package: str, patch: pytest.MonkeyPatch
) -> None:
    """Generate a package from specs by name, and let it be imported."""
    need_compiler()
    (folder / "specs").mkdir()
    for name, text in specs.items():
        (folder / "specs" / f"{name}.ksy").write_text(text)
    write_files(with_judge(load_specs(folder / "specs"), []), folder / package)
    patch.syspath_prepend(str(folder))


def with_judge(specs: Mapping[str, Spec], missing: list[str] | None = None) -> dict[str, str]:
    """The files of a package, with Kaitai's own parsers in it, to compare with."""
    files = render_all(specs, missing)
    return files | {f"parsers/{name}": text for name, text in render_kaitai(specs).items()}


def compile_errors(
    specs: Mapping[str, Any], languages: Iterable[str] = tuple(LANGUAGES)
) -> dict[tuple[str, str], str]:
    """The errors by language and spec."""
    need_compiler()
    compiled = compile_specs(specs, languages)
    assert compiled.keys() == {*languages}
    return {
        (language, name): answer["error"]
        for language, answers in compiled.items()
        for name, answer in answers.items()
        if "error" in answer
    }
