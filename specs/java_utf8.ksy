meta:
  id: java_utf8
  title: Java modified UTF-8 string
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A string as `java.io.DataOutput.writeUTF` writes it: a length in bytes, then
  "modified UTF-8". It differs from UTF-8 in two ways: NUL is the two bytes
  `C0 80`, and a character outside the basic plane is a pair of surrogates of
  three bytes each. Kaitai's string decoders know neither, so the bytes are
  kept as they are and the reader decodes them.
doc-ref: https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/io/DataInput.html#modified-utf-8
seq:
  - id: len_value
    type: u2
    doc: Length of the encoded string in bytes (not characters).
  - id: value
    size: len_value
    -encoding: modified-utf-8
    doc: The string in modified UTF-8.
-webide-representation: '{value:str}'
