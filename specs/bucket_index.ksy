meta:
  id: bucket_index
  title: Dynamic bucket index of a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  The hash codes of all primary keys in one bucket, in no order. The table's
  index manifest tells which bucket. Nothing in the file tells what it is.

  A hash code is that of the key's `binary_row` without partition columns.
doc-ref: https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#dynamic-bucket-index
seq:
  - id: hashes
    type: s4
    repeat: expr
    repeat-expr: _io.size / 4
  - id: trailing
    size-eos: true
    if: not _io.eof
    doc: |
      One to three bytes that are no hash code. Nobody writes them, and Java
      drops them without a word.
