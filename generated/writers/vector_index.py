# Generated from specs/vector_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of vector_index.

Header of a vector index of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Number, Object, Switch, Type
from ksykit.runtime.json_values import F4LE, U4LE, U8LE

from ..parsers.vector_index import VectorIndex

VECTOR_INDEX_TYPE = Type(
    VectorIndex,
    "vector_index",
    Number(
        "magic",
        U4LE,
        any_of=(1230390860, 1230393425, 1230394193, 1230393937, 1313751364),
        likely=(1230390860, 1230393425, 1230393937, 1230394193, 1313751364),
    ),
    Number("version", U4LE),
    Switch(
        "header",
        "magic",
        {
            1230390860: Object("header", "ivf_flat"),
            1230393425: Object("header", "ivf_pq"),
            1230394193: Object("header", "ivf_sq"),
            1230393937: Object("header", "ivf_rq"),
            1313751364: Object("header", "diskann"),
        },
        looked=True,
        when=lambda s: s.version == 1,
    ),
)

make_vector_index = VECTOR_INDEX_TYPE.make


IVF_FLAT_TYPE = Type(
    VectorIndex.IvfFlat,
    "ivf_flat",
    Number("dimension", U4LE),
    Number("num_lists", U4LE),
    Number("metric", U4LE),
    Number("num_vectors", U8LE),
    Number("flags", U4LE),
    Bytes("reserved", size=32),
)

make_ivf_flat = IVF_FLAT_TYPE.make


IVF_PQ_TYPE = Type(
    VectorIndex.IvfPq,
    "ivf_pq",
    Number("dimension", U4LE),
    Number("num_lists", U4LE),
    Number("num_parts", U4LE),
    Number("num_centroids", U4LE),
    Number("len_part", U4LE),
    Number("metric", U4LE),
    Number("num_vectors", U8LE),
    Number("flags", U4LE),
    Bytes("reserved", size=20),
)

make_ivf_pq = IVF_PQ_TYPE.make


IVF_SQ_TYPE = Type(
    VectorIndex.IvfSq,
    "ivf_sq",
    Number("dimension", U4LE),
    Number("num_lists", U4LE),
    Number("metric", U4LE),
    Number("num_vectors", U8LE),
    Number("num_bits", U4LE),
    Number("flags", U4LE),
    Number("least", F4LE),
    Number("greatest", F4LE),
    Bytes("reserved", size=20),
)

make_ivf_sq = IVF_SQ_TYPE.make


IVF_RQ_TYPE = Type(
    VectorIndex.IvfRq,
    "ivf_rq",
    Number("dimension", U4LE),
    Number("padded_dimension", U4LE),
    Number("num_lists", U4LE),
    Number("metric", U4LE),
    Number("flags", U4LE),
    Number("num_bits", U4LE),
    Number("num_vectors", U8LE),
    Number("rotation_seed", U8LE),
    Number("num_rotations", U4LE),
    Number("len_plane", U4LE),
    Number("rotation", U4LE),
    Number("factor_layout", U4LE),
)

make_ivf_rq = IVF_RQ_TYPE.make


DISKANN_TYPE = Type(
    VectorIndex.Diskann,
    "diskann",
    Number("len_header", U4LE, equal=256),
    Number("flags", U4LE),
    Number("dimension", U4LE),
    Number("metric", U4LE),
    Number("num_vectors", U8LE),
    Number("first_vector", U4LE),
    Number("max_degree", U4LE),
    Number("search_size", U4LE),
    Number("alpha", F4LE),
    Number("seed", U8LE),
    Number("num_parts", U4LE),
    Number("num_bits", U4LE),
    Number("len_page", U4LE),
    Number("len_locator", U4LE),
    Number("locator_encoding", U4LE),
    Number("vector_encoding", U4LE),
    Number("len_vector", U4LE),
    Number("num_sections", U4LE, equal=7),
    Number("len_file", U8LE),
    Object("codebook", "section"),
    Object("row_ids", "section"),
    Object("codes", "section"),
    Object("row_id_order", "section"),
    Object("neighbour_places", "section"),
    Object("neighbours", "section"),
    Object("vectors", "section"),
    Bytes("reserved", size=48),
)

make_diskann = DISKANN_TYPE.make


SECTION_TYPE = Type(
    VectorIndex.Section,
    "section",
    Number("ofs_section", U8LE),
    Number("len_section", U8LE),
)

make_section = SECTION_TYPE.make
