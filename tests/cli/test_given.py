"""Options of a whole run: the next run knows nothing of them."""

from paimon_ksy.cli.options import Color, Given
from tests.support.commands import Cli
from tests.support.examples import WORKED


def test_options_end_with_the_run(cli: Cli) -> None:
    assert cli("--debug", "-q", "--color", "never", "inspect", WORKED, "-f", "json")[0] == 0
    where = ("-s", "status STRING", "-w", "status = 'x'", "--time-zone", "+02:00")
    assert cli("eval", WORKED, *where)[0] == 0
    assert cli("inspect", WORKED)[0] == 0
    assert (Given.debug, Given.quiet, Given.color, Given.json) == (False, False, Color.AUTO, False)
    assert Given.time_zone is None
