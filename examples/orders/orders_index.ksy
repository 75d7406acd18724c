meta:
  id: orders_index
  title: Index file orders.parquet.index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - bitmap_index
    - file_index
doc: |
  orders.parquet.index with the types of its columns, which stand in the
  table's schema and not in the file. Written by tools/entry_point.py.
seq:
  - id: file
    type: file_index
instances:
  order_date_bitmap:
    pos: file.head.columns[0].indexes[0].ofs_body
    type: bitmap_index(9)
    doc: |
      Column order_date, DATE: values and their rows.
  note_bitmap:
    pos: file.head.columns[1].indexes[0].ofs_body
    type: bitmap_index(8)
    doc: |
      Column note, STRING: values and their rows.
  user_id_bitmap:
    pos: file.head.columns[2].indexes[0].ofs_body
    type: bitmap_index(5)
    doc: |
      Column user_id, BIGINT: values and their rows.
  region_bitmap:
    pos: file.head.columns[3].indexes[0].ofs_body
    type: bitmap_index(8)
    doc: |
      Column region, STRING: values and their rows.
  status_bitmap:
    pos: file.head.columns[4].indexes[0].ofs_body
    type: bitmap_index(8)
    doc: |
      Column status, STRING: values and their rows.
