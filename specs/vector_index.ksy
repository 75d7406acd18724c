meta:
  id: vector_index
  title: Header of a vector index of a Paimon table
  application: Apache Paimon
  file-extension: index
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - file_kind
  endian: le
doc: |
  The first bytes of a global index of vectors, of one of the types `ivf-flat`,
  `ivf-pq`, `ivf-sq`, `ivf-rq` and `diskann`. The lists or graph after them are
  not described.

  Compared with files of each type that pypaimon-rust 0.4.0 wrote.
doc-ref: https://crates.io/crates/paimon-vindex-core/0.5.0
seq:
  - id: magic
    type: u4
    enum: file_kind::start_magic
    valid:
      any-of:
        - file_kind::start_magic::ivf_flat
        - file_kind::start_magic::ivf_pq
        - file_kind::start_magic::ivf_sq
        - file_kind::start_magic::ivf_rq
        - file_kind::start_magic::diskann
    doc: The type of the index.
  - id: version
    type: u4
    doc: 1; the header of other versions is unknown.
  - id: header
    type:
      switch-on: magic
      cases:
        file_kind::start_magic::ivf_flat: ivf_flat
        file_kind::start_magic::ivf_pq: ivf_pq
        file_kind::start_magic::ivf_sq: ivf_sq
        file_kind::start_magic::ivf_rq: ivf_rq
        file_kind::start_magic::diskann: diskann
    if: version == 1
    doc: The sizes of the index.
