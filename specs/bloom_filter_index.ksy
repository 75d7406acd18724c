meta:
  id: bloom_filter_index
  title: Bloom filter of a Paimon file index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
  endian: be
doc: |
  The body of an index of type `bloom-filter`: some bits for each value of a
  column, so that a value whose bits are not all set is in no row. Nulls are
  not in it.

  A value has a hash of 64 bits: of text and bytes xxHash64 with seed 0, of
  numbers Thomas Wang's integer hash, with shifts that keep the sign. With h1
  and h2, its lower and upper half as signed 32-bit integers, bit i of a value,
  i from 1 to `num_hashes`, is `h1 + i * h2`, cut to 32 bits, all bits flipped
  if it is negative, modulo the number of bits.

  Numbers are integers, days of a DATE, milliseconds of a TIME, milliseconds or
  microseconds of a TIMESTAMP (the latter above precision 3, so that precisions
  7 to 9 are cut), and the bits of a FLOAT or DOUBLE as a signed integer with
  one NaN.
doc-ref:
  - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
  - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bloomfilter/BloomFilterFileIndex.java
  - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/utils/BloomFilter64.java
params:
  - id: len_body
    type: s4
    doc: |
      Bytes of the index, which stand in the head of the file index: how many
      bits there are follows from it.
seq:
  - id: num_hashes
    type: s4
    valid:
      min: 1
      max: 1079
    doc: Bits set for each value; Java's smallest false positive rate gives 1079.
  - id: bits_start
    type: position(_io.pos)
instances:
  len_bits:
    value: len_body - 4
  num_bits:
    value: len_bits * 8
  bits:
    pos: bits_start.at
    size: len_bits
    doc: Bit i is in byte `i / 8`, and there the one of value `1 << (i % 8)`.
-webide-representation: '{num_hashes:dec} hashes, {num_bits:dec} bits'
