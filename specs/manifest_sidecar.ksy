meta:
  id: manifest_sidecar
  title: Sidecar of a manifest of a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: be
-kit-view: true
doc: |
  Which partitions, row ids and buckets each block of a manifest contains, so
  that readers skip blocks. It is beside the manifest, which is an Avro file,
  and the manifest list names it in `_EXTRA_FILES`. Readers ignore a sidecar
  with another checksum, but skip the blocks of one that leaves out partitions.

  Compared with files of pypaimon-rust 0.4.0, and with what the writer of
  pypaimon 2.1.0 makes of the same manifests.
doc-ref: https://github.com/apache/paimon/blob/master/docs/docs/concepts/spec/manifest.md
seq:
  - id: magic
    contents: PMSC
    doc: The letters PMSC.
  - id: version
    type: u1
    valid: 1
    doc: An integer like a `varint`.
  - id: len_header
    type: varint
    doc: Size of `header` in bytes.
  - id: header
    size: len_header.value
    doc: The header of the manifest, up to its first block.
  - id: num_partitions
    type: varint
    doc: Number of distinct partitions.
  - id: partitions
    type: sidecar_partition
    repeat: expr
    repeat-expr: num_partitions.value
    doc: The partitions of all entries in the manifest.
  - id: num_blocks
    type: varint
    doc: Number of blocks in the manifest.
  - id: blocks
    type: sidecar_block
    repeat: expr
    repeat-expr: num_blocks.value
    doc: The blocks, in their order in the manifest.
  - id: crc32
    type: u4
    doc: zlib's CRC-32 of everything before it.
    -kit-value: crc32(magic, version, len_header, header, num_partitions, partitions, num_blocks, blocks)
types:
  sidecar_partition:
    seq:
      - id: len_partition
        type: varint
        doc: Size of `partition` in bytes.
      - id: partition
        size: len_partition.value
        doc: The partition, a `serialized_row` as in manifests.
  sidecar_block:
    seq:
      - id: ofs_block
        type: varint
        doc: Start of the block in the manifest.
      - id: len_block
        type: varint
        doc: Size of the block in bytes, from its head to its sync marker.
      - id: num_entries
        type: varint
        doc: Number of entries in the block.
      - id: partitions
        type: partition_coverage
        doc: The partitions of the entries.
      - id: row_ids
        type: row_id_coverage
        doc: The row ids of the entries.
      - id: buckets
        type: bucket_coverage
        doc: The buckets of the entries.
    -webide-representation: '{num_entries.value:dec} entries'
  partition_coverage:
    seq:
      - id: encoding
        type: u1
        doc: 1, or 0 if the partitions are unknown. Readers skip content of other encodings.
      - id: len_content
        type: varint
        if: encoding != 0
        doc: Size of the content in bytes.
      - id: content
        size: len_content.value
        type:
          switch-on: encoding
          cases:
            1: ascending_numbers
        if: encoding != 0
        doc: Positions of the partitions in `partitions` of the file, from 0.
  row_id_coverage:
    seq:
      - id: encoding
        type: u1
        doc: 1, or 0 if the row ids are unknown. Readers skip content of other encodings.
      - id: len_content
        type: varint
        if: encoding != 0
        doc: Size of the content in bytes.
      - id: content
        size: len_content.value
        type:
          switch-on: encoding
          cases:
            1: row_id_ranges
        if: encoding != 0
        doc: The ranges of the row ids.
  bucket_coverage:
    seq:
      - id: encoding
        type: u1
        doc: 1, or 0 if the buckets are unknown. Readers skip content of other encodings.
      - id: len_content
        type: varint
        if: encoding != 0
        doc: Size of the content in bytes.
      - id: content
        size: len_content.value
        type:
          switch-on: encoding
          cases:
            1: bucket_list
        if: encoding != 0
        doc: The buckets, each with the number of buckets that its partition had.
  ascending_numbers:
    seq:
      - id: num_numbers
        type: varint
        doc: Number of integers.
      - id: numbers
        type: number_after
        repeat: expr
        repeat-expr: num_numbers.value
        doc: The integers.
  number_after:
    seq:
      - id: difference
        type: varint
        doc: The difference of the integer to the one before.
    -webide-representation: '{difference.value:dec}'
  row_id_ranges:
    seq:
      - id: first
        type: s8
        valid:
          min: 0
        doc: The least row id.
      - id: last
        type: s8
        valid:
          min: first
        doc: The greatest row id.
      - id: bounds
        type: ascending_numbers
        doc: |
          The ends and starts of all ranges but the first start and the last
          end, counted from `first`. Both are inclusive.
  bucket_list:
    seq:
      - id: buckets
        type: ascending_numbers
        doc: The buckets in ascending order, counted from 0.
      - id: totals
        type: ascending_numbers
        doc: |
          The number of all buckets for each of them, counted from 0. These
          differences have their sign in the lowest bit.
