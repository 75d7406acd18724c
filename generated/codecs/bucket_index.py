# Generated from specs/bucket_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of bucket_index, and what is packed at once.

Dynamic bucket index of a Paimon table.
"""

from __future__ import annotations

import numpy as np

BUCKET_INDEX_HASHES = np.dtype(">i4")
