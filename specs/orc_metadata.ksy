meta:
  id: orc_metadata
  title: Metadata of an ORC file
  application: Apache ORC
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
-kit-view: true
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
    doc: The parts of the messages, in order.
instances:
  epoch:
    value: 1420070400
    doc: 2015-01-01 in seconds since 1970, from which the stream DATA of timestamps counts.
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
        doc: A part of the messages, which may be compressed.
    instances:
      is_original:
        value: (low & 1) == 1
        doc: The body is not compressed, because compression would have made it longer.
      len_body:
        -orig-id: compressedLength
        value: high.as<s4> * 128 + low.as<s4> / 2
        -kit-inverse:
          low: len_body % 128 * 2 + 1
          high: len_body / 128
    -webide-representation: '{len_body:dec} bytes'
  orc_end:
    -kit-view: true
    doc: The last byte of a file.
    seq:
      - id: len_postscript
        -orig-id: psLen
        type: u1
enums:
  orc_postscript_field:
    1: {id: len_footer, -orig-id: footerLength}
    2: compression
    3: {id: len_block, -orig-id: compressionBlockSize}
    5: {id: len_statistics, -orig-id: metadataLength}
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
    1: {id: ofs_stripe, -orig-id: offset}
    2: {id: len_index, -orig-id: indexLength}
    3: {id: len_data, -orig-id: dataLength}
    4: {id: len_stripe_footer, -orig-id: footerLength}
    5: {id: num_rows, -orig-id: numberOfRows}
  orc_stripe_footer_field:
    3: {id: writer_zone, -orig-id: writerTimezone}
  orc_compression:
    0: none
    1: zlib
    2: snappy
    3: lzo
    4: lz4
    5: zstd
