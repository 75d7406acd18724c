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
-kit-head: version
-kit-places: true
doc: |
  The deleted rows of data files: one vector for each data file. The file does
  not contain the names of the data files. Instead, the table's index manifest
  lists the data file, offset, length and number of rows of each vector.

  A file may contain vectors of both kinds. The meaning of the length in the
  index manifest depends on the kind. For 32 bits, it is `len_data`. For 64
  bits, it is the length of the whole vector, `len_data` + 8.
doc-ref: https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#deletion-vectors
seq:
  - id: version
    type: u1
    valid: 1
  - id: vectors
    type: deletion_vector
    repeat: eos
    doc: A vector for each data file.
types:
  deletion_vector:
    -kit-head: len_data
    -kit-tail: crc32
    -kit-places: true
    seq:
      - id: len_data
        -orig-id: bitmapLength
        type: s4
        valid:
          min: 12
      - id: data
        size: len_data
        type: deletion_vector_data
        doc: The kind of the vector, and the deleted rows.
      - id: crc32
        -orig-id: crc
        type: u4
        doc: |
          zlib's CRC-32 of `data`. Kaitai Struct cannot check it, so readers
          have to. Java writes it, but never checks it.
        -kit-value: crc32(data)
    -webide-representation: '{len_data:dec} bytes'
  deletion_vector_data:
    -kit-head: kind
    seq:
      - id: kind
        -orig-id: magicNumber
        type: u4
        enum: vector_kind
        valid:
          any-of: [vector_kind::bits_32, vector_kind::bits_64]
        doc: The magic number, which states the width of positions.
        -kit-value: 'has_bitmap_32 ? vector_kind::bits_32 : vector_kind::bits_64'
      - id: bitmap_32
        type: roaring_bitmap_32
        if: kind == vector_kind::bits_32
        doc: Positions of the deleted rows, counted from 0.
      - id: bitmap_64
        type: roaring_bitmap_64
        if: kind == vector_kind::bits_64
        doc: Positions of the deleted rows, counted from 0.
enums:
  vector_kind:
    0x5e43f2d0: {id: bits_32, doc: "The number 1581511376, big-endian."}
    0xd1d33964: {id: bits_64, doc: "The number 1681511377, little-endian as in Iceberg."}
