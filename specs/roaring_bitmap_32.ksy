meta:
  id: roaring_bitmap_32
  title: Roaring bitmap of 32-bit integers, portable format
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
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
    type: >-
      roaring_container(
        header.has_runs and ((header.run_flags[_index / 8] >> (_index % 8)) & 1) == 1,
        header.descriptors[_index].cardinality)
    repeat: expr
    repeat-expr: header.num_containers
    doc: The integers of each key.
  - id: bitmap_end
    type: position(_io.pos)
-webide-representation: '{header.num_containers:dec} containers'
types:
  roaring_header:
    -kit-view: true
    -kit-places: true
    seq:
      - id: cookie
        type: u2
        valid:
          any-of: [12346, 12347]
        doc: |
          12347 if any container has runs, otherwise 12346. In the format, the
          cookie has four bytes; the upper two are the next field here.
        -kit-value: 'has_run_flags ? 12347 : 12346'
      - id: num_containers_minus_1
        type: u2
        valid:
          max: '(has_runs ? 65535 : 0).as<u2>'
        doc: With runs, the number of containers minus one; otherwise 0.
        -kit-value: 'has_runs ? count(descriptors) - 1 : 0'
      - id: num_containers_without_runs
        -orig-id: size
        type: u4
        valid:
          max: 65536
        if: not has_runs
        doc: The number of containers.
        -kit-value: count(descriptors)
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
        -kit-ascending:
          key: key + 1
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
        value: >-
          has_runs ? (num_containers_minus_1.as<s8> + 1).as<s8>
          : num_containers_without_runs.as<s8>
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
        -kit-examples: [4096]
    instances:
      cardinality:
        value: (cardinality_minus_1.as<s4> + 1).as<s4>
        doc: The number of integers in the container.
    -webide-representation: '{key:dec}: {cardinality:dec} values'
  roaring_container:
    -kit-view: true
    -kit-head: num_runs
    params:
      - id: is_run
        type: bool
      - id: cardinality
        type: s4
    seq:
      - id: num_runs
        -orig-id: nbrruns
        type: u2
        if: is_run
      - id: runs
        -orig-id: valueslength
        type: roaring_run
        repeat: expr
        repeat-expr: num_runs
        -kit-ascending:
          first: last + 2
        if: is_run
        doc: The runs ascend, and no two of them are adjacent.
      - id: values
        -orig-id: content
        type: u2
        repeat: expr
        repeat-expr: cardinality
        if: not is_run and cardinality <= max_values
        -kit-ascending: true
        doc: Lower 16 bits of the integers, ascending.
      - id: words
        -orig-id: bitmap
        type: u8
        repeat: expr
        repeat-expr: len_words / 8
        if: not is_run and cardinality > max_values
        doc: |
          A bit for each of 65,536 integers. Integer i is bit i % 64, least
          significant first, of word i / 64.
    instances:
      max_values:
        value: (4096).as<s4>
        doc: The most integers that are stored as `values`.
      len_words:
        value: 8192
        doc: Size of `words` in bytes.
    -webide-representation: '{cardinality:dec} values'
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
