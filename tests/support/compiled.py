"""What Kaitai's compiler finds wrong with specs, in each language."""

from collections.abc import Iterable, Mapping
from typing import Any

from paimon_ksy.generator.compiler import LANGUAGES, CompilerMissing, compile_specs
from tests.conftest import skip_or_fail


def compile_errors(
    specs: Mapping[str, Any], languages: Iterable[str] = tuple(LANGUAGES)
) -> dict[tuple[str, str], str]:
    """The errors by language and spec."""
    try:
        compiled = compile_specs(specs, languages)
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")
    assert compiled.keys() == {*languages}
    return {
        (language, name): answer["error"]
        for language, answers in compiled.items()
        for name, answer in answers.items()
        if "error" in answer
    }
