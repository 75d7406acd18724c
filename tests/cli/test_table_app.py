"""The commands `table ...` that are called wrongly, and their help."""

import pytest

from paimon_ksy.cli.app import run


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["count", "{path}", "-w", "nope = 1"], "no column 'nope'", 2),
        (["query", "{path}", "-w", "status ="], "cannot parse SQL", 2),
        (["query", "{path}", "--order-by", "id DOWN"], "is not an ORDER BY list", 2),
        (["query", "{path}", "--select", "id,,`x"], "--select", 2),
        (
            ["query", "{path}", "--engine", "flink"],
            "no engine 'flink': the engines are local, spark",
            2,
        ),
        (
            ["query", "{path}", "--select", "statsu"],
            "no column 'statsu' (did you mean 'status'?)",
            2,
        ),
        (["query", "{path}", "--snapshot", "99"], "no snapshot 99", 1),
        (["explain", "{path}", "--tag", "none"], "no tag 'none'", 1),
        (
            ["count", "default.x", "--catalog", "warehouse=a", "--catalog", "warehouse=b"],
            "is given twice",
            2,
        ),
    ],
)
def test_wrong_commands(
    path: str,
    arguments: list[str],
    message: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["table", *(text.format(path=path) for text in arguments)]) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
