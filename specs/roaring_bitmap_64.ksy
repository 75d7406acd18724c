meta:
  id: roaring_bitmap_64
  title: Roaring bitmap of 64-bit integers, portable format
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - roaring_bitmap_32
  endian: le
-kit-head: num_bitmaps
doc: |
  A compressed set of integers up to 9,223,372,030,412,324,864. Iceberg and
  Paimon store deleted positions in this format. The integers are grouped by
  their upper 32 bits, the key. Each group has a Roaring bitmap of the lower 32
  bits.

  Java writes all keys from 0 to the largest. Keys without integers have an
  empty bitmap. Readers accept any ascending keys.
doc-ref: https://github.com/RoaringBitmap/RoaringFormatSpec/blob/5177ad987c5f6f920179ec81f764438d4451357c/README.md#extension-for-64-bit-implementations
seq:
  - id: num_bitmaps
    -orig-id: bitmapCount
    type: s8
    valid:
      min: 0
      max: 2147483647
  - id: bitmaps
    type: keyed_bitmap
    repeat: expr
    repeat-expr: num_bitmaps
    doc: A bitmap for each key.
    -kit-runs: key
    -kit-ascending:
      key: key + 1
types:
  keyed_bitmap:
    -kit-head: key
    seq:
      - id: key
        type: s4
        valid:
          min: 0
          max: 2147483646
        doc: Upper 32 bits of the integers, in ascending order.
      - id: bitmap
        type: roaring_bitmap_32
        doc: Lower 32 bits of the integers.
    -webide-representation: '{key:dec}'
  keyed_bitmap_starts:
    -kit-view: true
    doc: Starts of several keyed bitmaps; all but the last one are empty.
    params:
      - id: num_starts
        type: s4
    seq:
      - id: starts
        type: keyed_bitmap_start
        repeat: expr
        repeat-expr: num_starts
  keyed_bitmap_start:
    seq:
      - id: key
        type: s4
        doc: Upper 32 bits of the integers.
      - id: bitmap_start
        size: 8
        doc: The first bytes of the bitmap, which are all bytes of an empty one.
    -webide-representation: '{key:dec}'
