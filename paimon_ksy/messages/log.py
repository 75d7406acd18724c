"""The logger of all records of this package."""

from __future__ import annotations

import logging

LOG = logging.getLogger("paimon_ksy")
"""It gets a record for each Spark job, commit and conflict, and a warning if a job does more than
the caller requested."""
