meta:
  id: global_index_source
  title: Source of a global index of a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - java_utf8
  endian: be
-kit-view: true
doc: |
  The field `_SOURCE_META` of an index manifest states from what a global index
  was built.

  The index of a primary-key table is built from data files. Its positions count
  the rows of these files, one file after the other. It is valid only while all
  of them are live.

  `primary_key` was compared with entries that Java's Paimon 2 wrote, in
  `testdata/pkvector` of the Rust crate paimon 0.4.0. `data_evolution` is
  described by Java's sources.
doc-ref:
  - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-core/src/main/java/org/apache/paimon/index/pk/PrimaryKeyIndexSourceMeta.java
  - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-core/src/main/java/org/apache/paimon/index/DataEvolutionIndexSourceMeta.java
seq:
  - id: kind
    type: u4
    enum: source_kind
    valid:
      any-of: [source_kind::primary_key, source_kind::data_evolution]
    -kit-value: 'has_data_evolution ? source_kind::data_evolution : source_kind::primary_key'
    doc: The version of the list of data files, or a magic number.
  - id: primary_key
    type: source_file_list
    if: kind == source_kind::primary_key
    doc: The data files.
  - id: data_evolution
    type: source_snapshot
    if: kind == source_kind::data_evolution
    doc: The snapshot.
types:
  source_file_list:
    -kit-view: true
    seq:
      - id: level
        -orig-id: dataLevel
        type: s4
        valid:
          min: 1
        doc: The level of all data files.
      - id: num_files
        -orig-id: sourceFileCount
        type: s4
        valid:
          min: 1
        doc: Number of data files.
      - id: files
        type: source_file
        repeat: expr
        repeat-expr: num_files
        doc: The data files, in the order in which the index counts their rows.
    -webide-representation: 'level {level:dec}'
  source_file:
    seq:
      - id: name
        -orig-id: fileName
        type: java_utf8
        doc: The name of the data file.
      - id: num_rows
        -orig-id: rowCount
        type: s8
        valid:
          min: 0
        doc: Number of rows in the data file.
    -webide-representation: '{name}: {num_rows:dec} rows'
  source_snapshot:
    seq:
      - id: version
        type: s4
        valid: 1
      - id: snapshot_id
        -orig-id: scanSnapshotId
        type: s8
        doc: The snapshot of the table from which the index was built.
enums:
  source_kind:
    1: {id: primary_key, doc: The first version of the list of data files.}
    0x44454958: {id: data_evolution, doc: The letters DEIX.}