types:
  ivf_flat:
    doc: Whole vectors in lists.
    seq:
      - id: dimension
        type: u4
        doc: The number of components of a vector.
      - id: num_lists
        -orig-id: nlist
        type: u4
        doc: The number of lists.
      - id: metric
        type: u4
        enum: metric
        doc: The distance of vectors.
      - id: num_vectors
        -orig-id: total_vectors
        type: u8
        doc: The number of vectors.
      - id: flags
        type: u4
        doc: The form of the lists.
      - id: reserved
        size: 32
        doc: Zeros.
  ivf_pq:
    doc: Vectors in lists. Each part of a vector is the number of a centroid.
    seq:
      - id: dimension
        type: u4
        doc: The number of components of a vector.
      - id: num_lists
        -orig-id: nlist
        type: u4
        doc: The number of lists.
      - id: num_parts
        -orig-id: m
        type: u4
        doc: The number of parts of a vector.
      - id: num_centroids
        -orig-id: ksub
        type: u4
        doc: The number of centroids for each part.
      - id: len_part
        -orig-id: dsub
        type: u4
        doc: The number of components of a part.
      - id: metric
        type: u4
        enum: metric
        doc: The distance of vectors.
      - id: num_vectors
        -orig-id: total_vectors
        type: u8
        doc: The number of vectors.
      - id: flags
        type: u4
        doc: The form of the lists.
      - id: reserved
        size: 20
        doc: Zeros.
  ivf_sq:
    doc: Vectors in lists. Each of their components has only a few bits.
    seq:
      - id: dimension
        type: u4
        doc: The number of components of a vector.
      - id: num_lists
        -orig-id: nlist
        type: u4
        doc: The number of lists.
      - id: metric
        type: u4
        enum: metric
        doc: The distance of vectors.
      - id: num_vectors
        -orig-id: total_vectors
        type: u8
        doc: The number of vectors.
      - id: num_bits
        -orig-id: bits
        type: u4
        doc: The number of bits of a component.
      - id: flags
        type: u4
        doc: The form of the lists.
      - id: least
        -orig-id: sq_min
        type: f4
        doc: The least component.
      - id: greatest
        -orig-id: sq_max
        type: f4
        doc: The greatest component.
      - id: reserved
        size: 20
        doc: Zeros.
  ivf_rq:
    doc: Rotated vectors in lists. Each of their components has only a few bits.
    seq:
      - id: dimension
        type: u4
        doc: The number of components of a vector.
      - id: padded_dimension
        -orig-id: padded_d
        type: u4
        doc: The number of components of a rotated vector.
      - id: num_lists
        -orig-id: nlist
        type: u4
        doc: The number of lists.
      - id: metric
        type: u4
        enum: metric
        doc: The distance of vectors.
      - id: flags
        type: u4
        doc: The form of the lists.
      - id: num_bits
        -orig-id: bits
        type: u4
        doc: The number of bits of a component.
      - id: num_vectors
        -orig-id: total_vectors
        type: u8
        doc: The number of vectors.
      - id: rotation_seed
        type: u8
        doc: The seed of the random rotation.
      - id: num_rotations
        -orig-id: rotation_rounds
        type: u4
        doc: How often vectors are rotated.
      - id: len_plane
        -orig-id: plane_size
        type: u4
        doc: Length in bytes of one bit of all components of a vector.
      - id: rotation
        -orig-id: rotation_type
        type: u4
        doc: The form of the rotation.
      - id: factor_layout
        type: u4
        doc: The form of the factors.
  diskann:
    doc: A graph of vectors.
    seq:
      - id: len_header
        type: u4
        valid: 256
        doc: Length of the header in bytes.
      - id: flags
        type: u4
        doc: The form of the graph.
      - id: dimension
        type: u4
        doc: The number of components of a vector.
      - id: metric
        type: u4
        enum: metric
        doc: The distance of vectors.
      - id: num_vectors
        -orig-id: vector_count
        type: u8
        doc: The number of vectors.
      - id: first_vector
        -orig-id: entry_node
        type: u4
        doc: The vector at which a search starts.
      - id: max_degree
        type: u4
        doc: The most neighbours of a vector.
      - id: search_size
        -orig-id: build_search_list_size
        type: u4
        doc: How many candidates the writer considered for neighbours.
      - id: alpha
        type: f4
        doc: How much farther than others neighbours may be.
      - id: seed
        type: u8
        doc: The seed of the writer's random numbers.
      - id: num_parts
        -orig-id: pq_m
        type: u4
        doc: How many parts a vector has. Each part is the number of its nearest centroid.
      - id: num_bits
        -orig-id: pq_bits
        type: u4
        doc: The number of bits of such a number.
      - id: len_page
        -orig-id: page_size
        type: u4
        doc: Length of a page in bytes.
      - id: len_locator
        -orig-id: adjacency_locator_size
        type: u4
        doc: Length of the place of neighbours in bytes.
      - id: locator_encoding
        -orig-id: adjacency_locator_encoding
        type: u4
        doc: The form of these places.
      - id: vector_encoding
        -orig-id: raw_vector_encoding
        type: u4
        doc: The form of whole vectors.
      - id: len_vector
        -orig-id: vector_record_size
        type: u4
        doc: Length of a whole vector in bytes.
      - id: num_sections
        type: u4
        valid: 7
        doc: The number of sections.
      - id: len_file
        -orig-id: file_len
        type: u8
        doc: Length of the file in bytes.
      - id: codebook
        type: section
        doc: The centroids.
      - id: row_ids
        type: section
        doc: The row of each vector.
      - id: codes
        -orig-id: pq_codes
        type: section
        doc: The numbers of centroids of each vector.
      - id: row_id_order
        type: section
        doc: The order of the row ids.
      - id: neighbour_places
        -orig-id: adjacency_index
        type: section
        doc: The place of the neighbours of each vector.
      - id: neighbours
        -orig-id: adjacency
        type: section
        doc: The neighbours of each vector.
      - id: vectors
        type: section
        doc: The vectors.
      - id: reserved
        size: 48
        doc: Zeros.
  section:
    doc: The place of a section.
    seq:
      - id: ofs_section
        -orig-id: offset
        type: u8
        doc: Start of the section.
      - id: len_section
        -orig-id: length
        type: u8
        doc: Length of the section in bytes.
enums:
  metric:
    0: {id: l2, doc: The Euclidean distance.}
    1: {id: inner_product, doc: The inner product.}
    2: {id: cosine, doc: The angle.}
