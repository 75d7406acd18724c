"""Repeats of many files as a DataFrame of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import opening, tables
from .in_memory import install
from .runtime.late import Late
from .runtime.types import type_named

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = Late("pyarrow")

_ROWS = 1 << 14
"""Rows of a batch, at most."""


def read(
    spark: Any,
    files: Any,
    spec: Any,
    table: str,
    columns: Iterable[str] | None = None,
    *,
    type: str | None = None,
    import_path: Sequence[Any] = (),
    errors: str = "raise",
    files_per_task: int = 16,
) -> Any:
    """Return a repeat of many files as a DataFrame, which has the file as first column.

    Spark has no unsigned numbers: they have the next larger type, u8 is decimal(20, 0).

    Args:
        spark: The session.
        files: A folder, a pattern such as "day/*.sens", or a list of paths, which executors have.
        spec: The path of a .ksy file, which executors need not have.
        table: The path of the repeat, or the last name of that.
        columns: The names of columns; by default all.
        type: The name of the type; by default the outermost one.
        import_path: Folders of specs that others import as /NAME.
        errors: "raise", or "collect" for a row with the column `error` for each file that cannot
            be read.
        files_per_task: How many files a task reads.

    Raises:
        FileNotFoundError: There are no files.
        SpecError: The spec is missing, or not supported.
        ValueError: There is no such table or column, or an option has a wrong value.
    """
    if errors not in ("raise", "collect") or files_per_task < 1:
        raise ValueError("errors is raise or collect, and files_per_task at least 1")
    opening.need("spark", "pyarrow", "pyspark")
    from pyspark.sql.pandas.types import from_arrow_schema

    texts, _, root = opening.rendered(spec, import_path)
    place, wanted = opening.columns_of(type_named(install(texts), type or root), table, columns)
    paths = opening.files_of(files) or [files]
    empty = tables.with_file(tables.table(place.repeat, None, None, wanted), "")
    schema = _of_spark(empty).schema
    if errors == "collect":
        name = "_error" if "error" in wanted else "error"
        schema = schema.append(pa.field(name, pa.string()))
    tasks = -(-len(paths) // files_per_task)
    task = _Task(texts, type or root, paths, files_per_task, table, [*wanted], schema, errors)
    return spark.range(0, tasks, 1, tasks).mapInArrow(task.run, from_arrow_schema(schema))


@dataclass(frozen=True)
class _Task:
    """What executors get: the package, and what they read."""

    texts: Mapping[str, str]
    type: str
    paths: Sequence[str]
    many: int
    table: str
    columns: Sequence[str]
    schema: pa.Schema
    errors: str

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the files of some numbers."""
        type_ = type_named(install(self.texts), self.type)
        for number in (each for batch in batches for each in batch[0].to_pylist()):
            first = number * self.many
            files = opening.Dataset(self.paths[first : first + self.many], type_)
            for rows in files.each(self._rows, self.errors):
                yield from rows.to_batches(_ROWS)
            for error in files.errors:
                row = {
                    self.schema.names[0]: tables.text_of(error.file),
                    self.schema.names[-1]: tables.text_of(str(error)),
                }
                yield pa.RecordBatch.from_pylist([row], self.schema)

    def _rows(self, one: opening.Opened) -> pa.Table:
        table = one.table(self.table, self.columns)
        rows = tables.with_file(table, one.name, is_text=True)
        if self.errors == "collect":
            rows = rows.append_column(self.schema.names[-1], pa.nulls(len(rows), pa.string()))
        return rows.cast(self.schema)


def _of_spark(table: pa.Table) -> pa.Table:
    """Return a table with types that Spark has."""
    return table.cast(pa.schema([(one.name, _type(one.type)) for one in table.schema]))


def _type(one: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(one):
        return pa.struct([(field.name, _type(field.type)) for field in one])
    if pa.types.is_list(one):
        return pa.list_(_type(one.value_type))
    if pa.types.is_dictionary(one):
        return pa.string()
    wider = {"uint8": pa.int16(), "uint16": pa.int32(), "uint32": pa.int64()}
    return pa.decimal128(20, 0) if one == pa.uint64() else wider.get(str(one), one)
