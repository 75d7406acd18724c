meta:
  id: deletion_vectors
  title: Deletion vectors of Paimon data files
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
    - roaring_bitmap_32
    - roaring_bitmap_64
  endian: be
doc: |
  Which rows of data files are deleted: one vector for each data file, one
  after another. Which data file a vector belongs to is not in here: the
  table's index manifest has, for each data file, the offset and length of its
  vector, and the number of its rows.

  Vectors of both kinds may stand in one file. The length in the index
  manifest differs by kind: for 32 bits it is `len_data`, for 64 bits it is
  that of the whole vector, `len_data` + 8.
doc-ref: https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#deletion-vectors
seq:
  - id: version
    type: u1
    valid: 1
  - id: vectors
    type: deletion_vector
    repeat: eos
types:
  deletion_vectors_head:
    doc: The first field alone, for readers that are told where a vector is.
    seq:
      - id: version
        type: u1
        valid: 1
  deletion_vector:
    seq:
      - id: len_data
        type: s4
        valid:
          min: 12
      - id: data
        type: deletion_vector_data
        size: len_data
      - id: crc32
        type: u4
        doc: |
          CRC-32, that of zlib, of `data`. Kaitai Struct cannot check it: code
          written by hand does. Java writes it and never checks it.
        -value: crc32(data)
    -webide-representation: '{len_data:dec} bytes'
  deletion_vector_data:
    seq:
      - id: kind
        type: u4
        enum: vector_kind
        valid:
          any-of: [vector_kind::bits_32, vector_kind::bits_64]
        -value: 'has_bitmap_32 ? vector_kind::bits_32 : vector_kind::bits_64'
      - id: bitmap_32
        type: roaring_bitmap_32
        if: kind == vector_kind::bits_32
        doc: Deleted rows, counted from 0.
      - id: bitmap_64
        type: roaring_bitmap_64
        if: kind == vector_kind::bits_64
        doc: Deleted rows, counted from 0.
  deletion_vector_start:
    -flat: true
    doc: |
      The fields of a `deletion_vector` before its bitmap. It is another view,
      as is `deletion_vector_end`, for readers and writers that handle Roaring
      bitmaps in a library, and check or compute the CRC.
    seq:
      - id: len_data
        type: s4
        valid:
          min: 12
      - id: kind
        type: u4
        enum: vector_kind
        valid:
          any-of: [vector_kind::bits_32, vector_kind::bits_64]
  deletion_vector_end:
    -flat: true
    doc: The field of a `deletion_vector` after its bitmap.
    seq:
      - id: crc32
        type: u4
enums:
  vector_kind:
    0x5e43f2d0:
      id: bits_32
      doc: The number 1581511376, big-endian.
    0xd1d33964:
      id: bits_64
      doc: The number 1681511377, little-endian, as Iceberg writes it.
