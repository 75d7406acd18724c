# Generated from roaring_bitmap_32.ksy by `ksykit generate`. Do not edit.
"""Views of roaring_bitmap_32: Roaring bitmap of 32-bit integers, portable format."""

from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.late import np
from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, choose, cut

_ROARING_HEADER_COOKIE = Numbers(
    "<HH",
    Field("cookie", "roaring_bitmap_32/types/roaring_header/seq/0", "<H", any_of=[12346, 12347]),
    Field(
        "num_containers_minus_1",
        "roaring_bitmap_32/types/roaring_header/seq/1",
        "<H",
        most=lambda x: 65535 if x.has_runs else 0,
    ),
)
_ROARING_HEADER_NUM_CONTAINERS_WITHOUT_RUNS = Numbers(
    "<I",
    Field(
        "num_containers_without_runs",
        "roaring_bitmap_32/types/roaring_header/seq/2",
        "<I",
        most=65536,
    ),
)
ROARING_DESCRIPTOR = RecordLayout(
    Field("key", "roaring_bitmap_32/types/roaring_descriptor/seq/0", "<H"),
    Field("cardinality_minus_1", "roaring_bitmap_32/types/roaring_descriptor/seq/1", "<H"),
)
ROARING_HEADER_OFS_CONTAINERS = RecordLayout(
    Field("ofs_containers", "roaring_bitmap_32/types/roaring_header/seq/5", "<I")
)
_ROARING_CONTAINER_NUM_RUNS = Numbers(
    "<H", Field("num_runs", "roaring_bitmap_32/types/roaring_container/seq/0", "<H")
)
ROARING_RUN = RecordLayout(
    Field("first", "roaring_bitmap_32/types/roaring_run/seq/0", "<H"),
    Field("len_minus_1", "roaring_bitmap_32/types/roaring_run/seq/1", "<H"),
)
ROARING_CONTAINER_VALUES = RecordLayout(
    Field("values", "roaring_bitmap_32/types/roaring_container/seq/2", "<H")
)
ROARING_CONTAINER_WORDS = RecordLayout(
    Field("words", "roaring_bitmap_32/types/roaring_container/seq/3", "<Q")
)
_ROARING_CONTAINER_HEAD_NUM_RUNS = Numbers(
    "<H", Field("num_runs", "roaring_bitmap_32/types/roaring_container/seq/0", "<H")
)


