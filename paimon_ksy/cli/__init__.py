"""The command `paimon-ksy`."""

import sys


def main() -> None:
    """Run the command with the arguments of this process, and end the process."""
    from paimon_ksy.cli.app import run

    sys.exit(run())
