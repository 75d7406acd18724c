meta:
  id: file_kind
  title: Kind of a file in a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: |
  The first and the last bytes of a file in a table. In most files, some of
  them are a magic number, which identifies the kind of the file.

  Other kinds have no magic number, such as bucket indexes, and bitmap global
  indexes of Paimon 1.4. Only the table's index manifest identifies them. In a
  vector file (`deletion_vectors`), the first magic number is at byte 5.
doc-ref: https://github.com/apache/paimon/tree/5dacde516bf6e29b583aff8b32bab321bfc6e64f/docs/docs/concepts/spec
seq:
  - id: start
    type: file_start
    doc: The first bytes.
  - id: content
    size: _io.size - 12
    doc: All other bytes.
  - id: last
    type: file_end
    doc: The last bytes.
types:
  file_start:
    -kit-view: true
    seq:
      - id: number
        type: u4
        doc: The first four bytes as a number.
    instances:
      magic:
        value: number
        enum: start_magic
        doc: The kind of the file, if the enum lists the number.
      short_magic:
        value: number & 0xffffff
        enum: start_magic
        doc: The magic number of ORC files, which has only three bytes.
      len_start:
        value: 4
        doc: Size of the magic number in bytes.
    -webide-representation: '{magic}'
  file_end:
    -kit-view: true
    seq:
      - id: number_before
        type: u4
        doc: In BTree indexes, the version.
      - id: number
        type: u4
        doc: In FM indexes, a checksum.
    instances:
      magic:
        value: number
        enum: end_magic
        doc: The kind of the file, if the enum lists the number.
      magic_before:
        value: number_before
        enum: end_magic
        doc: The magic number of FM indexes.
      len_end:
        value: 8
        doc: Size of both numbers in bytes.
    -webide-representation: '{magic}'
enums:
  start_magic:
    0x43524f: {id: orc, doc: The letters ORC.}
    0x31524150: {id: parquet, doc: "The letters PAR1, also at the end of the file."}
    0x16a624f: {id: avro, doc: "The letters Obj, and the version."}
    0x4e4e0500: {id: file_index, doc: The first half of the magic number in `file_index`.}
    0x584e11cf: {id: blob, doc: "The number 1481511375, which every blob in the file starts with."}
    0x524c4250: {id: blobref, doc: The letters PBLR.}
    0x43534d50: {id: sidecar, doc: The letters PMSC.}
    0x4956464c: {id: ivf_flat, doc: "The letters IVFL, in reverse."}
    0x49565051: {id: ivf_pq, doc: "The letters IVPQ, in reverse."}
    0x49565351: {id: ivf_sq, doc: "The letters IVSQ, in reverse."}
    0x49565251: {id: ivf_rq, doc: "The letters IVRQ, in reverse."}
    0x4e4e4144: {id: diskann, doc: The letters DANN.}
    0x49544650: {id: full_text, doc: The first half of the letters PFTIDX01.}
  end_magic:
    0x50425449: {id: btree, doc: "The letters ITBP. The version, 1 or 2, is before them."}
    0xbd86c52: {id: old_btree, doc: "The number 198732882, in snapshots of Paimon 1.4 before March 2026."}
    0x58494742: {id: bitmap, doc: The letters BGIX. Indexes of the type `multivalue` also have them.}
    0x58494d46: {id: fm, doc: The letters FMIX.}
    0x584efd61: {id: lookup, doc: The number 1481571681.}
    0x524f5753: {id: row, doc: "The letters ROWS, in reverse."}
    0x41534f4d: {id: mosaic, doc: The letters MOSA.}
    0x46585456: {id: vortex, doc: "The letters VTXF, also at the start of the file."}
    0x434e414c: {id: lance, doc: The letters LANC.}
    0x14f4544: {id: video, doc: "The end of the letters IDEO, and the version."}
