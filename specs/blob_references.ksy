meta:
  id: blob_references
  title: References to blob files of a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - java_utf8
  endian: be
-kit-view: true
doc: |
  The blob files (`*.managed.blob`) that a data file of a primary-key table
  uses, in `DATAFILE.blobref` beside it. A blob file may be deleted when no
  data file uses it.

  Described by the sources of Java's Paimon. No installed writer makes such
  files, so it was compared with none.
doc-ref: https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-core/src/main/java/org/apache/paimon/blob/ManagedBlobReferenceFile.java
seq:
  - id: magic
    contents: PBLR
    doc: The letters PBLR.
  - id: content
    type: blob_reference_list
    doc: The references, whose checksum follows.
  - id: crc32
    type: u4
    -kit-value: crc32(content)
    doc: zlib's CRC-32 of `content`.
types:
  blob_reference_list:
    seq:
      - id: version
        type: u1
        valid: 1
      - id: num_references
        -orig-id: count
        type: s4
        valid:
          min: 0
        doc: Number of blob files.
      - id: references
        type: blob_reference
        repeat: expr
        repeat-expr: num_references
        doc: The blob files, in ascending order.
  blob_reference:
    seq:
      - id: root
        -orig-id: storageRootId
        type: java_utf8
        doc: The folder of the blob file.
      - id: name
        -orig-id: relativePath
        type: java_utf8
        doc: Its name in this folder.
    -webide-representation: '{name}'
