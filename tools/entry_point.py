"""Write an entry-point .ksy for one index file, so that the Kaitai Web IDE shows its values.

The types of the columns are not in an index file; the specs take them as parameters, and the Web
IDE opens only types without parameters. The entry point states them for one file:

    python -m tools.entry_point orders.index --schema 'status STRING' --output orders.ksy

To use it, drop specs/*.ksy, the entry point and the index file into the Web IDE.
"""

import argparse
import itertools
import re
from collections.abc import Container
from pathlib import Path

from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.java.modified_utf8 import decode
from paimon_ksy.types.data_type import column_type
from paimon_ksy.types.schema import Schema

HEAD = """\
meta:
  id: {id}
  title: {title}
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - bitmap_index
    - file_index
doc: |
  {file} with the types of its columns, which stand in the
  table's schema and not in the file. Written by tools/entry_point.py.
seq:
  - id: file
    type: file_index
instances:
"""

INSTANCE = """\
  {id}:
    pos: file.head.columns[{column}].indexes[{index}].ofs_body
    type: bitmap_index({column_type})
    doc: |
      {doc}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("index", type=Path, help="an index file")
    parser.add_argument("--schema", required=True, help="'status STRING, ..' or a schema file")
    parser.add_argument("--output", type=Path, required=True, help="the .ksy file to write")
    arguments = parser.parse_args()
    if arguments.schema.endswith(".json"):
        schema = Schema.from_paimon_json(Path(arguments.schema).read_bytes())
    else:
        schema = Schema.parse(arguments.schema)
    text = entry_point(arguments.index, schema, arguments.output.stem)
    arguments.output.write_text(text, encoding="utf-8", newline="\n")


def entry_point(index: Path, schema: Schema, spec_id: str) -> str:
    """The .ksy: an instance for each bitmap index of the file, laid out for its column's type."""
    instances: dict[str, str] = {}
    for column_number, column in enumerate(FileIndex.from_bytes(index.read_bytes()).head.columns):
        name = decode(column.name.value)
        for index_number, entry in enumerate(column.indexes):
            if decode(entry.index_type.value) != "bitmap" or entry.is_empty:
                continue
            data_type = schema.resolve(name)
            number = column_type(data_type)
            if number is None:
                raise SystemExit(f"{index}: column {name!r} cannot be {data_type}: mend --schema")
            instance_id = _unused_id(name, instances)
            instances[instance_id] = INSTANCE.format(
                id=instance_id,
                column=column_number,
                index=index_number,
                column_type=number,
                doc=f"Column {_printable(name)}, {data_type}: values and their rows.",
            )
    if not instances:
        raise SystemExit(f"{index}: no bitmap index in it, so there is nothing to point at")
    head = HEAD.format(id=spec_id, title=f"Index file {index.name}", file=index.name)
    return head + "".join(instances.values())


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _unused_id(column: str, used: Container[str]) -> str:
    """An identifier as Kaitai wants it, made from a column's name, that is not used yet."""
    words = [*re.findall("[a-z0-9]+", column.lower()), "bitmap"]
    if not words[0][0].isalpha() or words == ["bitmap"]:
        words.insert(0, "column")
    first = "_".join(words)
    candidates = itertools.chain([first], (f"{first}_{n}" for n in itertools.count(2)))
    return next(candidate for candidate in candidates if candidate not in used)


if __name__ == "__main__":
    main()
