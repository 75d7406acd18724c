meta:
  id: sorted_index_meta
  title: Metadata of a sorted global index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
-kit-view: true
doc: |
  The field `_INDEX_META` of a BTree, bitmap or multivalue index in the index
  manifest: the least and greatest key of one index file.

  Compared with the index manifests of pypaimon 2.1.0, pypaimon-rust 0.4.0 and
  Paimon's Java library.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/btree/BTreeIndexMeta.java
seq:
  - id: len_first_key
    -orig-id: firstKeyLength
    type: s4
    valid:
      min: 0
    doc: Length of the first key in bytes.
  - id: first_key
    size: len_first_key
    doc: The least key, a `sorted_key` or `composite_key`.
  - id: len_last_key
    -orig-id: lastKeyLength
    type: s4
    valid:
      min: 0
    doc: Length of the last key in bytes.
  - id: last_key
    size: len_last_key
    doc: The greatest key.
  - id: has_nulls
    type: u1
    valid:
      any-of: [0, 1]
    doc: 1 if a row of the index is null.
  - id: null_keys
    type: null_keys
    if: not _io.eof
    doc: |
      Which keys do not exist, since Paimon 2.0. Without it, neither exists if
      both lengths are 0 and `has_nulls` is 1; else a key of length 0 is an
      empty text.
types:
  null_keys:
    seq:
      - id: format_version
        type: u1
        valid: 1
        doc: The only version there is.
      - id: reserved
        type: b6
        valid: 0
        doc: The other bits of `nullKeyFlags` in Java.
      - id: is_last_null
        type: b1
        doc: Whether the last key does not exist. Its length is then 0.
      - id: is_first_null
        type: b1
        doc: Whether the first key does not exist. Its length is then 0.
