meta:
  id: bloom_filter_index
  title: Bloom filter of a Paimon file index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
  endian: be
-kit-view: true
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
    doc: Length of the index in bytes, from the head of the file index.
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
    -orig-id: bitSize
    value: len_bits.as<s8> * 8
  bits:
    -orig-id: bitSet
    pos: bits_start.at
    size: len_bits
    doc: Bit i is the bit of value `1 << (i % 8)` in byte `i / 8`.
-webide-representation: '{num_hashes:dec} hashes, {num_bits:dec} bits'
