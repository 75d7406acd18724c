"""`python -m paimon_ksy` is the command `paimon-ksy`."""

from paimon_ksy.cli import main

if __name__ == "__main__":
    main()
