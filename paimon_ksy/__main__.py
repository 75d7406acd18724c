"""Run the command `paimon-ksy` with `python -m paimon_ksy`."""

from paimon_ksy.cli import main

if __name__ == "__main__":
    main()
