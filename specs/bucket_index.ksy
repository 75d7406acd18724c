meta:
  id: bucket_index
  title: Dynamic bucket index of a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
-kit-view: true
doc: |
  The hash codes of all primary keys in one bucket, in any order. The table's
  index manifest names the bucket. The format has no magic number.

  A hash code is that of the key as a `binary_row`, without partition columns.
doc-ref: https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#dynamic-bucket-index
seq:
  - id: hashes
    type: s4
    repeat: expr
    repeat-expr: _io.size / 4
    doc: A hash code for each primary key.
  - id: trailing
    size-eos: true
    if: not _io.eof
    -kit-max-size: 3
    doc: |
      One to three bytes that are not a hash code. No known writer produces
      them, and Java ignores them.
