# Generated from vector_index.ksy by `ksykit generate`. Do not edit.
"""Objects of vector_index: Header of a vector index of a Paimon table."""

from __future__ import annotations

from typing import Any

from ksykit.runtime.json_values import F4LE, U4LE, U8LE
from ksykit.runtime.rows import Bytes, Maybe, Nested, Number, Object, One, Switch
from ksykit.runtime.structs import Struct


class VectorIndex(Struct, of="vector_index"):
    """The first bytes of a global index of vectors, of one of the types `ivf-flat`, `ivf-pq`,
    `ivf-sq`, `ivf-rq` and `diskann`.

    Attributes:
        magic: The type of the index.
        version: 1; the header of other versions is unknown.
        header: The sizes of the index.
    """

    magic: One[int] = Number(
        U4LE, any_of=(1230390860, 1230393425, 1230394193, 1230393937, 1313751364),
        enum="file_kind.StartMagic",
        likely=(1230390860, 1230393425, 1230393937, 1230394193, 1313751364),
    )  # fmt: skip
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
    """Whole vectors in lists.

    Attributes:
        dimension: The number of components of a vector.
        num_lists: The number of lists.
        metric: The distance of vectors.
        num_vectors: The number of vectors.
        flags: The form of the lists.
        reserved: Zeros.
    """

    dimension: One[int] = Number(U4LE)
    num_lists: One[int] = Number(U4LE)
    metric: One[int] = Number(U4LE, enum="vector_index.Metric")
    num_vectors: One[int] = Number(U8LE)
    flags: One[int] = Number(U4LE)
    reserved: One[bytes] = Bytes(size=32)


class IvfPq(Struct, of="ivf_pq"):
    """Vectors in lists.

    Attributes:
        dimension: The number of components of a vector.
        num_lists: The number of lists.
        num_parts: The number of parts of a vector.
        num_centroids: The number of centroids for each part.
        len_part: The number of components of a part.
        metric: The distance of vectors.
        num_vectors: The number of vectors.
        flags: The form of the lists.
        reserved: Zeros.
    """

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
    """Vectors in lists.

    Attributes:
        dimension: The number of components of a vector.
        num_lists: The number of lists.
        metric: The distance of vectors.
        num_vectors: The number of vectors.
        num_bits: The number of bits of a component.
        flags: The form of the lists.
        least: The least component.
        greatest: The greatest component.
        reserved: Zeros.
    """

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
    """Rotated vectors in lists.

    Attributes:
        dimension: The number of components of a vector.
        padded_dimension: The number of components of a rotated vector.
        num_lists: The number of lists.
        metric: The distance of vectors.
        flags: The form of the lists.
        num_bits: The number of bits of a component.
        num_vectors: The number of vectors.
        rotation_seed: The seed of the random rotation.
        num_rotations: How often vectors are rotated.
        len_plane: Length in bytes of one bit of all components of a vector.
        rotation: The form of the rotation.
        factor_layout: The form of the factors.
    """

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
    """A graph of vectors.

    Attributes:
        len_header: Length of the header in bytes.
        flags: The form of the graph.
        dimension: The number of components of a vector.
        metric: The distance of vectors.
        num_vectors: The number of vectors.
        first_vector: The vector at which a search starts.
        max_degree: The most neighbours of a vector.
        search_size: How many candidates the writer considered for neighbours.
        alpha: How much farther than others neighbours may be.
        seed: The seed of the writer's random numbers.
        num_parts: How many parts a vector has.
        num_bits: The number of bits of such a number.
        len_page: Length of a page in bytes.
        len_locator: Length of the place of neighbours in bytes.
        locator_encoding: The form of these places.
        vector_encoding: The form of whole vectors.
        len_vector: Length of a whole vector in bytes.
        num_sections: The number of sections.
        len_file: Length of the file in bytes.
        codebook: The centroids.
        row_ids: The row of each vector.
        codes: The numbers of centroids of each vector.
        row_id_order: The order of the row ids.
        neighbour_places: The place of the neighbours of each vector.
        neighbours: The neighbours of each vector.
        vectors: The vectors.
        reserved: Zeros.
    """

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
    """The place of a section.

    Attributes:
        ofs_section: Start of the section.
        len_section: Length of the section in bytes.
    """

    ofs_section: One[int] = Number(U8LE)
    len_section: One[int] = Number(U8LE)


make_vector_index = VectorIndex
make_ivf_flat = IvfFlat
make_ivf_pq = IvfPq
make_ivf_sq = IvfSq
make_ivf_rq = IvfRq
make_diskann = Diskann
make_section = Section
