"""Each reader refuses hostile input with our error, within bounds of time and memory."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import hostile


class Processes:
    """A process that reads cases, started again if it was killed."""

    def __init__(self) -> None:
        self._process: hostile.Process | None = None

    def read(self, name: str) -> dict[str, Any]:
        if self._process is None:
            self._process = hostile.Process()
        try:
            return self._process.read(name)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process = None


@pytest.fixture(scope="module")
def process() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.close()


@pytest.mark.parametrize("name", hostile.CASES)
def test_hostile_input(name: str, process: Processes) -> None:
    answer = process.read(name)
    error = answer["error"]
    assert hostile.CASES[name].refused in (None, error is not None), error
    if isinstance(error, str):
        assert not error.startswith("unexpected"), error
        assert len(error) < 2_000
        assert "\n" not in error
    assert answer["seconds"] < hostile.SECONDS
    assert answer["megabytes"] < hostile.MEGABYTES
