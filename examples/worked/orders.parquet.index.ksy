meta:
  id: orders_parquet_index_file
  title: "orders.parquet.index"
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  This file alone, with what it does not store, such as the types of its
  columns, or the data files of its deletion vectors. Written by `paimon-ksy
  webide FILE`.
seq:
  - id: file
    type: file_index
instances:
  region_bitmap:
    pos: file.head.columns[0].indexes[0].ofs_body
    type: bitmap_index(8)
    doc: "Column region STRING: bitmap index."
  status_bitmap:
    pos: file.head.columns[1].indexes[0].ofs_body
    type: bitmap_index(8)
    doc: "Column status STRING: bitmap index."
types:
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
        doc: The column's type, a value of the enum `typed_value::stored_type`.
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
        doc: The column's type, a value of the enum `typed_value::stored_type`.
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
        doc: 1 if the column has null rows.
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
        doc: All values except null, and where their bitmaps are.
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
        doc: The null rows, unless there is only one.
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
            -orig-id: value
            type: typed_value(column_type)
            doc: A distinct value of the column.
          - id: ofs_bitmap
            -orig-id: offset
            type: s4
            doc: |
              Start of the bitmap, counted from the end of the dictionary. If it is
              negative, the value occurs only in the row `-1 - ofs_bitmap`.
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
            doc: The rows that contain the value.
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
        doc: The column's type, a value of the enum `typed_value::stored_type`.
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
        doc: 1 if the column has null rows.
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
        -orig-id: bitmapBlockNumber
        type: s4
        valid:
          min: 0
        doc: Number of blocks in the dictionary.
      - id: directory_start
        type: position(_io.pos)
    instances:
      directory:
        pos: directory_start.at
        type: bitmap_directory_v2(num_blocks, column_type)
        doc: The first value and the position of each block.
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
        doc: The null rows, unless there is only one.
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
            doc: Where each block is, in ascending order of values.
          - id: len_blocks
            -orig-id: bitmapBodyOffset
            type: s4
            valid:
              min: 0
            doc: Length of all blocks in bytes. The bitmaps follow them.
          - id: blocks_start
            -orig-id: indexBlockStart
            type: position(_io.pos)
        instances:
          bitmaps_start:
            -orig-id: bodyStart
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
            -orig-id: offset
            type: s4
            valid:
              min: 0
            doc: Start of the block, counted from the first block.
        instances:
          body:
            pos: _parent.as<bitmap_directory_v2>.blocks_start.at + ofs_block.as<s8>
            type: |-
              bitmap_block_v2(
                _parent.as<bitmap_directory_v2>.blocks_start.at + _parent.as<bitmap_directory_v2>.len_blocks.as<s8>,
                column_type)
            doc: The block itself.
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
            -orig-id: entryNum
            type: s4
            valid:
              min: 1
          - id: entries
            -orig-id: entryList
            type: bitmap_entry_v2(column_type)
            repeat: expr
            repeat-expr: num_entries
            doc: An entry for each value of the block.
        -webide-representation: '{num_entries:dec} values'
      bitmap_entry_v2:
        params:
          - id: column_type
            type: u1
        seq:
          - id: key
            type: typed_value(column_type)
            doc: A distinct value of the column.
          - id: ofs_bitmap
            -orig-id: offset
            type: s4
            doc: |
              Start of the bitmap, counted from the end of the blocks. If it is
              negative, the value occurs only in the row `-1 - ofs_bitmap`.
          - id: len_bitmap
            -orig-id: length
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
            doc: The rows that contain the value.
          shown:
            value: 'is_single ? "row " + row.to_s : "rows in a bitmap of " + len_bitmap.to_s + " bytes"'
        -webide-representation: '{key}: {shown}'
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
        -orig-id: headLength
        type: s4
        valid:
          min: 20
        doc: Length in bytes from the start of the file to the end of the head.
      - id: head_start
        type: position(_io.pos)
      - id: head
        size: len_head.as<s8> - head_start.at
        type: file_index_head
        doc: The columns, their indexes, and where these are.
      - id: head_end
        type: position(_io.pos)
    types:
      file_index_head:
        seq:
          - id: num_columns
            -orig-id: columnSize
            type: s4
            valid:
              min: 0
          - id: columns
            type: file_index_column
            repeat: expr
            repeat-expr: num_columns
          - id: len_redundant
            -orig-id: REDUNDANT_LENGTH
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
            -orig-id: columnName
            type: java_utf8
            doc: The name of the column.
          - id: num_indexes
            -orig-id: indexSize
            type: s4
            valid:
              min: 0
          - id: indexes
            type: file_index_entry
            repeat: expr
            repeat-expr: num_indexes
            doc: The indexes of the column.
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
            -orig-id: start
            type: s4
            valid:
              min: -1
            doc: |
              Start of the body, counted from the start of the file. -1 means
              EMPTY: no row was written to the index, and it has no body.
          - id: len_body
            -orig-id: length
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
  java_utf8:
    meta:
      endian: be
    doc: |
      A string in the format of `java.io.DataOutput.writeUTF`: a length in bytes,
      then "modified UTF-8". In this encoding, NUL is the two bytes `C0 80`, and a
      character outside the basic plane is a pair of surrogates of three bytes each.
      Kaitai Struct has no decoder for it.
    doc-ref: https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/io/DataInput.html#modified-utf-8
    seq:
      - id: len_value
        -orig-id: utflen
        type: u2
        doc: Length of the encoded string in bytes (not characters).
      - id: value
        -orig-id: str
        size: len_value
        doc: The string in modified UTF-8.
    instances:
      shown:
        value: value.to_s("UTF-8")
        doc: |
          The text. NUL and characters outside the basic plane, which modified UTF-8
          stores in another form than UTF-8, are replacement characters.
    -webide-representation: '{shown}'
  position:
    doc: |
      A field without bytes that remembers its own position. Offsets in Paimon's
      formats count from places such as "the end of the dictionary".
    params:
      - id: at
        type: s8
        doc: Offset of this field in the stream.
    -webide-representation: byte {at:dec}
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
  roaring_bitmap_32:
    meta:
      endian: le
    doc: |
      A compressed set of unsigned 32-bit integers, in the format that all Roaring
      libraries support. The integers are grouped by their upper 16 bits, the key.
      Each group has a container for the lower 16 bits: a sorted array, a bitset,
      or runs.

      Writers may use runs if they are smaller, so both kinds of header occur.
    doc-ref: https://github.com/RoaringBitmap/RoaringFormatSpec/blob/5177ad987c5f6f920179ec81f764438d4451357c/README.md#standard-32-bit-roaring-bitmap
    seq:
      - id: bitmap_start
        type: position(_io.pos)
      - id: header
        type: roaring_header
        doc: The keys of the containers, and how many integers each has.
      - id: containers
        type: |-
          roaring_container(
            header.has_runs and ((header.run_flags[_index / 8] >> (_index % 8)) & 1) == 1,
            header.descriptors[_index].cardinality,
            header.descriptors[_index].key,
            _io.pos)
        repeat: expr
        repeat-expr: header.num_containers
        doc: The integers of each key.
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
            -orig-id: size
            type: u4
            valid:
              max: 65536
            if: not has_runs
            doc: The number of containers.
          - id: run_flags
            -orig-id: bitmapOfRunContainers
            size: (num_containers + 7) / 8
            if: has_runs
            doc: A bit for each container, least significant first; 1 if it has runs.
          - id: descriptors
            type: roaring_descriptor
            repeat: expr
            repeat-expr: num_containers
            doc: The key and the size of each container.
          - id: ofs_containers
            -orig-id: startOffset
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
            -orig-id: size
            value: 'has_runs ? (num_containers_minus_1.as<s8> + 1).as<s8> : num_containers_without_runs.as<s8>'
            doc: The number of containers, wherever it is stored.
          has_offsets:
            value: not has_runs or num_containers >= 4
      roaring_descriptor:
        seq:
          - id: key
            type: u2
            doc: Upper 16 bits of the container's integers, in ascending order.
          - id: cardinality_minus_1
            type: u2
            doc: The number of integers in the container minus one.
        instances:
          cardinality:
            value: (cardinality_minus_1.as<s4> + 1).as<s4>
            doc: The number of integers in the container.
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
            -orig-id: nbrruns
            type: u2
            if: is_run
          - id: runs
            -orig-id: valueslength
            if: is_run
            doc: The runs ascend, and no two of them are adjacent.
            size: num_runs * 4
          - id: values
            -orig-id: content
            if: not is_run and cardinality <= max_values
            doc: Lower 16 bits of the integers, ascending.
            size: cardinality * 2
          - id: words
            -orig-id: bitmap
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
      roaring_run:
        seq:
          - id: first
            -orig-id: value
            type: u2
            doc: Lower 16 bits of the first integer.
          - id: len_minus_1
            -orig-id: length
            type: u2
            doc: The number of integers in the run minus one.
        instances:
          last:
            value: first.as<s4> + len_minus_1.as<s4>
            doc: Lower 16 bits of the last integer.
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
        doc: The column's type, a value of the enum `stored_type`.
    seq:
      - id: start
        type: position(_io.pos)
      - id: bool8
        type: u1
        valid:
          any-of:
            - 0
            - 1
        if: named_type == stored_type::boolean
        doc: A BOOLEAN.
      - id: int8
        type: s1
        if: named_type == stored_type::tinyint
        doc: A TINYINT.
      - id: int16
        type: s2
        if: named_type == stored_type::smallint
        doc: A SMALLINT.
      - id: int32
        type: s4
        if: named_type == stored_type::integer or named_type == stored_type::date or named_type == stored_type::time
        doc: An INT, a DATE in days since 1970-01-01, or a TIME in milliseconds.
      - id: int64
        type: s8
        if: named_type == stored_type::bigint or named_type == stored_type::timestamp_millis or named_type == stored_type::timestamp_micros
        doc: |
          A BIGINT, or the time since 1970-01-01T00:00:00 of a TIMESTAMP with or
          without local time zone. The time is in milliseconds up to precision 3,
          and in microseconds above it, so that precisions 7 to 9 are cut.
      - id: float32
        type: f4
        if: named_type == stored_type::float
        doc: A FLOAT.
      - id: float64
        type: f8
        if: named_type == stored_type::double
        doc: A DOUBLE.
      - id: len_text
        -orig-id: length
        type: s4
        valid:
          min: 0
        if: named_type == stored_type::string
        doc: Length of the string in bytes (not characters).
      - id: text
        size: len_text
        if: named_type == stored_type::string
        doc: |
          A CHAR, VARCHAR or STRING in UTF-8. The field contains the bytes, because
          a table may contain malformed text.
    instances:
      named_type:
        value: 'column_type >= 100 ? 5 : column_type'
        enum: stored_type
        doc: A DECIMAL, whose `column_type` is 100 plus its scale, is stored as a BIGINT.
      number:
        pos: start.at
        type: readable_number(column_type, false)
        if: named_type == stored_type::bigint or named_type == stored_type::timestamp_millis or named_type == stored_type::timestamp_micros
      date:
        pos: start.at
        type: readable_number::readable_date(int32)
        if: named_type == stored_type::date
      time:
        pos: start.at
        type: readable_number::readable_time(int32 / 1000, int32 % 1000, false)
        if: named_type == stored_type::time
      first_byte:
        pos: start.at
        type: u1
      shown:
        value: "named_type == stored_type::boolean ? (bool8 == 1 ? \"true\" : \"false\") : (named_type == stored_type::tinyint ? int8.to_s : (named_type == stored_type::smallint ? int16.to_s : (named_type == stored_type::integer ? int32.to_s : (named_type == stored_type::date ? date.text : (named_type == stored_type::time ? time.text : (named_type == stored_type::string ? \"'\" + text.to_s(\"UTF-8\") + \"'\" : (named_type == stored_type::float ? (float32 == 0 and first_byte == 128 ? \"-\" : \"\") : (named_type == stored_type::double ? (float64 == 0 and first_byte == 128 ? \"-\" : \"\") : number.text))))))))"
        doc: The value as text, of a FLOAT or DOUBLE only the sign of a negative zero.
    enums:
      stored_type:
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
          id: integer
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
