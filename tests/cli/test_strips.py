"""Strips on a terminal are as wide as it is, and say what a block stands for."""

import pytest

from paimon_ksy.pages.section import Strip
from paimon_ksy.pages.text import BLOCKS, NOTHING, scale, strip_span
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from tests.support.commands import Cli, as_on_terminal, on_terminal
from tests.support.examples import ORDERS, WORKED

STATUS = "status STRING"


def blocks_of(text: str) -> list[str]:
    """The words of blocks in an output, without those of scales."""
    known = set(BLOCKS + NOTHING)
    return [word for word in text.split() if set(word) <= known and len(word) > 1]


def test_a_block_is_full_only_if_all_rows_are_there() -> None:
    counts = (0, 1, 50, 99, 100)
    text, _ = strip_span(Strip(500, (0, 100, 200, 300, 400, 500), counts))
    assert text == NOTHING + BLOCKS[0] + BLOCKS[3] + BLOCKS[6] + BLOCKS[7]


@pytest.mark.parametrize(
    ("strip", "text"),
    [
        (Strip(3, (0, 1, 2, 3), (1, 0, 1)), "rows 0 to 2, each block one row"),
        (
            Strip(3000, (0, 1500, 3000), (1, 0)),
            "rows 0 to 2,999, each block 1,500: ▁ one or more, █ all",
        ),
        (Strip(5, (0, 2, 5), (1, 0)), "rows 0 to 4, each block 2 or 3: ▁ one or more, █ all"),
    ],
)
def test_the_scale(strip: Strip, text: str) -> None:
    assert scale(strip) == text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_strips_fill_the_terminal(width: int) -> None:
    shown = as_on_terminal("inspect", ORDERS, "-s", STATUS, COLUMNS=str(width), NO_COLOR="1")
    lines = [line.rstrip() for line in shown.splitlines()]
    strips = [line for line in lines if blocks_of(line)]
    assert len(strips) == 5
    assert {len(line) for line in strips} == {width}
    assert "\x1b" not in shown
    assert "rows 0 to 19,999, each block " in shown


def test_narrow_terminals_pipes_and_other_encodings_have_no_strip(cli: Cli) -> None:
    narrow = as_on_terminal("inspect", WORKED, "-s", STATUS, COLUMNS="40", NO_COLOR="1")
    assert not blocks_of(narrow)
    assert not blocks_of(cli("inspect", WORKED, "-s", STATUS)[1])
    ascii_only = on_terminal("inspect", WORKED, "-s", STATUS, PYTHONIOENCODING="ascii")
    assert "'PENDING'" in ascii_only
    assert "\\u2588" not in ascii_only
    assert not blocks_of(ascii_only)


def test_colours_and_vectors(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert "\x1b[36m·█··█" in as_on_terminal("inspect", WORKED, "-s", STATUS)
    path = tmp_path_factory.mktemp("vectors") / "x.dv"
    write_vectors(path, {"x": DeletionVector.of([0, 3, 4]), "none": DeletionVector()})
    shown = as_on_terminal("inspect", path, NO_COLOR="1")
    assert blocks_of(shown) == ["█··██"]
    write_vectors(path, {"x": DeletionVector.of([1 << 40], 64)})
    assert not blocks_of(as_on_terminal("inspect", path, NO_COLOR="1"))
