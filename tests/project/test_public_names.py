"""What `import paimon_ksy` gives, and what it costs."""

import subprocess
import sys

import pytest

import paimon_ksy as pk


@pytest.mark.parametrize("name", pk.__all__)
def test_each_public_name_is_there(name: str) -> None:
    assert getattr(pk, name).__name__ == name
    assert name in dir(pk)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = pk.nope


def test_importing_imports_nothing_else() -> None:
    program = "import paimon_ksy, sys; print(*(m for m in sys.modules if 'paimon_ksy.' in m))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
