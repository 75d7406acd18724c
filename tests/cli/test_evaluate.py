"""`paimon-ksy eval` of an index that it leaves out; transcripts have the other answers."""

from pathlib import Path

import pytest

from tests.golden import bad_files
from tests.support.commands import Cli
from tests.support.examples import write


@pytest.mark.filterwarnings("default::paimon_ksy.IndexIgnoredWarning")
def test_eval_warns_of_an_index_that_it_leaves_out(cli: Cli, tmp_path: Path) -> None:
    [case] = [case for case in bad_files() if case.name == "unknown_index_type"]
    path = write(tmp_path, case.data)
    code, _, err = cli("eval", path, "-s", "a INT", "-w", "a = 1")
    assert code == 0
    assert err.startswith("paimon-ksy: warning: column 'a'")
    assert err.count("\n") == 1
