"""`python -m ksykit`."""

import sys

from ksykit.cli import main

sys.exit(main())
