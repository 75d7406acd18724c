meta:
  id: full_text_index
  title: Header of a full-text index of a Paimon table
  application: Apache Paimon
  file-extension: index
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
-kit-view: true
doc: |
  The first bytes of a global index of the type `full-text`, which is an
  archive of the files of one version of Tantivy. These are not described.

  Compared with files that pypaimon-rust 0.4.0 wrote.
doc-ref: https://crates.io/crates/paimon-ftindex-core/0.1.0
seq:
  - id: magic
    contents: PFTIDX01
    doc: Also the version of the archive.
  - id: version
    type: u4
    doc: 1; the header of other versions is unknown.
  - id: len_header
    type: u4
    if: version == 1
    doc: Length of the header in bytes.
    -kit-value: length(header)
  - id: header
    size: len_header
    -kit-encoding: utf-8
    if: version == 1
    doc: |
      JSON. `metadata` has the settings, the number of documents and the
      version of Tantivy. `files` has the name and place of each file, from the
      end of the header on.
