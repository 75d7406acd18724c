# Generated from specs/*.ksy and tools/ksy/webide/*.yaml by `python -m tools.ksy generate`. Do not edit.
# ruff: noqa: E501
"""Each spec as a nested type of a .ksy that needs no other file."""

from typing import NamedTuple


class InlinedType(NamedTuple):
    """A type as YAML, with the ids of its parameters and the names of the types that it needs."""

    params: tuple[str, ...]
    imports: tuple[str, ...]
    text: str


TYPES = {
    "binary_row": InlinedType(
        ("num_fields",),
        (),
        """\
binary_row:
  meta:
    endian: le
  doc: |
    Paimon's form of a row in memory. Paimon hashes keys in this form, and
    manifests store partitions, keys and statistics in it. A row consists of
    words of null bits, an eight-byte word for each field, and the values that
    are too long for a word. It does not store the types of its fields.

    The word of a field contains one of these:

    * a BOOLEAN, integer, DATE, TIME, FLOAT or DOUBLE in the first bytes; the
      other bytes are zero
    * the unscaled value of a DECIMAL of up to 18 digits
    * a TIMESTAMP up to precision 3, in milliseconds
    * a string of up to 7 bytes, with its length plus 128 in the last byte

    Values of longer strings, DECIMALs and TIMESTAMPs are stored after the
    fields. The upper half of the word is the offset of the value in the row. The
    lower half is the length of the value in bytes or, for a TIMESTAMP, the
    nanoseconds within its millisecond.

    A value is padded with zeros to a multiple of eight bytes, and a DECIMAL to
    16 bytes. A DECIMAL is stored as Java's BigInteger.toByteArray of its
    unscaled value, and a TIMESTAMP as its milliseconds.

    The word of a null is zero. A null DECIMAL of more than 18 digits, or a null
    TIMESTAMP above precision 3, still has the offset and the space of a value.
  doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/data/BinaryRow.java
  params:
    - id: num_fields
      type: s4
  seq:
    - id: null_words
      type: u8
      repeat: expr
      repeat-expr: num_null_words
      doc: |
        The lowest eight bits of the first word are the kind of row (0 is an
        insert). The following bits, least significant first, belong to the
        fields. A bit is 1 if its field is null.
    - id: fields
      type: binary_row_field
      repeat: expr
      repeat-expr: num_fields
    - id: values
      size-eos: true
      if: not _io.eof
      doc: Values that do not fit into a word.
  instances:
    num_null_words:
      value: (num_fields + 71) / 64
    num_kind_bits:
      value: 8
      doc: Bits in the first null word before the bit of the first field.
    len_field:
      value: 8
      doc: Size of a field in bytes. Longer values are padded to a multiple of it.
    len_unscaled_value:
      value: 16
      doc: Size in bytes of a padded DECIMAL of more than 18 digits.
  types:
    serialized_row:
      doc: |
        A row in a manifest: `SerializationUtils.serializeBinaryRow`.
      seq:
        - id: num_fields
          type: s4be
          valid:
            min: 0
        - id: row
          type: binary_row(num_fields)
    binary_row_field:
      seq:
        - id: lower
          type: u4
        - id: upper
          type: u4
      instances:
        is_short:
          value: upper.as<s8> >= (0x80000000).as<s8>
          doc: True for a string in the word itself, such as a `short_string`.
        ofs_value:
          value: upper
          if: not is_short
        len_value:
          value: lower
          if: not is_short
      -webide-representation: '{upper:hex} {lower:hex}'
    whole_fields:
      doc: An alternative view of the fields, each as one number.
      seq:
        - id: words
          type: u8
          repeat: eos
    short_strings:
      doc: An alternative view of the fields, for strings in the word itself.
      seq:
        - id: fields
          type: short_string
          repeat: eos
    short_string:
      seq:
        - id: value
          size: 7
          doc: The string, padded with zeros.
        - id: mark
          type: u1
          valid:
            min: 128
            max: 135
          doc: The length plus 128.
      instances:
        len_value:
          value: mark & 127
      -webide-representation: '{value:str}'
    unscaled_value:
      doc: |
        The unscaled value of a DECIMAL of more than 18 digits, among the values
        of a row. It is Java's `BigInteger.toByteArray`: two's complement in as
        few bytes as possible.
      doc-ref: https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/math/BigInteger.html#toByteArray()
      seq:
        - id: value
          size-eos: true
""",
    ),
    "bit_slice_index": InlinedType(
        (),
        ("position", "roaring_bitmap_32"),
        """\
bit_slice_index:
  meta:
    endian: be
  doc: |
    A bit-slice index stores a number for each row that is not null. In a range
    bitmap, the number is the position of the row's value in a dictionary. Each
    bit of these numbers has a slice: the set of rows whose number has that bit
    set.
  doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/BitSliceIndexBitmap.java
  seq:
    - id: len_head
      type: s4
      valid:
        min: 10
      doc: Length of the rest of the head in bytes.
    - id: head_start
      type: position(_io.pos)
    - id: version
      type: u1
      valid: 1
    - id: num_slices
      type: u1
      valid:
        max: 64
      doc: |
        The number of bits in the greatest number, at least 1. An index without
        numbers has 64 empty slices. In Paimon's document, this field has 4
        bytes.
    - id: len_rows
      -orig-id: ebmLength
      type: s4
      valid:
        min: 0
    - id: len_slices
      type: s4
      valid: num_slices.as<s4> * 8
      doc: Length of `slices` in bytes.
    - id: slices
      -orig-id: indexes
      type: bit_slice
      repeat: expr
      repeat-expr: num_slices
      doc: The slices of bit 0, bit 1, and so on.
    - id: head_end
      type: position(_io.pos)
  instances:
    rows_start:
      value: (head_start.at + len_head.as<s8>).as<s8>
    rows:
      -orig-id: ebm
      pos: rows_start
      size: len_rows
      type: roaring_bitmap_32
      doc: Rows that are not null.
  types:
    bit_slice:
      seq:
        - id: ofs_bitmap
          type: s4
          valid:
            min: 0
          doc: Start of the bitmap, counted from the end of `rows`.
        - id: len_bitmap
          type: s4
          valid:
            min: 0
      instances:
        bitmap:
          pos: (_parent.as<bit_slice_index>.rows_start + _parent.as<bit_slice_index>.len_rows.as<s8>).as<s8> + ofs_bitmap.as<s8>
          size: len_bitmap
          type: roaring_bitmap_32
          doc: Rows whose number has the bit set.
      -webide-representation: '{len_bitmap:dec} bytes at {ofs_bitmap:dec}'
""",
    ),
    "bitmap_index": InlinedType(
        ("column_type",),
        ("bitmap_index_v1", "bitmap_index_v2"),
        """\
bitmap_index:
  meta:
    endian: be
  doc: |
    The body of an index of type `bitmap`. It stores, for each distinct value of
    a column, the set of rows with that value.
  doc-ref:
    - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
    - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndex.java
  params:
    - id: column_type
      type: u1
      doc: The column's type, a value of the enum `typed_value::column_type`.
  seq:
    - id: version
      type: u1
      valid:
        any-of:
          - 1
          - 2
    - id: v1
      type: bitmap_index_v1(column_type)
      if: version == 1
    - id: v2
      type: bitmap_index_v2(column_type)
      if: version == 2
""",
    ),
    "bitmap_index_v1": InlinedType(
        ("column_type",),
        ("position", "roaring_bitmap_32", "typed_value"),
        """\
bitmap_index_v1:
  meta:
    endian: be
  doc: |
    A bitmap index of version 1, without the version byte. It consists of a
    dictionary of all values, and the bitmaps.

    Java writes the dictionary and the bitmaps in the iteration order of its
    `HashMap`. A reader must not rely on any order.
  doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMeta.java
  params:
    - id: column_type
      type: u1
      doc: The column's type, a value of the enum `typed_value::column_type`.
  seq:
    - id: num_rows
      -orig-id: rowCount
      type: s4
      valid:
        min: 0
      doc: Number of rows in the data file, including null rows.
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
        any-of:
          - 0
          - 1
    - id: ofs_null
      -orig-id: nullValueOffset
      type: s4
      if: has_null == 1
      doc: Position of the bitmap of the null rows, as in a dictionary entry.
    - id: dictionary_start
      type: position(_io.pos)
  instances:
    dictionary:
      pos: dictionary_start.at
      type: bitmap_dictionary_v1(num_values, column_type)
    is_null_single:
      value: has_null == 1 and ofs_null < 0
    null_row:
      value: -1 - ofs_null
      if: is_null_single
      doc: The only null row.
    null_bitmap:
      pos: dictionary.bitmaps_start.at + ofs_null.as<s8>
      type: roaring_bitmap_32
      if: has_null == 1 and ofs_null >= 0
  types:
    bitmap_dictionary_v1:
      params:
        - id: num_values
          type: s4
        - id: column_type
          type: u1
      seq:
        - id: start
          type: position(_io.pos)
      doc: |
        The entries are read in groups when they are looked at. A group starts
        where the one before it ends.
      instances:
        num_groups:
          value: (num_values + 1999) / 2000
        groups:
          pos: 0
          type: entry_group_v1(_index, num_values, column_type)
          repeat: expr
          repeat-expr: num_groups
        bitmaps_start:
          pos: 0
          type: 'position(num_groups == 0 ? start.at : groups[num_groups - 1].skipped.end.at)'
          doc: Offsets of bitmaps count from here.
    bitmap_entry_v1:
      params:
        - id: column_type
          type: u1
      seq:
        - id: key
          type: typed_value(column_type)
        - id: ofs_bitmap
          type: s4
          doc: |
            If negative, the value occurs only in the row `-1 - ofs_bitmap`, and
            has no bitmap. Otherwise, it is the start of the bitmap, counted from
            the end of the dictionary.
      instances:
        is_single:
          value: ofs_bitmap < 0
        row:
          value: -1 - ofs_bitmap
          if: is_single
          doc: The only row that contains the value.
        bitmap:
          pos: _parent.as<entry_group_v1>._parent.as<bitmap_dictionary_v1>.bitmaps_start.at + ofs_bitmap
          type: roaring_bitmap_32
          if: not is_single
        shown:
          value: 'is_single ? "row " + row.to_s : "rows in a bitmap"'
      -webide-representation: '{key}: {shown}'
    entry_group_v1:
      params:
        - id: index
          type: s4
        - id: num_values
          type: s4
          doc: In the whole dictionary.
        - id: column_type
          type: u1
      instances:
        first:
          value: index * 2000
        num_entries:
          value: 'first + 2000 < num_values ? 2000 : num_values - first'
        start:
          value: 'index == 0 ? _parent.as<bitmap_dictionary_v1>.start.at : _parent.as<bitmap_dictionary_v1>.groups[index - 1].skipped.end.at'
          -webide-parse-mode: lazy
        entries:
          pos: start
          type: bitmap_entry_v1(column_type)
          repeat: expr
          repeat-expr: num_entries
        skipped:
          pos: start
          type: skipped_entries_v1(num_entries, column_type)
      -webide-representation: '{num_entries:dec} values from {first:dec} on'
    skipped_entries_v1:
      doc: The extent of a group, found without its values.
      params:
        - id: num_entries
          type: s4
        - id: column_type
          type: u1
      seq:
        - id: start
          type: position(_io.pos)
        - id: first
          type: measured_entry_v1(column_type)
          doc: All entries take as many bytes, except those of strings.
        - id: fixed
          size: (num_entries - 1) * (first.end.at - start.at)
          if: column_type != 8
        - id: texts
          type: skipped_text_v1
          repeat: expr
          repeat-expr: num_entries - 1
          if: column_type == 8
        - id: end
          type: position(_io.pos)
    measured_entry_v1:
      params:
        - id: column_type
          type: u1
      seq:
        - id: key
          type: typed_value(column_type)
        - id: ofs_bitmap
          type: s4
        - id: end
          type: position(_io.pos)
      -webide-representation: '{key}'
    skipped_text_v1:
      seq:
        - id: len_text
          type: s4
        - id: rest
          size: len_text + 4
      -webide-representation: '{len_text:dec} bytes'
""",
    ),
    "bitmap_index_v2": InlinedType(
        ("column_type",),
        ("position", "roaring_bitmap_32", "typed_value"),
        """\
bitmap_index_v2:
  meta:
    endian: be
  doc: |
    A bitmap index of version 2, without the version byte. It consists of a
    directory of blocks, the blocks, and the bitmaps. Together, the blocks are
    the dictionary of all values in ascending order. A look-up reads the
    directory, one block and one bitmap.

    Strings are ordered by their unsigned bytes, and floating-point numbers as by
    `Float.compare` (-0.0 before 0.0, NaN last). The bitmaps are in the iteration
    order of Java's `HashMap`.
  doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMetaV2.java
  params:
    - id: column_type
      type: u1
      doc: The column's type, a value of the enum `typed_value::column_type`.
  seq:
    - id: num_rows
      -orig-id: rowCount
      type: s4
      valid:
        min: 0
      doc: Number of rows in the data file, including null rows.
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
        any-of:
          - 0
          - 1
    - id: ofs_null
      -orig-id: nullValueOffset
      type: s4
      if: has_null == 1
      doc: Position of the bitmap of the null rows, as in an entry of a block.
    - id: len_null
      -orig-id: nullBitmapLength
      type: s4
      if: has_null == 1
      doc: |
        Length of that bitmap in bytes. For a single null row, `ofs_null` contains
        the row itself, the file has no bitmap, and Java writes the length 18.
    - id: num_blocks
      type: s4
      valid:
        min: 0
    - id: directory_start
      type: position(_io.pos)
  instances:
    directory:
      pos: directory_start.at
      type: bitmap_directory_v2(num_blocks, column_type)
    is_null_single:
      value: has_null == 1 and ofs_null < 0
    null_row:
      value: -1 - ofs_null
      if: is_null_single
      doc: The only null row.
    null_bitmap:
      pos: directory.bitmaps_start + ofs_null.as<s8>
      size: len_null
      type: roaring_bitmap_32
      if: has_null == 1 and ofs_null >= 0
  types:
    bitmap_directory_v2:
      params:
        - id: num_blocks
          type: s4
        - id: column_type
          type: u1
      seq:
        - id: blocks
          -orig-id: indexBlocks
          type: bitmap_block_ref_v2(column_type)
          repeat: expr
          repeat-expr: num_blocks
        - id: len_blocks
          type: s4
          valid:
            min: 0
          doc: |
            Length of all blocks in bytes. This is also the start of the bitmaps,
            counted from the first block.
        - id: blocks_start
          type: position(_io.pos)
      instances:
        bitmaps_start:
          value: (blocks_start.at + len_blocks.as<s8>).as<s8>
          doc: Offsets of bitmaps count from here.
    bitmap_block_ref_v2:
      params:
        - id: column_type
          type: u1
      seq:
        - id: key
          type: typed_value(column_type)
          doc: The least value of the block.
        - id: ofs_block
          type: s4
          valid:
            min: 0
          doc: Start of the block, counted from the first block.
      instances:
        block:
          pos: _parent.as<bitmap_directory_v2>.blocks_start.at + ofs_block.as<s8>
          type: |-
            bitmap_block_v2(
              _parent.as<bitmap_directory_v2>.blocks_start.at + _parent.as<bitmap_directory_v2>.len_blocks.as<s8>,
              column_type)
      -webide-representation: from {key}
    bitmap_block_v2:
      doc: |
        A part of the dictionary. Java adds entries to a block until it would
        exceed `index-block-size` bytes, 16 kB by default.
      params:
        - id: bitmaps_start
          type: s8
          doc: Offsets of bitmaps count from here.
        - id: column_type
          type: u1
      seq:
        - id: num_entries
          type: s4
          valid:
            min: 1
        - id: entries
          type: bitmap_entry_v2(column_type)
          repeat: expr
          repeat-expr: num_entries
      -webide-representation: '{num_entries:dec} values'
    bitmap_entry_v2:
      params:
        - id: column_type
          type: u1
      seq:
        - id: key
          type: typed_value(column_type)
        - id: ofs_bitmap
          type: s4
          doc: |
            If negative, the value occurs only in the row `-1 - ofs_bitmap`, and
            has no bitmap. Otherwise, it is the start of the bitmap, counted from
            the end of the blocks.
        - id: len_bitmap
          type: s4
          doc: Length of the bitmap in bytes, or -1 if the value occurs in only one row.
      instances:
        is_single:
          value: ofs_bitmap < 0
        row:
          value: -1 - ofs_bitmap
          if: is_single
          doc: The only row that contains the value.
        bitmap:
          pos: _parent.as<bitmap_block_v2>.bitmaps_start + ofs_bitmap.as<s8>
          size: len_bitmap
          type: roaring_bitmap_32
          if: not is_single
        shown:
          value: 'is_single ? "row " + row.to_s : "rows in a bitmap of " + len_bitmap.to_s + " bytes"'
      -webide-representation: '{key}: {shown}'
""",
    ),
    "bloom_filter_index": InlinedType(
        ("len_body",),
        ("position",),
        """\
bloom_filter_index:
  meta:
    endian: be
  doc: |
    The body of an index of type `bloom-filter`. Each value of a column sets some
    bits. If not all bits of a value are set, no row contains the value. Nulls
    set no bits.

    A value has a hash of 64 bits. Text and bytes use xxHash64 with seed 0.
    Numbers use Thomas Wang's integer hash, with shifts that keep the sign.

    h1 and h2 are the lower and upper half of the hash, each a signed 32-bit
    integer. For i from 1 to `num_hashes`, compute `h1 + i * h2` in 32 bits, and
    flip all bits if the result is negative. The bit to set is this number modulo
    the number of bits.

    Numbers are integers, the days of a DATE, the milliseconds of a TIME, and the
    bits of a FLOAT or DOUBLE as a signed integer. All NaNs have the same bits. A
    TIMESTAMP is in milliseconds up to precision 3, and in microseconds above it,
    so that precisions 7 to 9 are cut.
  doc-ref:
    - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
    - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bloomfilter/BloomFilterFileIndex.java
    - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/utils/BloomFilter64.java
  params:
    - id: len_body
      type: s4
      doc: |
        Length of the index in bytes, from the head of the file index. The number
        of bits follows from it.
  seq:
    - id: num_hashes
      -orig-id: numHashFunctions
      type: s4
      valid:
        min: 1
        max: 1079
      doc: Number of bits set for each value, up to 1079 with Java's smallest `fpp`.
    - id: bits_start
      type: position(_io.pos)
  instances:
    len_bits:
      value: len_body - 4
    num_bits:
      value: len_bits.as<s8> * 8
    bits:
      pos: bits_start.at
      size: len_bits
      doc: Bit i is the bit of value `1 << (i % 8)` in byte `i / 8`.
  -webide-representation: '{num_hashes:dec} hashes, {num_bits:dec} bits'
""",
    ),
    "bsi_index": InlinedType(
        ("column_type",),
        ("position", "roaring_bitmap_32", "readable_number"),
        """\
bsi_index:
  meta:
    endian: be
  doc: |
    The body of an index of type `bsi`. It stores the numbers of a column bit by
    bit. Each bit has a slice: the set of rows whose number has that bit set. A
    comparison therefore takes a few set operations for each bit.

    Numbers are integers, the days of a DATE, the milliseconds of a TIME, and the
    unscaled value of a DECIMAL. A TIMESTAMP is in milliseconds up to precision
    3, and in microseconds above it, so that precisions 7 to 9 are cut.

    A separate part contains the absolute values of negative numbers. A row in
    neither part is null.

    The format does not store the length of a part, so a reader finds each part
    only after the previous one.
  doc-ref:
    - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bsi/BitSliceIndexBitmapFileIndex.java
    - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/utils/BitSliceIndexRoaringBitmap.java
  params:
    - id: column_type
      type: u1
      doc: The type of the numbers, as in `readable_number`.
  seq:
    - id: head
      type: bsi_head
    - id: positive
      type: bsi_part(column_type, false)
      doc: Numbers from zero up.
    - id: negative
      type: bsi_part(column_type, true)
      doc: Absolute values of the negative numbers.
  types:
    bsi_head:
      seq:
        - id: version
          type: u1
          valid: 1
        - id: num_rows
          type: s4
          valid:
            min: 0
          doc: Number of rows in the data file, including null rows.
    bsi_part:
      doc: The numbers of one sign.
      seq:
        - id: head
          type: bsi_part_head(column_type, negated)
        - id: rows
          type: roaring_bitmap_32
          if: head.has_rows == 1
          doc: Rows whose number has this sign.
        - id: slices
          type: bsi_slices(true)
          if: head.has_rows == 1
      params:
        - id: column_type
          type: u1
        - id: negated
          type: bool
      -webide-representation: '{head}'
    bsi_part_head:
      seq:
        - id: has_rows
          type: u1
          valid:
            any-of:
              - 0
              - 1
        - id: version
          type: u1
          valid: 1
          if: has_rows == 1
        - id: min_start
          type: position(_io.pos)
        - id: min
          type: s8
          valid:
            min: 0
          if: has_rows == 1
          doc: The slices store each number minus `min`. Java always writes 0.
        - id: max_start
          type: position(_io.pos)
        - id: max
          type: s8
          valid:
            min: min
          if: has_rows == 1
        - id: rows_start
          type: position(_io.pos)
      -webide-representation: '{shown}'
      params:
        - id: column_type
          type: u1
        - id: negated
          type: bool
      instances:
        readable_min:
          pos: min_start.at
          type: readable_number(column_type, negated)
          if: has_rows == 1
        readable_max:
          pos: max_start.at
          type: readable_number(column_type, negated)
          if: has_rows == 1
        shown:
          value: 'has_rows != 1 ? "no rows" : (negated ? readable_max.text + " .. " + readable_min.text : readable_min.text + " .. " + readable_max.text)'
          doc: The least and the greatest number that may be in this part.
    bsi_slices:
      params:
        - id: with_bitmaps
          type: bool
          doc: If false, only the number of slices is read.
      seq:
        - id: num_bitmaps
          type: s4
          valid:
            min: 0
            max: 63
          doc: The number of bits in `max - min`.
        - id: bitmaps_start
          type: position(_io.pos)
        - id: bitmaps
          type: roaring_bitmap_32
          repeat: expr
          repeat-expr: num_bitmaps
          if: with_bitmaps
          doc: The slices of bit 0, bit 1, and so on.
""",
    ),
    "bucket_index": InlinedType(
        (),
        (),
        """\
bucket_index:
  meta:
    endian: be
  doc: |
    The hash codes of all primary keys in one bucket, in any order. The table's
    index manifest names the bucket. The format has no magic number.

    A hash code is that of the key as a `binary_row`, without partition columns.
  doc-ref: https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#dynamic-bucket-index
  seq:
    - id: hashes
      size: num_hashes * 4
    - id: trailing
      size-eos: true
      if: not _io.eof
      doc: |
        One to three bytes that are not a hash code. No known writer produces
        them, and Java ignores them.
  instances:
    num_hashes:
      value: _io.size / 4
    groups:
      pos: 0
      type: hash_group(_index * 1000, num_hashes)
      repeat: expr
      repeat-expr: (num_hashes + 999) / 1000
      doc: The hash codes, which are read a thousand at a time when they are looked at.
  types:
    hash_group:
      params:
        - id: first
          type: s8
        - id: num_hashes
          type: s8
          doc: In the whole file.
      instances:
        last:
          value: '(first + 1000 < num_hashes ? first + 1000 : num_hashes) - 1'
        hashes:
          pos: first * 4
          type: s4
          repeat: expr
          repeat-expr: last - first + 1
      -webide-representation: hash codes {first:dec} .. {last:dec}
""",
    ),
    "chunked_dictionary": InlinedType(
        ("column_type",),
        ("position", "typed_value"),
        """\
chunked_dictionary:
  meta:
    endian: be
  doc: |
    The distinct values of a column in ascending order. The position of a value,
    counted from 0, is its code. Values are stored in chunks, and the head of a
    chunk contains its first value. A search reads the heads, and then the values
    of one chunk.

    Strings are ordered by their unsigned bytes, and floating-point numbers as by
    `Float.compare` (-0.0 before 0.0, NaN last).
  doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/dictionary/chunked/ChunkedDictionary.java
  params:
    - id: column_type
      type: u1
      doc: The column's type, a value of the enum `typed_value::column_type`.
  seq:
    - id: len_head
      type: s4
      valid:
        min: 13
      doc: Length of the rest of the head in bytes.
    - id: head_start
      type: position(_io.pos)
    - id: version
      type: u1
      valid: 1
    - id: num_chunks
      -orig-id: size
      type: s4
      valid:
        min: 0
        max: 536870911
      doc: Four times as many still fit into `len_offsets`.
    - id: len_offsets
      -orig-id: offsetsLength
      type: s4
      valid: num_chunks * 4
      doc: Length of the offsets of all chunks in bytes.
    - id: len_chunks
      -orig-id: chunksLength
      type: s4
      valid:
        min: 0
      doc: Length of the heads of all chunks in bytes.
  instances:
    offsets_start:
      value: (head_start.at + len_head.as<s8>).as<s8>
    chunks_start:
      value: (offsets_start + len_offsets.as<s8>).as<s8>
    keys_start:
      value: (chunks_start + len_chunks.as<s8>).as<s8>
    heads:
      pos: offsets_start
      type: dictionary_chunks(num_chunks, column_type)
  types:
    dictionary_chunks:
      doc: The heads of all chunks, one after the other.
      params:
        - id: num_chunks
          type: s4
        - id: column_type
          type: u1
      seq:
        - id: ofs_chunks
          type: s4
          repeat: expr
          repeat-expr: num_chunks
          doc: Start of the head of each chunk, counted from the first one.
        - id: fixed_chunks
          type: fixed_chunk(column_type)
          repeat: expr
          repeat-expr: num_chunks
          if: named_type != key_type::string
        - id: text_chunks
          type: text_chunk(column_type)
          repeat: expr
          repeat-expr: num_chunks
          if: named_type == key_type::string
        - id: chunks_end
          type: position(_io.pos)
      instances:
        named_type:
          value: column_type
          enum: key_type
    fixed_chunk:
      doc: |
        The head of a chunk of values of a fixed size. `chunk-size`, 16 kB by
        default, limits the bytes of the keys after the first one. For BOOLEAN,
        TINYINT and SMALLINT, the limit is 0, so each value is a chunk.
      params:
        - id: column_type
          type: u1
      seq:
        - id: version
          type: u1
          valid: 1
        - id: key
          type: typed_value(column_type)
          doc: The first value of the chunk, not repeated in its keys.
        - id: code
          type: s4
          valid:
            min: 0
          doc: The code of the first value. The other values have the next codes.
        - id: ofs_keys
          -orig-id: offset
          type: s4
          valid:
            min: 0
          doc: Start of the keys, counted from the end of all heads.
        - id: num_keys
          -orig-id: size
          type: s4
          valid:
            min: 0
          doc: Number of values in the chunk after the first.
        - id: len_keys
          -orig-id: keysLength
          type: s4
          valid:
            min: 0
          doc: Length of the keys in bytes.
        - id: len_key
          -orig-id: fixedLength
          type: s4
          valid:
            min: 1
          doc: Length of a key in bytes.
      instances:
        keys:
          pos: _parent.as<dictionary_chunks>.chunks_end.at + ofs_keys.as<s8>
          type: dictionary_keys(num_keys, column_type)
      -webide-representation: from {key}, code {code:dec}
    text_chunk:
      doc: |
        The head of a chunk of strings. `chunk-size` limits both the bytes of the
        keys after the first one, and the bytes of their offsets.
      params:
        - id: column_type
          type: u1
      seq:
        - id: version
          type: u1
          valid: 1
        - id: key
          type: typed_value(column_type)
          doc: The first value of the chunk, not repeated in its keys.
        - id: code
          type: s4
          valid:
            min: 0
          doc: The code of the first value. The other values have the next codes.
        - id: ofs_keys
          -orig-id: offset
          type: s4
          valid:
            min: 0
          doc: Start of the keys, counted from the end of all heads.
        - id: num_keys
          -orig-id: size
          type: s4
          valid:
            min: 0
          doc: Number of values in the chunk after the first.
        - id: len_offsets
          -orig-id: offsetsLength
          type: s4
          valid:
            min: 0
          doc: Length of the offsets before the keys in bytes.
        - id: len_keys
          -orig-id: keysLength
          type: s4
          valid:
            min: 0
          doc: Length of the keys in bytes.
      instances:
        keys:
          pos: _parent.as<dictionary_chunks>.chunks_end.at + ofs_keys.as<s8>
          type: dictionary_keys(num_keys, column_type)
      -webide-representation: from {key}, code {code:dec}
    dictionary_keys:
      params:
        - id: num_keys
          type: s4
        - id: column_type
          type: u1
      seq:
        - id: ofs_keys
          type: s4
          repeat: expr
          repeat-expr: num_keys
          if: named_type == key_type::string
          doc: Start of each key, counted from the first.
        - id: keys
          type: dictionary_key(column_type)
          repeat: expr
          repeat-expr: num_keys
      instances:
        named_type:
          value: column_type
          enum: key_type
    dictionary_key:
      params:
        - id: column_type
          type: u1
      seq:
        - id: key
          type: typed_value(column_type)
      -webide-representation: '{key}'
  enums:
    key_type:
      8:
        id: string
        doc: |
          CHAR(n), VARCHAR(n) and STRING, with the same number as in
          `typed_value`. Keys of all other types there have a fixed size.
""",
    ),
    "compact_thrift": InlinedType(
        ("depth",),
        ("varint",),
        """\
compact_thrift:
  meta:
    endian: le
  doc: |
    The encoded fields of a struct, by their numbers, up to its end. Only the
    definition of the struct names the fields. The footers and page headers of
    Parquet files are such structs.

    An element of a collection takes at least one byte, so a wrong count cannot
    make a reader create more elements than bytes follow. This spec limits the
    nesting of structs and collections to a depth of 32; the protocol has no
    limit.
  doc-ref: https://github.com/apache/thrift/blob/054a0fa0fc851f53ea49091edc5801292bcccdb5/doc/specs/thrift-compact-protocol.md
  params:
    - id: depth
      type: u1
      doc: The number of structs and collections around this one.
  seq:
    - id: fields
      type: 'thrift_field(_index == 0 ? (0).as<s8> : fields[_index - 1].number, depth)'
      repeat: until
      repeat-until: _.is_stop
  types:
    thrift_field:
      params:
        - id: previous
          type: s8
          doc: The number of the previous field in the struct, or 0.
        - id: depth
          type: u1
      seq:
        - id: head
          type: thrift_field_head(previous, depth)
        - id: value
          type: thrift_value(head.kind, false, depth)
          if: not head.is_stop
      instances:
        number:
          value: head.number
        is_stop:
          value: head.is_stop
      -webide-representation: '{number:dec}'
    thrift_field_head:
      params:
        - id: previous
          type: s8
        - id: depth
          type: u1
      seq:
        - id: head
          type: u1
          valid:
            max: 'depth < 32 and kind >= 1 and kind <= 13 ? 255 : 0'
          doc: |
            The upper four bits are the difference between this number and the
            previous one, or 0 if the number itself follows. The lower four bits
            are the kind of the value. A byte 0 ends the struct.
        - id: long_number
          type: varint
          if: head != 0 and head < 16
      instances:
        is_stop:
          value: head == 0
        kind:
          value: (head & 15).as<u1>
          doc: A value of the enum `thrift_kind`.
        number:
          value: 'head != 0 and head < 16 ? long_number.zigzag : (previous + (head / 16).as<s8>).as<s8>'
          doc: The number of the field in the struct.
    thrift_value:
      params:
        - id: kind
          type: u1
          doc: A value of the enum `thrift_kind`.
        - id: is_element
          type: bool
          doc: |
            Whether the value is in a collection. In a collection, a bool takes a
            byte; in a field, the kind is the value.
        - id: depth
          type: u1
      seq:
        - id: truth
          type: u1
          valid:
            max: 2
          if: is_element and (named_kind == thrift_kind::bool_true or named_kind == thrift_kind::bool_false)
          doc: 1 is true. For false, writers use 0 or 2.
        - id: int_8
          type: s1
          if: named_kind == thrift_kind::int_8
        - id: integer
          type: varint
          if: named_kind == thrift_kind::int_16 or named_kind == thrift_kind::int_32 or named_kind == thrift_kind::int_64
          doc: The number is its `zigzag`.
        - id: real
          type: f8
          if: named_kind == thrift_kind::double
        - id: len_body
          type: varint
          if: named_kind == thrift_kind::binary
        - id: body
          size: len_body.value
          if: named_kind == thrift_kind::binary
          doc: Bytes, or text in UTF-8.
        - id: collection
          type: thrift_collection(depth + 1)
          if: named_kind == thrift_kind::list or named_kind == thrift_kind::set
        - id: mapping
          type: thrift_mapping(depth + 1)
          if: named_kind == thrift_kind::map
        - id: nested
          type: compact_thrift(depth + 1)
          if: named_kind == thrift_kind::struct
        - id: uuid
          size: 16
          if: named_kind == thrift_kind::uuid
      instances:
        named_kind:
          value: kind
          enum: thrift_kind
    thrift_collection:
      doc: A list or a set.
      params:
        - id: depth
          type: u1
      seq:
        - id: head
          type: u1
          valid:
            max: 'depth < 32 and kind >= 1 and kind <= 13 ? 255 : 0'
          doc: |
            The upper four bits are the number of elements, or 15 if the number
            follows. The lower four bits are the kind of the elements.
        - id: long_count
          type: varint
          if: head >= 240
        - id: elements
          type: thrift_value(kind, true, depth)
          repeat: expr
          repeat-expr: num_elements
      instances:
        kind:
          value: (head & 15).as<u1>
        num_elements:
          value: 'head >= 240 ? long_count.value.as<s8> : (head / 16).as<s8>'
      -webide-representation: '{num_elements:dec} elements'
    thrift_mapping:
      params:
        - id: depth
          type: u1
      seq:
        - id: num_pairs
          type: varint
        - id: kinds
          type: u1
          valid:
            min: 17
            max: 'depth < 32 and key_kind >= 1 and key_kind <= 13 and value_kind >= 1 and value_kind <= 13 ? 255 : 0'
          if: num_pairs.value > 0
          doc: |
            The upper four bits are the kind of the keys, and the lower four bits
            the kind of the values.
        - id: pairs
          type: thrift_pair(key_kind, value_kind, depth)
          repeat: expr
          repeat-expr: num_pairs.value
          if: num_pairs.value > 0
      instances:
        key_kind:
          value: (kinds / 16).as<u1>
          if: num_pairs.value > 0
        value_kind:
          value: (kinds & 15).as<u1>
          if: num_pairs.value > 0
    thrift_pair:
      params:
        - id: key_kind
          type: u1
        - id: value_kind
          type: u1
        - id: depth
          type: u1
      seq:
        - id: key
          type: thrift_value(key_kind, true, depth)
        - id: value
          type: thrift_value(value_kind, true, depth)
      -webide-representation: '{key} {value}'
  enums:
    thrift_kind:
      1: bool_true
      2: bool_false
      3: int_8
      4: int_16
      5: int_32
      6: int_64
      7: double
      8: binary
      9: list
      10: set
      11: map
      12: struct
      13: uuid
""",
    ),
    "deletion_vectors": InlinedType(
        (),
        ("position", "roaring_bitmap_32", "roaring_bitmap_64"),
        """\
deletion_vectors:
  meta:
    endian: be
  doc: |
    The deleted rows of data files: one vector for each data file. The file does
    not contain the names of the data files. Instead, the table's index manifest
    lists the data file, offset, length and number of rows of each vector.

    A file may contain vectors of both kinds. The meaning of the length in the
    index manifest depends on the kind. For 32 bits, it is `len_data`. For 64
    bits, it is the length of the whole vector, `len_data` + 8.
  doc-ref: https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#deletion-vectors
  seq:
    - id: version
      type: u1
      valid: 1
    - id: vectors
      type: deletion_vector
      repeat: eos
  types:
    deletion_vectors_head:
      doc: |
        The first field alone, for readers that get the position of a vector from
        the manifest.
      seq:
        - id: version
          type: u1
          valid: 1
    deletion_vector:
      seq:
        - id: len_data
          type: s4
          valid:
            min: 12
        - id: data
          size: len_data
          type: deletion_vector_data
        - id: crc32
          type: u4
          doc: |
            zlib's CRC-32 of `data`. Kaitai Struct cannot check it, so readers
            have to. Java writes it, but never checks it.
      -webide-representation: '{data.kind}, {len_data:dec} bytes'
    deletion_vector_data:
      seq:
        - id: kind
          type: u4
          enum: vector_kind
          valid:
            any-of:
              - vector_kind::bits_32
              - vector_kind::bits_64
        - id: bitmap_32
          type: roaring_bitmap_32
          if: kind == vector_kind::bits_32
          doc: Positions of the deleted rows, counted from 0.
        - id: bitmap_64
          type: roaring_bitmap_64
          if: kind == vector_kind::bits_64
          doc: Positions of the deleted rows, counted from 0.
    deletion_vector_start:
      doc: |
        The fields of a `deletion_vector` before its bitmap. Like
        `deletion_vector_end`, this is an alternative view for code that passes
        Roaring bitmaps to a library, and checks or computes the CRC itself.
      seq:
        - id: len_data
          type: s4
          valid:
            min: 12
        - id: kind
          type: u4
          enum: vector_kind
          valid:
            any-of:
              - vector_kind::bits_32
              - vector_kind::bits_64
    deletion_vector_end:
      doc: The field of a `deletion_vector` after its bitmap.
      seq:
        - id: crc32
          type: u4
  enums:
    vector_kind:
      1581511376:
        id: bits_32
        doc: The number 1581511376, big-endian.
      3520280932:
        id: bits_64
        doc: The number 1681511377, little-endian as in Iceberg.
""",
    ),
    "file_index": InlinedType(
        (),
        ("java_utf8", "position"),
        """\
file_index:
  meta:
    endian: be
  doc: |
    The indexes of one data file. The head lists the indexes of each column and
    their positions. The bodies of the indexes follow, one after another. Paimon
    stores this file next to the data file as `<data file>.index`. If it is not
    larger than `file-index.in-manifest-threshold`, it is embedded in the
    manifest entry instead.

    The file contains the names of columns and index types, but not the column
    types. A reader needs the table's schema to interpret a body. The format has
    no checksum.

    The Java reader uses `len_head` only to find the end of the head. It ignores
    bytes after the listed columns, and bytes after the last body. If a column is
    listed twice, the indexes of both entries count. If an index type is listed
    twice for a column, only the last entry counts.
  doc-ref:
    - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
    - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/FileIndexFormat.java
  seq:
    - id: magic
      contents:
        - 0
        - 5
        - 78
        - 78
        - 208
        - 26
        - 53
        - 174
      doc: 1493475289347502 as an int64, the same in each file index.
    - id: version
      type: s4
      valid: 1
    - id: len_head
      type: s4
      valid:
        min: 20
      doc: Length in bytes from the start of the file to the end of the head.
    - id: head_start
      type: position(_io.pos)
    - id: head
      size: len_head.as<s8> - head_start.at
      type: file_index_head
    - id: head_end
      type: position(_io.pos)
  types:
    file_index_head:
      seq:
        - id: num_columns
          type: s4
          valid:
            min: 0
        - id: columns
          type: file_index_column
          repeat: expr
          repeat-expr: num_columns
        - id: len_redundant
          type: s4
          valid:
            min: 0
          if: not _io.eof
          doc: |
            Reserved for later versions, and 0 in this one. The Java reader does
            not read this field, so a head may end before it.
        - id: redundant
          size: len_redundant
          if: not _io.eof
          doc: Reserved for later versions. Readers of this version skip it.
    file_index_column:
      doc: |
        A column of the table, or one key of a MAP column, which is named
        `column[key]`.
      seq:
        - id: name
          type: java_utf8
        - id: num_indexes
          type: s4
          valid:
            min: 0
        - id: indexes
          type: file_index_entry
          repeat: expr
          repeat-expr: num_indexes
      -webide-representation: "'{name}'"
    file_index_entry:
      doc: One index of a column.
      seq:
        - id: index_type
          type: java_utf8
          doc: |
            `bitmap`, `bloom-filter`, `bsi`, `range-bitmap`, or a type that a
            plug-in adds.
        - id: ofs_body
          type: s4
          valid:
            min: -1
          doc: |
            Start of the body, counted from the start of the file. -1 means
            EMPTY: no row was written to the index, and it has no body.
        - id: len_body
          type: s4
          doc: |
            Length of the body in bytes, or 0 if EMPTY. Only bloom filters need
            it. The end of other indexes follows from their content, and Java
            ignores this length for them.
      instances:
        is_empty:
          value: ofs_body == -1
        body:
          io: _root._io
          pos: ofs_body
          size: len_body
          if: not is_empty
          doc: The index itself, in the layout of its index type.
        shown:
          value: 'is_empty ? "EMPTY" : len_body.to_s + " bytes at byte " + ofs_body.to_s'
      -webide-representation: '{index_type}: {shown}'
""",
    ),
    "file_kind": InlinedType(
        (),
        (),
        """\
file_kind:
  meta:
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
    - id: content
      size: _io.size - 12
    - id: end
      type: file_end
  types:
    file_start:
      seq:
        - id: number
          type: u4
      instances:
        magic:
          value: number
          enum: start_magic
        short_magic:
          value: number & 0xffffff
          enum: start_magic
          doc: The magic number of ORC files, which has only three bytes.
        len_start:
          value: 4
      -webide-representation: '{magic}'
    file_end:
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
        magic_before:
          value: number_before
          enum: end_magic
          doc: The magic number of FM indexes.
        len_end:
          value: 8
      -webide-representation: '{magic}'
  enums:
    start_magic:
      4411983:
        id: orc
        doc: The letters ORC.
      827474256:
        id: parquet
        doc: The letters PAR1, also at the end of the file.
      23749199:
        id: avro
        doc: The letters Obj, and the version.
      1313735936:
        id: file_index
        doc: The first half of the magic number in `file_index`.
      1481511375:
        id: blob
        doc: The number 1481511375, which every blob in the file starts with.
      1380729424:
        id: blobref
        doc: The letters PBLR.
      1129532752:
        id: sidecar
        doc: The letters PMSC.
      1230390860:
        id: ivf_flat
        doc: The letters IVFL, in reverse.
      1230393425:
        id: ivf_pq
        doc: The letters IVPQ, in reverse.
      1230394193:
        id: ivf_sq
        doc: The letters IVSQ, in reverse.
      1230393937:
        id: ivf_rq
        doc: The letters IVRQ, in reverse.
      1313751364:
        id: diskann
        doc: The letters DANN.
      1230259792:
        id: full_text
        doc: The first half of the letters PFTIDX01.
    end_magic:
      1346524233:
        id: btree
        doc: The letters ITBP. The version, 1 or 2, is before them.
      198732882:
        id: old_btree
        doc: The number 198732882, in snapshots of Paimon 1.4 before March 2026.
      1481197378:
        id: bitmap
        doc: The letters BGIX. Indexes of the type `multivalue` also have them.
      1481198918:
        id: fm
        doc: The letters FMIX.
      1481571681:
        id: lookup
        doc: The number 1481571681.
      1380931411:
        id: row
        doc: The letters ROWS, in reverse.
      1095978829:
        id: mosaic
        doc: The letters MOSA.
      1180193878:
        id: vortex
        doc: The letters VTXF, also at the start of the file.
      1129201996:
        id: lance
        doc: The letters LANC.
      21972292:
        id: video
        doc: The end of the letters IDEO, and the version.
""",
    ),
    "java_utf8": InlinedType(
        (),
        (),
        """\
java_utf8:
  meta:
    endian: be
  doc: |
    A string in the format of `java.io.DataOutput.writeUTF`: a length in bytes,
    then "modified UTF-8". This encoding differs from UTF-8 in two ways. NUL is
    the two bytes `C0 80`, and a character outside the basic plane is a pair of
    surrogates of three bytes each. Kaitai's string decoders do not support this,
    so the field contains the bytes, and the reader has to decode them.
  doc-ref: https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/io/DataInput.html#modified-utf-8
  seq:
    - id: len_value
      type: u2
      doc: Length of the encoded string in bytes (not characters).
    - id: value
      size: len_value
      doc: The string in modified UTF-8.
  instances:
    shown:
      value: value.to_s("UTF-8")
      doc: |
        The text. NUL and characters outside the basic plane, which modified UTF-8
        stores in another form than UTF-8, are replacement characters.
  -webide-representation: '{shown}'
""",
    ),
    "orc_metadata": InlinedType(
        (),
        (),
        """\
orc_metadata:
  meta:
    endian: le
  doc: |
    The chunks that contain the footer of a compressed ORC file, or the footers
    of its stripes. The messages in them, and the postscript, which is never
    compressed, are Protocol Buffers (`protobuf`). The enums list the numbers of
    the fields that contain positions. Libraries read the rest of the file.

    An ORC file ends with the stripes, their statistics, the footer, the
    postscript, and a byte with the length of the postscript.
  doc-ref: https://orc.apache.org/specification/ORCv1/
  seq:
    - id: chunks
      type: orc_chunk
      repeat: eos
  types:
    orc_chunk:
      seq:
        - id: low
          type: u1
          doc: |
            The lowest bit is 1 if the body is not compressed. The other bits are
            the lowest seven bits of the length of the body.
        - id: high
          type: u2
          doc: The upper bits of the length.
        - id: body
          size: len_body
      instances:
        is_original:
          value: (low & 1) == 1
          doc: The body is not compressed, because compression would have made it longer.
        len_body:
          value: high.as<s4> * 128 + low.as<s4> / 2
      -webide-representation: '{len_body:dec} bytes'
    orc_end:
      doc: The last byte of a file.
      seq:
        - id: len_postscript
          type: u1
    orc_seconds:
      doc: |
        The integers in the stream DATA of timestamps. This stream can be read as
        that of LONGs.
      seq: []
      instances:
        epoch:
          value: 1420070400
          doc: 2015-01-01 in seconds since 1970. The integers are seconds since then.
  enums:
    orc_postscript_field:
      1: len_footer
      2: compression
      3: len_block
      5: len_statistics
      8000: magic
    orc_footer_field:
      3: stripes
      4: types
    orc_type_field:
      1: kind
    orc_kind:
      4: long
      9: timestamp
      18: timestamp_instant
    orc_stripe_field:
      1: ofs_stripe
      2: len_index
      3: len_data
      4: len_footer
      5: num_rows
    orc_compression:
      0: none
      1: zlib
      2: snappy
      3: lzo
      4: lz4
      5: zstd
""",
    ),
    "parquet_metadata": InlinedType(
        (),
        ("compact_thrift",),
        """\
parquet_metadata:
  meta:
    endian: le
  doc: |
    The frame of a Parquet file's metadata. This is a Parquet file without data,
    like Parquet's `_metadata` files. Arrow reads it instead of the end of a data
    file.

    The footer is the struct `FileMetaData` of parquet.thrift, in Thrift's
    compact protocol. In data files, each page starts with the struct
    `PageHeader`. The enums list the numbers of the fields that readers use.
  doc-ref:
    - https://github.com/apache/parquet-format/blob/c01e00313ea7f5eb60f5329b445d9bb0d5902175/README.md
    - https://github.com/apache/parquet-format/blob/010f49b89eab98b498986709be5fedaaf2ea916f/src/main/thrift/parquet.thrift
  seq:
    - id: magic
      type: u4
      valid: 827474256
      doc: The letters PAR1.
    - id: footer
      size: _io.size - 12
      type: compact_thrift(0)
    - id: len_footer
      type: u4
    - id: magic_end
      type: u4
      valid: 827474256
  types:
    parquet_metadata_start:
      doc: |
        The field before the footer. Like `parquet_metadata_end`, it is for code
        that needs no objects.
      seq:
        - id: magic
          type: u4
          valid: 827474256
    parquet_metadata_end:
      seq:
        - id: len_footer
          type: u4
        - id: magic
          type: u4
          valid: 827474256
    parquet_timestamps:
      doc: Values of the physical type INT96, each a timestamp.
      seq:
        - id: values
          type: parquet_timestamp
          repeat: eos
      instances:
        first_day:
          value: 2440588
          doc: The Julian day that begins at noon on 1970-01-01.
    parquet_timestamp:
      seq:
        - id: nanos
          type: s8
          doc: Nanoseconds since midnight. Java writes negative ones before 1970.
        - id: day
          type: s4
          doc: The Julian day that begins at noon.
      -webide-representation: day {day:dec}, {nanos:dec} ns
  enums:
    parquet_file_field:
      1: version
      2: schema
    parquet_schema_field:
      1: type
      2: len_type
      4: name
      6: converted_type
      7: scale
      8: precision
      10: logical_type
    parquet_type:
      3: int96
      7: fixed_len_byte_array
    parquet_logical_type:
      1: string
      2: map
      3: list
      4: enum
      5: decimal
      6: date
      7: time
      8: timestamp
      10: integer
      11: unknown
      12: json
      13: bson
      14: uuid
      15: float16
    parquet_page_field:
      5: data_page_header
      8: data_page_header_v2
    parquet_data_page_field:
      2: encoding
    parquet_data_page_v2_field:
      4: encoding
    parquet_encoding:
      0: plain
      2: plain_dictionary
      3: rle
      4: bit_packed
      5: delta_binary_packed
      6: delta_length_byte_array
      7: delta_byte_array
      8: rle_dictionary
      9: byte_stream_split
""",
    ),
    "placed_vector": InlinedType(
        ("data_file", "offset", "num_rows"),
        ("deletion_vectors",),
        """\
placed_vector:
  doc: The vector of a data file, at the place in the table's index manifest.
  params:
    - id: data_file
      type: str
    - id: offset
      type: s8
    - id: num_rows
      type: s8
  instances:
    vector:
      pos: offset
      type: deletion_vectors::deletion_vector
  -webide-representation: '{data_file}: {num_rows:dec} rows at byte {offset:dec}'
""",
    ),
    "position": InlinedType(
        ("at",),
        (),
        """\
position:
  doc: |
    A field without bytes that remembers its own position. Paimon's formats count
    offsets from places that depend on previous fields, such as "the end of the
    dictionary". A field of this type marks such a place, and instances are
    positioned relative to it.
  params:
    - id: at
      type: s8
      doc: Offset of this field in the stream.
  -webide-representation: byte {at:dec}
""",
    ),
    "protobuf": InlinedType(
        (),
        ("varint",),
        """\
protobuf:
  meta:
    endian: le
  doc: |
    The encoded fields of a message, by their numbers. Only the schema of the
    message defines the meaning and the types of the fields. The footers of ORC
    files are such messages.
  doc-ref: https://protobuf.dev/programming-guides/encoding/
  seq:
    - id: fields
      type: protobuf_field
      repeat: eos
  types:
    protobuf_field:
      seq:
        - id: tag
          type: varint
        - id: varint
          type: varint
          if: wire_type == 0
        - id: fixed_64
          type: u8
          if: wire_type == 1
        - id: len_body
          type: varint
          if: wire_type == 2
        - id: body
          size: len_body.value
          if: wire_type == 2
          doc: A message, text, bytes or several numbers.
        - id: fixed_32
          type: u4
          if: wire_type == 5
      instances:
        number:
          value: (tag.value / (8).as<u8>).as<u8>
          doc: The number of the field in the message.
        wire_type:
          value: tag.b0 & 7
          doc: Other types are not in use.
      -webide-representation: '{number:dec}'
""",
    ),
    "range_bitmap_index": InlinedType(
        ("column_type",),
        ("position", "typed_value", "chunked_dictionary", "bit_slice_index"),
        """\
range_bitmap_index:
  meta:
    endian: be
  doc: |
    The body of an index of type `range-bitmap`. A dictionary contains the
    distinct values in ascending order. The index stores, bit by bit, the
    position of each row's value in the dictionary. A range of values is a range
    of positions, so it takes a few set operations for each bit to find its rows.

    A DECIMAL is stored as its unscaled value, like a BIGINT.
  doc-ref:
    - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
    - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/RangeBitmap.java
  params:
    - id: column_type
      type: u1
      doc: |
        The column's type, a value of the enum `typed_value::column_type`. If it
        is 0 (unknown), nothing after `num_values` can be read.
  seq:
    - id: len_head
      type: s4
      valid:
        min: 13
      doc: Length of the rest of the head in bytes.
    - id: head_start
      type: position(_io.pos)
    - id: version
      type: u1
      valid: 1
    - id: num_rows
      -orig-id: rid
      type: s4
      valid:
        min: 0
      doc: Number of rows in the data file, including null rows.
    - id: num_values
      -orig-id: cardinality
      type: s4
      valid:
        min: 0
      doc: Number of distinct values, without null.
    - id: min
      type: typed_value(column_type)
      if: num_values > 0
    - id: max
      type: typed_value(column_type)
      if: num_values > 0
    - id: len_dictionary
      type: s4
      valid:
        min: 17
      if: column_type != 0
    - id: head_end
      type: position(_io.pos)
  instances:
    dictionary:
      pos: head_start.at + len_head.as<s8>
      type: chunked_dictionary(column_type)
    slices:
      pos: (head_start.at + len_head.as<s8>).as<s8> + len_dictionary.as<s8>
      type: bit_slice_index
  -webide-representation: '{min} .. {max}, {num_values:dec} values, {num_rows:dec} rows'
""",
    ),
    "readable_number": InlinedType(
        ("column_type", "negated"),
        (),
        """\
readable_number:
  meta:
    endian: be
  doc: |
    Another view of a signed integer of eight bytes: its value as text, as the
    type of its column has it. JavaScript's numbers are exact up to 2^53, so the
    halves are read, and digits computed from each. In languages whose integers
    here have 32 bits, the text is wrong for large values.
  params:
    - id: column_type
      type: u1
      doc: |
        A number of the enum `typed_value::column_type`. From 100 on it is a
        DECIMAL, whose scale is the number minus 100. 0 is any integer.
    - id: negated
      type: bool
      doc: True if the bytes are the absolute value of a number below zero.
  seq:
    - id: upper_half
      type: u4
    - id: lower_half
      type: u4
  instances:
    is_negative:
      value: negated or upper_half >= 0x80000000
    lower:
      value: 'upper_half < 0x80000000 ? lower_half : (lower_half == 0 ? 0 : 4294967296 - lower_half)'
      doc: Half of the absolute value, like `upper`.
    upper:
      value: 'upper_half < 0x80000000 ? upper_half : 4294967295 - upper_half + (lower_half == 0 ? 1 : 0)'
    rest:
      value: upper * 967296 + lower
      doc: 2^32 is 4,294 millions and 967,296.
    millions:
      value: upper * 4294 + rest / 1000000
    below_million:
      value: rest % 1000000
    digits:
      value: 'millions > 0 ? millions.to_s + (1000000 + below_million).to_s.substring(1, 7) : below_million.to_s'
    scale:
      value: 'column_type > 100 ? column_type - 100 : 0'
    padded:
      value: 'digits.length > scale ? digits : "0000000000000000000000000000000000000000".substring(0, scale + 1 - digits.length) + digits'
    decimal:
      value: '(is_negative and (millions > 0 or below_million > 0) ? "-" : "") + (scale == 0 ? digits : padded.substring(0, padded.length - scale) + "." + padded.substring(padded.length - scale, padded.length))'
    is_micros:
      value: column_type == 12
    fraction_of_absolute:
      value: 'is_micros ? below_million : below_million % 1000'
    is_borrowed:
      value: is_negative and fraction_of_absolute > 0
    seconds:
      value: '(is_negative ? -1 : 1) * (is_micros ? millions : millions * 1000 + below_million / 1000) - (is_borrowed ? 1 : 0)'
      doc: Of a TIME or TIMESTAMP, rounded down.
    fraction:
      value: 'is_borrowed ? (is_micros ? 1000000 : 1000) - fraction_of_absolute : fraction_of_absolute'
    days:
      value: 'column_type == 9 ? (is_negative ? -1 : 1) * (millions * 1000000 + below_million) : seconds / 86400'
    date:
      pos: 0
      type: readable_date(days)
    time:
      pos: 0
      type: readable_time(seconds - days * 86400, fraction, is_micros)
    text:
      value: 'column_type < 9 or column_type >= 100 ? decimal : (column_type == 9 ? date.text : (column_type == 10 ? time.text : date.text + " " + time.text))'
  types:
    readable_date:
      doc: A day of the proleptic Gregorian calendar, without bytes.
      doc-ref: https://howardhinnant.github.io/date_algorithms.html#civil_from_days
      params:
        - id: days
          type: s8
          doc: Since 1970-01-01.
      instances:
        from_march_0000:
          value: days + 719468
        era:
          value: from_march_0000 / 146097
        day_of_era:
          value: from_march_0000 - era * 146097
        year_of_era:
          value: (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365
        day_of_year:
          value: day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100)
        month_from_march:
          value: (5 * day_of_year + 2) / 153
        day:
          value: day_of_year - (153 * month_from_march + 2) / 5 + 1
        month:
          value: 'month_from_march < 10 ? month_from_march + 3 : month_from_march - 9'
        year:
          value: 'year_of_era + era * 400 + (month <= 2 ? 1 : 0)'
        text:
          value: '(year >= 0 and year <= 9999 ? (10000 + year).to_s.substring(1, 5) : year.to_s) + "-" + (100 + month).to_s.substring(1, 3) + "-" + (100 + day).to_s.substring(1, 3)'
      -webide-representation: '{text}'
    readable_time:
      doc: A time of a day, without bytes.
      params:
        - id: seconds
          type: s8
        - id: fraction
          type: s8
          doc: Milliseconds, or microseconds.
        - id: is_micros
          type: bool
      instances:
        text:
          value: '(100 + seconds / 3600).to_s.substring(1, 3) + ":" + (100 + seconds / 60 % 60).to_s.substring(1, 3) + ":" + (100 + seconds % 60).to_s.substring(1, 3) + "." + (is_micros ? (1000000 + fraction).to_s.substring(1, 7) : (1000 + fraction).to_s.substring(1, 4))'
      -webide-representation: '{text}'
  -webide-representation: '{text}'
""",
    ),
    "roaring_bitmap_32": InlinedType(
        (),
        ("position",),
        """\
roaring_bitmap_32:
  meta:
    endian: le
  doc: |
    A compressed set of unsigned 32-bit integers, in the format that all Roaring
    libraries support. The integers are grouped by their upper 16 bits, the key.
    Each group has a container for the lower 16 bits: a sorted array, a bitset,
    or runs.

    The format is little-endian, even inside big-endian formats such as Paimon's.
    Writers may use runs if they are smaller, so both kinds of header occur.
  doc-ref: https://github.com/RoaringBitmap/RoaringFormatSpec/blob/5177ad987c5f6f920179ec81f764438d4451357c/README.md#standard-32-bit-roaring-bitmap
  seq:
    - id: bitmap_start
      type: position(_io.pos)
    - id: header
      type: roaring_header
    - id: containers
      type: |-
        roaring_container(
          header.has_runs and ((header.run_flags[_index / 8] >> (_index % 8)) & 1) == 1,
          header.descriptors[_index].cardinality,
          header.descriptors[_index].key,
          _io.pos)
      repeat: expr
      repeat-expr: header.num_containers
    - id: bitmap_end
      type: position(_io.pos)
  types:
    roaring_header:
      seq:
        - id: cookie
          type: u2
          valid:
            any-of:
              - 12346
              - 12347
          doc: |
            12347 if any container has runs, otherwise 12346. In the format, the
            cookie has four bytes; the upper two are the next field here.
        - id: num_containers_minus_1
          type: u2
          valid:
            max: '(has_runs ? 65535 : 0).as<u2>'
          doc: With runs, the number of containers minus one; otherwise 0.
        - id: num_containers_without_runs
          type: u4
          valid:
            max: 65536
          if: not has_runs
        - id: run_flags
          size: (num_containers + 7) / 8
          if: has_runs
          doc: |
            A bit for each container, least significant first. It is 1 if the
            container has runs.
        - id: descriptors
          type: roaring_descriptor
          repeat: expr
          repeat-expr: num_containers
        - id: ofs_containers
          type: u4
          repeat: expr
          repeat-expr: num_containers
          if: has_offsets
          doc: |
            Start of each container, counted from the start of the bitmap. This
            field is absent if there are runs and fewer than 4 containers.
      instances:
        has_runs:
          value: cookie == 12347
        num_containers:
          value: 'has_runs ? (num_containers_minus_1.as<s8> + 1).as<s8> : num_containers_without_runs.as<s8>'
        has_offsets:
          value: not has_runs or num_containers >= 4
    roaring_descriptor:
      seq:
        - id: key
          type: u2
          doc: Upper 16 bits of the container's integers, in ascending order.
        - id: cardinality_minus_1
          type: u2
      instances:
        cardinality:
          value: (cardinality_minus_1.as<s4> + 1).as<s4>
      -webide-representation: '{key:dec}: {cardinality:dec} values'
    roaring_container:
      params:
        - id: is_run
          type: bool
        - id: cardinality
          type: s4
        - id: key
          type: u2
        - id: start
          type: s8
          doc: Where the container starts.
      seq:
        - id: num_runs
          type: u2
          if: is_run
        - id: runs
          if: is_run
          doc: The runs ascend, and no two of them are adjacent.
          size: num_runs * 4
        - id: values
          if: not is_run and cardinality <= max_values
          doc: Lower 16 bits of the integers, ascending.
          size: cardinality * 2
        - id: words
          if: not is_run and cardinality > max_values
          doc: |
            A bit for each of 65,536 integers. Integer i is bit i % 64, least
            significant first, of word i / 64.
          size: 8192
      instances:
        max_values:
          value: (4096).as<s4>
          doc: The most integers that are stored as `values`.
        len_words:
          value: 8192
          doc: Size of `words` in bytes.
        base:
          value: key * 65536
          doc: The least integer that the container can have.
        rows:
          pos: start
          type: roaring_rows(is_run, cardinality, base)
      -webide-representation: '{cardinality:dec} rows from {base:dec} on'
      doc: Its integers are read when they are looked at, in `rows`.
    roaring_plain_header:
      doc: |
        The header of a bitmap without runs. This is an alternative view of
        `roaring_header`, for code that writes many headers at once.
      seq:
        - id: cookie
          type: u4
          valid: 12346
        - id: num_containers
          type: u4
          valid:
            max: 65536
        - id: descriptors
          type: roaring_descriptor
          repeat: expr
          repeat-expr: num_containers
        - id: ofs_containers
          type: u4
          repeat: expr
          repeat-expr: num_containers
    roaring_run_count:
      doc: |
        The first field of a container with runs. This is an alternative view, for
        readers that need only its size.
      seq:
        - id: num_runs
          type: u2
      -webide-representation: '{num_runs:dec} runs'
    roaring_run:
      seq:
        - id: first
          type: u2
        - id: len_minus_1
          type: u2
          doc: The number of integers in the run minus one.
      instances:
        last:
          value: first.as<s4> + len_minus_1.as<s4>
      -webide-representation: '{first:dec} .. {last:dec}'
    roaring_rows:
      doc: The integers of a container; in an index, rows.
      params:
        - id: is_run
          type: bool
        - id: cardinality
          type: s4
        - id: base
          type: s8
      seq:
        - id: num_runs
          type: u2
          if: is_run
        - id: runs
          type: rows_of_run(base)
          repeat: expr
          repeat-expr: num_runs
          if: is_run
        - id: values
          type: row_of_value(base)
          repeat: expr
          repeat-expr: cardinality
          if: not is_run and cardinality <= 4096
        - id: words
          type: rows_of_word(base + _index * 16)
          repeat: expr
          repeat-expr: 4096
          if: not is_run and cardinality > 4096
      -webide-representation: '{cardinality:dec} rows'
    rows_of_run:
      params:
        - id: base
          type: s8
      seq:
        - id: first
          type: u2
        - id: len_minus_1
          type: u2
      instances:
        first_row:
          value: base + first
        last_row:
          value: base + first + len_minus_1
      -webide-representation: rows {first_row:dec} .. {last_row:dec}
    row_of_value:
      params:
        - id: base
          type: s8
      seq:
        - id: value
          type: u2
      instances:
        row:
          value: base + value
      -webide-representation: row {row:dec}
    rows_of_word:
      doc: Sixteen bits of a bitset, the lowest one first.
      params:
        - id: base
          type: s8
      seq:
        - id: bits
          type: u2
      instances:
        shown:
          value: '(bits == 0 ? " none" : "") + ((bits & 1) != 0 ? " " + base.to_s : "") + ((bits & 2) != 0 ? " " + (base + 1).to_s : "") + ((bits & 4) != 0 ? " " + (base + 2).to_s : "") + ((bits & 8) != 0 ? " " + (base + 3).to_s : "") + ((bits & 16) != 0 ? " " + (base + 4).to_s : "") + ((bits & 32) != 0 ? " " + (base + 5).to_s : "") + ((bits & 64) != 0 ? " " + (base + 6).to_s : "") + ((bits & 128) != 0 ? " " + (base + 7).to_s : "") + ((bits & 256) != 0 ? " " + (base + 8).to_s : "") + ((bits & 512) != 0 ? " " + (base + 9).to_s : "") + ((bits & 1024) != 0 ? " " + (base + 10).to_s : "") + ((bits & 2048) != 0 ? " " + (base + 11).to_s : "") + ((bits & 4096) != 0 ? " " + (base + 12).to_s : "") + ((bits & 8192) != 0 ? " " + (base + 13).to_s : "") + ((bits & 16384) != 0 ? " " + (base + 14).to_s : "") + ((bits & 32768) != 0 ? " " + (base + 15).to_s : "")'
      -webide-representation: rows{shown}
  -webide-representation: '{header.num_containers:dec} containers'
""",
    ),
    "roaring_bitmap_64": InlinedType(
        (),
        ("roaring_bitmap_32",),
        """\
roaring_bitmap_64:
  meta:
    endian: le
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
      type: s8
      valid:
        min: 0
        max: 2147483647
    - id: bitmaps
      type: keyed_bitmap
      repeat: expr
      repeat-expr: num_bitmaps
  types:
    roaring_bitmap_64_head:
      doc: The first field alone, for readers that leave the rest to a library.
      seq:
        - id: num_bitmaps
          type: s8
          valid:
            min: 0
            max: 2147483647
    keyed_bitmap:
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
      -webide-representation: '{bitmap}, each plus {key:dec} times 2^32'
    keyed_bitmap_head:
      doc: The first field of a `keyed_bitmap` alone.
      seq:
        - id: key
          type: s4
          valid:
            min: 0
            max: 2147483646
    keyed_bitmap_starts:
      doc: |
        The first fields of several keyed bitmaps, which are all empty except for
        the last one. Code that skips many empty keys at once reads this instead
        of `bitmaps`.
      params:
        - id: num_starts
          type: s4
      seq:
        - id: starts
          type: keyed_bitmap_start
          repeat: expr
          repeat-expr: num_starts
    keyed_bitmap_start:
      doc: The first fields of a `keyed_bitmap`. An empty bitmap has no other fields.
      seq:
        - id: key
          type: s4
        - id: cookie
          type: u2
        - id: num_containers_minus_1
          type: u2
        - id: num_containers
          type: u4
          doc: Bitmaps with runs have other content here, but are never empty.
      instances:
        is_empty:
          value: cookie == 12346 and num_containers_minus_1 == 0 and num_containers == 0
      -webide-representation: '{key:dec}'
""",
    ),
    "snappy_block": InlinedType(
        (),
        ("varint",),
        """\
snappy_block:
  meta:
    endian: be
  doc: |
    The bytes between the length and the sync marker of a block in an Avro object
    container file with the codec `snappy`. Paimon's manifests can be such files.
  doc-ref: https://avro.apache.org/docs/1.12.0/specification/#optional-codecs
  seq:
    - id: data
      size: _io.size - 4
      doc: The records, in snappy's raw format.
    - id: crc32
      type: u4
      doc: zlib's CRC-32 of the uncompressed records.
  instances:
    len_decoded:
      pos: 0
      type: varint
      doc: Length of the uncompressed records in bytes, with which `data` begins.
""",
    ),
    "typed_value": InlinedType(
        ("column_type",),
        ("position", "readable_number"),
        """\
typed_value:
  meta:
    endian: be
  doc: |
    A value in the dictionary of a bitmap index. The column's type determines its
    layout. The file does not store the type, so it is a parameter, which comes
    from the table's schema. Only the field of that type is present.
  doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMeta.java
  params:
    - id: column_type
      type: u1
      doc: The column's type, a value of the enum `column_type`.
  seq:
    - id: start
      type: position(_io.pos)
    - id: bool8
      type: u1
      valid:
        any-of:
          - 0
          - 1
      if: named_type == column_type::boolean
    - id: int8
      type: s1
      if: named_type == column_type::tinyint
    - id: int16
      type: s2
      if: named_type == column_type::smallint
    - id: int32
      type: s4
      if: named_type == column_type::int or named_type == column_type::date or named_type == column_type::time
      doc: An INT, a DATE in days since 1970-01-01, or a TIME in milliseconds.
    - id: int64
      type: s8
      if: named_type == column_type::bigint or named_type == column_type::timestamp_millis or named_type == column_type::timestamp_micros
      doc: |
        A BIGINT, or the time since 1970-01-01T00:00:00 of a TIMESTAMP with or
        without local time zone. The time is in milliseconds up to precision 3,
        and in microseconds above it, so that precisions 7 to 9 are cut.
    - id: float32
      type: f4
      if: named_type == column_type::float
    - id: float64
      type: f8
      if: named_type == column_type::double
    - id: len_text
      type: s4
      valid:
        min: 0
      if: named_type == column_type::string
      doc: Length of the string in bytes (not characters).
    - id: text
      size: len_text
      if: named_type == column_type::string
      doc: |
        A CHAR, VARCHAR or STRING in UTF-8. The field contains the bytes, because
        a table may contain malformed text.
  instances:
    named_type:
      value: 'column_type >= 100 ? 5 : column_type'
      enum: column_type
      doc: A DECIMAL, whose `column_type` is 100 plus its scale, is stored as a BIGINT.
    number:
      pos: start.at
      type: readable_number(column_type, false)
      if: named_type == column_type::bigint or named_type == column_type::timestamp_millis or named_type == column_type::timestamp_micros
    date:
      pos: start.at
      type: readable_number::readable_date(int32)
      if: named_type == column_type::date
    time:
      pos: start.at
      type: readable_number::readable_time(int32 / 1000, int32 % 1000, false)
      if: named_type == column_type::time
    first_byte:
      pos: start.at
      type: u1
    shown:
      value: "named_type == column_type::boolean ? (bool8 == 1 ? \\"true\\" : \\"false\\") : (named_type == column_type::tinyint ? int8.to_s : (named_type == column_type::smallint ? int16.to_s : (named_type == column_type::int ? int32.to_s : (named_type == column_type::date ? date.text : (named_type == column_type::time ? time.text : (named_type == column_type::string ? \\"'\\" + text.to_s(\\"UTF-8\\") + \\"'\\" : (named_type == column_type::float ? (float32 == 0 and first_byte == 128 ? \\"-\\" : \\"\\") : (named_type == column_type::double ? (float64 == 0 and first_byte == 128 ? \\"-\\" : \\"\\") : number.text))))))))"
      doc: The value as text, of a FLOAT or DOUBLE only the sign of a negative zero.
  enums:
    column_type:
      1:
        id: boolean
        doc: BOOLEAN
      2:
        id: tinyint
        doc: TINYINT
      3:
        id: smallint
        doc: SMALLINT
      4:
        id: int
        doc: INT
      5:
        id: bigint
        doc: BIGINT
      6:
        id: float
        doc: FLOAT
      7:
        id: double
        doc: DOUBLE
      8:
        id: string
        doc: CHAR(n), VARCHAR(n) and STRING
      9:
        id: date
        doc: DATE
      10:
        id: time
        doc: TIME(p)
      11:
        id: timestamp_millis
        doc: TIMESTAMP(p), with or without local time zone, p from 0 to 3
      12:
        id: timestamp_micros
        doc: TIMESTAMP(p), with or without local time zone, p from 4 to 9
  -webide-representation: '{shown}{float32:dec}{float64:dec}'
""",
    ),
    "varint": InlinedType(
        (),
        (),
        """\
varint:
  doc: |
    An unsigned integer of up to 64 bits, in as few bytes as possible. Each byte
    contains seven bits, the lowest bits first. The upper bit of a byte is 1 if
    more bytes follow. Protocol Buffers and Thrift's compact protocol use such
    integers. Each sum and product is cast, because some languages otherwise
    compute it in 32 bits.
  doc-ref: https://protobuf.dev/programming-guides/encoding/#varints
  seq:
    - id: b0
      type: u1
    - id: b1
      type: u1
      if: b0 >= 128
    - id: b2
      type: u1
      if: b0 >= 128 and b1 >= 128
    - id: b3
      type: u1
      if: b0 >= 128 and b1 >= 128 and b2 >= 128
    - id: more
      type: varint_end
      if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128
  instances:
    half:
      value: '(((b0 & 127) / 2).as<s8> + (b0 < 128 ? (0).as<s8> : (((b1 & 127).as<s8> * 64).as<s8> + (b1 < 128 ? (0).as<s8> : (((b2 & 127).as<s8> * (8192).as<s8>).as<s8> + (b2 < 128 ? (0).as<s8> : (((b3 & 127).as<s8> * (1048576).as<s8>).as<s8> + (b3 < 128 ? (0).as<s8> : (more.value * (134217728).as<s8>).as<s8> )).as<s8>)).as<s8>)).as<s8>)).as<s8>'
      doc: The integer without its lowest bit.
    value:
      value: ((half.as<u8> * 2).as<u8> + (b0 & 1).as<u8>).as<u8>
    zigzag:
      value: '((b0 & 1) == 0 ? half : ((-half).as<s8> - 1).as<s8>).as<s8>'
      doc: The value as a signed integer whose sign is in the lowest bit.
  types:
    varint_end:
      doc: The bytes from the fifth on.
      seq:
        - id: b4
          type: u1
        - id: b5
          type: u1
          if: b4 >= 128
        - id: b6
          type: u1
          if: b4 >= 128 and b5 >= 128
        - id: b7
          type: u1
          if: b4 >= 128 and b5 >= 128 and b6 >= 128
        - id: b8
          type: u1
          if: b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128
        - id: b9
          type: u1
          valid:
            max: 1
          if: b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128 and b8 >= 128
      instances:
        value:
          value: '((b4 & 127).as<s8> + (b4 < 128 ? (0).as<s8> : (((b5 & 127).as<s8> * (128).as<s8>).as<s8> + (b5 < 128 ? (0).as<s8> : (((b6 & 127).as<s8> * (16384).as<s8>).as<s8> + (b6 < 128 ? (0).as<s8> : (((b7 & 127).as<s8> * (2097152).as<s8>).as<s8> + (b7 < 128 ? (0).as<s8> : (((b8 & 127).as<s8> * (268435456).as<s8>).as<s8> + (b8 < 128 ? (0).as<s8> : (b9.as<s8> * (34359738368).as<s8>).as<s8> )).as<s8>)).as<s8>)).as<s8>)).as<s8>)).as<s8>'
  -webide-representation: '{value:dec}'
""",
    ),
}