class RoaringHeader:
    """A `roaring_header`."""

    __slots__ = (
        "cookie", "descriptors_cardinality_minus_1", "descriptors_key", "end",
        "num_containers_minus_1", "num_containers_without_runs", "ofs_containers",
        "run_flags",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _ROARING_HEADER_COOKIE.broken(d, start, p, self)
        (self.cookie, self.num_containers_minus_1) = _ROARING_HEADER_COOKIE.unpack_from(d, p)
        if self.cookie not in (12346, 12347) or self.num_containers_minus_1 > (
            65535 if self.has_runs else 0
        ):
            raise _ROARING_HEADER_COOKIE.broken(d, start, p, self)
        p += 4
        self.num_containers_without_runs: Any = None
        if not self.has_runs:
            if not 0 <= p <= len(d) - 4:
                raise _ROARING_HEADER_NUM_CONTAINERS_WITHOUT_RUNS.broken(d, start, p, self)
            (self.num_containers_without_runs,) = (
                _ROARING_HEADER_NUM_CONTAINERS_WITHOUT_RUNS.unpack_from(d, p)
            )
            if self.num_containers_without_runs > 65536:
                raise _ROARING_HEADER_NUM_CONTAINERS_WITHOUT_RUNS.broken(d, start, p, self)
            p += 4
        self.run_flags: Any = None
        if self.has_runs:
            q = p + (self.num_containers + 7) // 8
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.run_flags = d[p:q]
            p = q
        (
            p, self.descriptors_key, self.descriptors_cardinality_minus_1,
        ) = ROARING_DESCRIPTOR.read(d, start, p, self.num_containers, arrays)  # fmt: skip
        self.ofs_containers: Any = None
        if self.has_offsets:
            (p, self.ofs_containers) = ROARING_HEADER_OFS_CONTAINERS.read(
                d, start, p, self.num_containers, arrays
            )
        self.end = start + p

    @property
    def has_runs(self) -> Any:
        return self.cookie == 12347

    @property
    def num_containers(self) -> Any:
        """The number of containers, wherever it is stored."""
        return (
            self.num_containers_minus_1 + 1 if self.has_runs else self.num_containers_without_runs
        )

    @property
    def has_offsets(self) -> Any:
        return not self.has_runs or self.num_containers >= 4

    def descriptors_cardinality(self, i: Any) -> Any:
        """The number of integers in the container."""
        return self.descriptors_cardinality_minus_1[i] + 1


class RoaringHeaderPlaces(NamedTuple):
    """Where the fields of a `roaring_header` start, and where it ends."""

    cookie: Any
    num_containers_minus_1: Any
    num_containers_without_runs: Any
    run_flags: Any
    descriptors: Any
    ofs_containers: Any
    end: Any


def places_roaring_header(
    cookie: Any, num_containers_minus_1: Any, num_containers_without_runs: Any
) -> RoaringHeaderPlaces:
    """Return where the fields of a `roaring_header` start, for ints or arrays of int64."""
    return RoaringHeaderPlaces(
        *accumulate(
            [
                2,
                2,
                choose(cookie != 12347, 4, 0),
                choose(
                    cookie == 12347,
                    (
                        choose(
                            cookie == 12347, num_containers_minus_1 + 1, num_containers_without_runs
                        )
                        + 7
                    )
                    // 8,
                    0,
                ),
                choose(cookie == 12347, num_containers_minus_1 + 1, num_containers_without_runs)
                * 4,
                choose(
                    np.logical_or(
                        cookie != 12347,
                        choose(
                            cookie == 12347, num_containers_minus_1 + 1, num_containers_without_runs
                        )
                        >= 4,
                    ),
                    choose(cookie == 12347, num_containers_minus_1 + 1, num_containers_without_runs)
                    * 4,
                    0,
                ),
            ],
            initial=0,
        )
    )


class RoaringContainer:
    """A `roaring_container`."""

    __slots__ = (
        "cardinality", "end", "is_run", "num_runs", "runs_first", "runs_len_minus_1",
        "values", "words",
    )  # fmt: skip
    max_values = 4096
    """The most integers that are stored as `values`."""
    len_words = 8192
    """Size of `words` in bytes."""

    def __init__(
        self, d: Buffer, start: int, p: int, is_run: int, cardinality: int, arrays: bool = False
    ) -> None:
        self.is_run = is_run
        self.cardinality = cardinality
        self.num_runs: Any = None
        if self.is_run:
            if not 0 <= p <= len(d) - 2:
                raise _ROARING_CONTAINER_NUM_RUNS.broken(d, start, p, self)
            (self.num_runs,) = _ROARING_CONTAINER_NUM_RUNS.unpack_from(d, p)
            p += 2
        self.runs_first: Any = None
        self.runs_len_minus_1: Any = None
        if self.is_run:
            (
                p, self.runs_first, self.runs_len_minus_1,
            ) = ROARING_RUN.read(d, start, p, self.num_runs, arrays)  # fmt: skip
        self.values: Any = None
        if not self.is_run and self.cardinality <= self.max_values:
            (p, self.values) = ROARING_CONTAINER_VALUES.read(d, start, p, self.cardinality, arrays)
        self.words: Any = None
        if not self.is_run and self.cardinality > self.max_values:
            (p, self.words) = ROARING_CONTAINER_WORDS.read(d, start, p, self.len_words // 8, arrays)
        self.end = start + p

    def runs_last(self, i: Any) -> Any:
        """Lower 16 bits of the last integer."""
        return self.runs_first[i] + self.runs_len_minus_1[i]


class RoaringContainerHead:
    """A `roaring_container_head`."""

    __slots__ = ("cardinality", "end", "is_run", "num_runs")
    max_values = 4096
    """The most integers that are stored as `values`."""
    len_words = 8192
    """Size of `words` in bytes."""

    def __init__(self, d: Buffer, start: int, p: int, is_run: int, cardinality: int) -> None:
        self.is_run = is_run
        self.cardinality = cardinality
        self.num_runs: Any = None
        if self.is_run:
            if not 0 <= p <= len(d) - 2:
                raise _ROARING_CONTAINER_HEAD_NUM_RUNS.broken(d, start, p, self)
            (self.num_runs,) = _ROARING_CONTAINER_HEAD_NUM_RUNS.unpack_from(d, p)
            p += 2
        self.end = start + p
