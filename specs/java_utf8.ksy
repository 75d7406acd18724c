meta:
  id: java_utf8
  title: Java modified UTF-8 string
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
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
    -kit-encoding: modified-utf-8
    doc: The string in modified UTF-8.
-webide-representation: '{value:str}'
