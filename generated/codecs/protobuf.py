# Generated from specs/protobuf.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of protobuf, and what is packed at once.

Message of Protocol Buffers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import choose, wide


def sizeof_protobuf_varint_end(b4: Any, b5: Any, b6: Any, b7: Any, b8: Any) -> Any:
    """Bytes of a `protobuf_varint_end`; integers or arrays of them."""
    return (
        1
        + choose(wide(b4) >= 128, 1, 0)
        + choose(np.logical_and(wide(b4) >= 128, wide(b5) >= 128), 1, 0)
        + choose(
            np.logical_and(np.logical_and(wide(b4) >= 128, wide(b5) >= 128), wide(b6) >= 128), 1, 0
        )
        + choose(
            np.logical_and(
                np.logical_and(np.logical_and(wide(b4) >= 128, wide(b5) >= 128), wide(b6) >= 128),
                wide(b7) >= 128,
            ),
            1,
            0,
        )
        + choose(
            np.logical_and(
                np.logical_and(
                    np.logical_and(
                        np.logical_and(wide(b4) >= 128, wide(b5) >= 128), wide(b6) >= 128
                    ),
                    wide(b7) >= 128,
                ),
                wide(b8) >= 128,
            ),
            1,
            0,
        )
    )
