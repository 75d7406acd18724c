"""How `verify` is called wrongly."""

import pytest

from tests.support.commands import Cli
from tests.support.examples import WORKED, WORKED_DATA


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{index}", "--rows", "3", "--data", "{data}"], "--rows and --data exclude each other"),
        (["{index}:5"], "only deletion vectors have offsets"),
        (["{index}", "--cardinality", "2"], "only for deletion vectors and bucket indexes"),
        (["{index}", "--kind", "parquet"], "kind 'parquet': must be one of "),
    ],
)
def test_wrong_usage(arguments: list[str], says: str, cli: Cli) -> None:
    given = [text.format(index=WORKED, data=WORKED_DATA) for text in arguments]
    code, _, err = cli("verify", *given)
    assert code == 2
    assert says in err
