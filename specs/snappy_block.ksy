meta:
  id: snappy_block
  title: Block of an Avro file, compressed by snappy
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: be
-kit-view: true
doc: |
  The bytes between the length and the sync marker of a block in an Avro object
  container file with the codec `snappy`. Paimon's manifests can be such files.
doc-ref: https://avro.apache.org/docs/1.12.0/specification/#optional-codecs
seq:
  - id: data
    size: _io.size - 4
    doc: The records, in snappy's raw format.
  - id: crc32
    type: u4
    doc: zlib's CRC-32 of the uncompressed records.
instances:
  len_decoded:
    pos: 0
    type: varint
    doc: Length of the uncompressed records in bytes, with which `data` begins.
