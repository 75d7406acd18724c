meta:
  id: old_global_bitmap_index
  title: Bitmap global index of a Paimon table, of Paimon 1.4
  application: Apache Paimon
  file-extension: index
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A file of a global index of the type `bitmap` that Paimon 1.4 wrote. It is a
  whole `bitmap_index`, without a container. These fields are the first ones of
  both of its versions. Its parameter, the type of the column, is not in the
  file, and neither is a magic number. An entry of such a file
  in the index manifest has no `_INDEX_META`. Since Paimon 2.0, an entry has
  it, and the file is a `global_bitmap_index`.

  Row 0 is the first row of the row range in the index manifest. There is one
  file for each row range.

  Compared with files that Paimon's Java library 1.4.2 wrote.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/bitmap/BitmapGlobalIndex.java
seq:
  - id: version
    type: u1
    valid:
      any-of: [1, 2]
  - id: num_rows
    -orig-id: rowCount
    type: s4
    valid:
      min: 0
    doc: Number of rows in the row range, including null rows.
  - id: num_values
    -orig-id: nonNullBitmapNumber
    type: s4
    valid:
      min: 0
    doc: Number of distinct values, without null.
  - id: has_null
    -orig-id: hasNullValue
    type: u1
    valid:
      any-of: [0, 1]
    doc: 1 if the column has null rows.
  - id: rest
    size-eos: true
    doc: All other fields of `bitmap_index`.
