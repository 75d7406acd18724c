# Generated from specs/vector_index.ksy by `ksykit generate`. Do not edit.
"""The types of vector_index: their objects are read, made, changed and written.

Header of a vector index of a Paimon table.
"""

from __future__ import annotations

from typing import Any

from ksykit.runtime.json_values import F4LE, U4LE, U8LE
from ksykit.runtime.rows import (
    Bytes,
    Maybe,
    Nested,
    Number,
    Object,
    One,
    Switch,
)
from ksykit.runtime.structs import Struct


class VectorIndex(Struct, of="vector_index"):
    """The first bytes of a global index of vectors, of one of the types `ivf-flat`, `ivf-pq`,
    `ivf-sq`, `ivf-rq` and `diskann`."""

    magic: One[int] = Number(
        U4LE,
        any_of=(1230390860, 1230393425, 1230394193, 1230393937, 1313751364),
        enum="file_kind.StartMagic",
        likely=(1230390860, 1230393425, 1230393937, 1230394193, 1313751364),
    )
    version: One[int] = Number(U4LE)
    header: Maybe[Any] = Switch(
        "magic",
        {
            1230390860: Object("ivf_flat"),
            1230393425: Object("ivf_pq"),
            1230394193: Object("ivf_sq"),
            1230393937: Object("ivf_rq"),
            1313751364: Object("diskann"),
        },
        looked=True,
        when=lambda s: s.version == 1,
    )


class IvfFlat(Struct, of="ivf_flat"):
    """Whole vectors in lists."""

    dimension: One[int] = Number(U4LE)
    num_lists: One[int] = Number(U4LE)
    metric: One[int] = Number(U4LE, enum="vector_index.Metric")
    num_vectors: One[int] = Number(U8LE)
    flags: One[int] = Number(U4LE)
    reserved: One[bytes] = Bytes(size=32)


class IvfPq(Struct, of="ivf_pq"):
    """Vectors in lists."""

    dimension: One[int] = Number(U4LE)
    num_lists: One[int] = Number(U4LE)
    num_parts: One[int] = Number(U4LE)
    num_centroids: One[int] = Number(U4LE)
    len_part: One[int] = Number(U4LE)
    metric: One[int] = Number(U4LE, enum="vector_index.Metric")
    num_vectors: One[int] = Number(U8LE)
    flags: One[int] = Number(U4LE)
    reserved: One[bytes] = Bytes(size=20)


class IvfSq(Struct, of="ivf_sq"):
    """Vectors in lists."""

    dimension: One[int] = Number(U4LE)
    num_lists: One[int] = Number(U4LE)
    metric: One[int] = Number(U4LE, enum="vector_index.Metric")
    num_vectors: One[int] = Number(U8LE)
    num_bits: One[int] = Number(U4LE)
    flags: One[int] = Number(U4LE)
    least: One[float] = Number(F4LE)
    greatest: One[float] = Number(F4LE)
    reserved: One[bytes] = Bytes(size=20)


class IvfRq(Struct, of="ivf_rq"):
    """Rotated vectors in lists."""

    dimension: One[int] = Number(U4LE)
    padded_dimension: One[int] = Number(U4LE)
    num_lists: One[int] = Number(U4LE)
    metric: One[int] = Number(U4LE, enum="vector_index.Metric")
    flags: One[int] = Number(U4LE)
    num_bits: One[int] = Number(U4LE)
    num_vectors: One[int] = Number(U8LE)
    rotation_seed: One[int] = Number(U8LE)
    num_rotations: One[int] = Number(U4LE)
    len_plane: One[int] = Number(U4LE)
    rotation: One[int] = Number(U4LE)
    factor_layout: One[int] = Number(U4LE)


class Diskann(Struct, of="diskann"):
    """A graph of vectors."""

    len_header: One[int] = Number(U4LE, equal=256)
    flags: One[int] = Number(U4LE)
    dimension: One[int] = Number(U4LE)
    metric: One[int] = Number(U4LE, enum="vector_index.Metric")
    num_vectors: One[int] = Number(U8LE)
    first_vector: One[int] = Number(U4LE)
    max_degree: One[int] = Number(U4LE)
    search_size: One[int] = Number(U4LE)
    alpha: One[float] = Number(F4LE)
    seed: One[int] = Number(U8LE)
    num_parts: One[int] = Number(U4LE)
    num_bits: One[int] = Number(U4LE)
    len_page: One[int] = Number(U4LE)
    len_locator: One[int] = Number(U4LE)
    locator_encoding: One[int] = Number(U4LE)
    vector_encoding: One[int] = Number(U4LE)
    len_vector: One[int] = Number(U4LE)
    num_sections: One[int] = Number(U4LE, equal=7)
    len_file: One[int] = Number(U8LE)
    codebook: Nested[Section] = Object("section")
    row_ids: Nested[Section] = Object("section")
    codes: Nested[Section] = Object("section")
    row_id_order: Nested[Section] = Object("section")
    neighbour_places: Nested[Section] = Object("section")
    neighbours: Nested[Section] = Object("section")
    vectors: Nested[Section] = Object("section")
    reserved: One[bytes] = Bytes(size=48)


class Section(Struct, of="section"):
    """The place of a section."""

    ofs_section: One[int] = Number(U8LE)
    len_section: One[int] = Number(U8LE)


make_vector_index = VectorIndex
make_ivf_flat = IvfFlat
make_ivf_pq = IvfPq
make_ivf_sq = IvfSq
make_ivf_rq = IvfRq
make_diskann = Diskann
make_section = Section
