meta:
  id: bitmap_index
  title: Bitmap index of a Paimon file index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - bitmap_index_v1
    - bitmap_index_v2
  endian: be
-kit-view: true
doc: |
  The body of an index of type `bitmap`. It stores, for each distinct value of
  a column, the set of rows with that value.
doc-ref:
  - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
  - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndex.java
params:
  - id: column_type
    type: u1
    doc: The column's type, a value of the enum `typed_value::stored_type`.
seq:
  - id: version
    type: u1
    valid:
      any-of: [1, 2]
  - id: v1
    type: bitmap_index_v1(column_type)
    if: version == 1
  - id: v2
    type: bitmap_index_v2(column_type)
    if: version == 2
