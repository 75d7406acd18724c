"""Files that are read by a spec alone: no package is generated on disk."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Self, TypeVar

from . import tables
from .display import printable
from .in_memory import install
from .io import open_source
from .io.source import Source
from .runtime.errors import FormatError
from .runtime.flat import Rows, as_rows
from .runtime.objects import file_to_json
from .runtime.streams import Leaf, Reading, no_collection
from .runtime.structs import Struct
from .runtime.types import WRONG, Type, type_named, type_of

_T = TypeVar("_T")
_MOST_LINES = 10_000  # of a tree
_FIRST = 3  # elements of a repeat that a tree shows


class FileError(FormatError):
    """A file that does not fit the spec; `file` is its name."""

    file = ""

    def __str__(self) -> str:
        place = "" if self.offset is None else f"byte {self.offset}"
        return ": ".join(part for part in (self.file, place, self.field, self.message) if part)


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """Raise FileError, with the name of the file, for what is wrong in it."""
    try:
        yield
    except FileError:
        raise
    except (RecursionError, *WRONG) as error:
        raise _of_file(error, file) from error


def _of_file(error: Exception, file: str) -> FileError:
    """Return an error as one of a file."""
    if isinstance(error, FileError):
        return error
    message = "objects are nested too deeply" if isinstance(error, RecursionError) else ""
    message = message or getattr(error, "message", str(error)) or type(error).__name__
    field = getattr(error, "path", "") or getattr(error, "field", "")
    found = FileError(message, getattr(error, "offset", None), field=field)
    found.file = file
    return found


def need(extra: str, *packages: str) -> None:
    """Check that the packages of an extra are installed. Raises ModuleNotFoundError."""
    for name in packages:
        if find_spec(name) is None:
            message = f"the Python package {name!r} is missing: install `ksykit[{extra}]`"
            raise ModuleNotFoundError(message, name=name)


def loaded(spec: Any, type: str | None = None, import_path: Sequence[Any] = ()) -> Type:
    """Return a type of a spec, or of a generated package; by default the outermost one.

    Raises:
        FormatError: There is no such type.
        SpecError: The spec is missing, or not supported.
    """
    if isinstance(spec, ModuleType):
        return type_named(spec.__name__, type or spec.__name__.rpartition(".")[2])
    if not isinstance(spec, str | os.PathLike):
        found = spec if isinstance(spec, Type) else type_of(spec)
        return found if type is None else type_named(found.package, type)
    files, missing, name = rendered(spec, import_path)
    try:
        return type_named(install(files), type or name)
    except FormatError as error:
        raise FormatError("; left out: ".join([str(error), *missing])) from None


def rendered(spec: Any, import_path: Sequence[Any] = ()) -> tuple[dict[str, str], list[str], str]:
    """Return the files of a spec's package, what they leave out, and the spec's name.

    Raises:
        SpecError: The spec is missing, or not supported.
    """
    need("generator", "jinja2", "ruamel")
    from .generator.load import load_specs
    from .generator.render import render_ours

    path, missing = Path(spec).absolute(), list[str]()
    specs = load_specs(path, import_path=[Path(each).absolute() for each in import_path])
    return render_ours(specs, missing, is_tidy=False), missing, path.stem


class Opened:
    """A file that is read by a spec: `root` is its outermost object."""

    def __init__(self, file: Any, type: Type, params: Mapping[str, Any] | None = None) -> None:
        self.type, self._params = type, dict(params or {})
        if lacking := [name for name in type.params if name not in self._params]:
            raise TypeError(f"{type.name} needs the parameter {lacking[0]}: pass params")
        self.source = open_source(file)
        self.name = self.source.name
        try:
            with _naming(self.name):
                reading = Reading(self.source, as_rows=as_rows)
                self.root: Any = type.read(reading, 0, self._params)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"<{printable(self.name)}: {self.type.name}, {self.source.size:,} bytes>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, unless the caller passed it open."""
        self.source.close()

    def tree(self, depth: int = 4) -> str:
        """Return the fields and values as lines, and objects so deep; of repeats the first ones."""
        with _naming(self.name):
            lines = [*islice(_lines(self.root, depth, "  "), _MOST_LINES + 1)]
        lines[_MOST_LINES:] = [".."] * (len(lines) > _MOST_LINES)
        return "\n".join(map(printable, [self.type.name, *lines]))

    def json(self) -> dict[str, Any]:
        """Return the whole file as JSON, from which `ksykit assemble` makes its bytes again."""
        with _naming(self.name):
            data = self.source.read(0, self.source.size)
            return file_to_json([(0, self.type, self._params)], data)

    def map(self) -> list[Leaf]:
        """Return the fields in order of position: start, end, path and value."""
        return leaves(self.source, self.type, self._params, 0, self.source.size)

    @property
    def tables(self) -> Mapping[str, int]:
        """The rows of each repeat, by its path. Raises FormatError."""
        with _naming(self.name):
            found = {k: at.find(self.root)[1] for k, at in tables.places(self.type).items()}
            return {path: len(rows) for path, rows in found.items() if rows is not None}

    def table(self, name: str, columns: Iterable[str] | None = None) -> Any:
        """Return a repeat as a table of Arrow, by its path, or the last name of that.

        Raises:
            FormatError: The file does not fit the spec.
            ValueError: There is no such table or column.
        """
        place, wanted = columns_of(self.type, name, columns)
        with _naming(self.name), no_collection():
            return tables.table(place.repeat, *place.find(self.root), wanted)


def leaves(
    source: Source, type_: Type, params: Mapping[str, Any], start: int, end: int
) -> list[Leaf]:
    """Return the leaves of a part of a file in order of position.

    It reads no other elements of repeats of flat records of one size. Raises FormatError.
    """
    reading = Reading(source, has_leaves=True, as_rows=partial(as_rows, is_late=True))
    with _naming(source.name), no_collection():
        _list_leaves(type_.read(reading, 0, params), start, end)
    found = {(one.start, one.end, one.path): one for one in reading.leaves or ()}
    inside = (one for one in found.values() if max(one.start, start) < min(one.end, end))
    return sorted(inside, key=lambda one: (one.start, one.end))


def _list_leaves(obj: Any, start: int, end: int) -> None:
    """Let what an object has in a part of the file be read."""
    for name in type_of(obj).fields:
        try:
            value = getattr(obj, name)
        except WRONG:
            continue  # an instance that is unreadable
        if isinstance(value, Rows):
            value.list_leaves(start, end)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Struct):
                _list_leaves(each, start, end)


def columns_of(type_: Type, name: str, columns: Iterable[str] | None) -> tuple[tables.Place, Any]:
    """Return where a repeat is, by its path or last name, and its columns. Raises ValueError."""
    need("arrow", "pyarrow")
    places = tables.places(type_)
    paths = [path for path in places if name in (path, path.rpartition(".")[2])]
    if name not in places and len(paths) != 1:
        problem = "several tables" if paths else "no table"
        known = ", ".join(paths or places) or "none"
        raise ValueError(f"{type_.name} has {problem} {name}; there are {known}")
    place = places[name if name in places else paths[0]]
    return place, tables.chosen(place.repeat, columns)


def _lines(obj: Struct, depth: int, indent: str) -> Iterator[str]:
    """Yield the lines of an object's fields."""
    for name, field in tables.fields(type_of(obj)).items():
        try:
            value = getattr(obj, name)
        except WRONG as error:
            yield f"{indent}{name}: unreadable: {error}"
            continue
        if field.is_repeated and value is not None:
            yield f"{indent}{name}: {len(value):,} element{'s' * (len(value) != 1)}"
            for i in range(min(_FIRST, len(value))) if depth > 0 else ():
                yield from _shown(f"[{i}]", value[i], depth - 1, f"{indent}  ")
        elif value is not None:
            yield from _shown(name, value, depth, indent)


def _shown(name: str, value: Any, depth: int, indent: str) -> Iterator[str]:
    """Yield the lines of a value."""
    if isinstance(value, Struct):
        yield f"{indent}{name}: {value._type.name}"
        if depth > 0:
            yield from _lines(value, depth - 1, f"{indent}  ")
    else:
        yield f"{indent}{name} = {short(value)}"


def short(value: Any) -> str:
    """Return a value as a short text."""
    if hasattr(value, "name"):
        return f"{value.name} ({value.value})"
    text = repr(value[:64] if isinstance(value, bytes | str) else value)
    return text if len(text) < 60 else f"{text[:56]}.."


class Dataset:
    """Several files that are read by one spec.

    `errors` has the files that the last table left out: each has `file`, `offset` and `message`.
    """

    def __init__(
        self, files: Sequence[Any], type: Type, params: Mapping[str, Any] | None = None
    ) -> None:
        self.files, self.type, self._params = files, type, params
        self.errors: list[FileError] = []

    def __repr__(self) -> str:
        return f"<{len(self.files):,} files: {self.type.name}>"

    def each(self, read: Callable[[Opened], _T], errors: str = "raise") -> Iterator[_T]:
        """Yield what is read of each file; "collect" puts files that cannot be read into `errors`.

        Raises:
            FormatError: A file does not fit the spec, or is not read by range, such as a pipe.
            OSError: A file cannot be read.
        """
        if errors not in ("raise", "collect"):
            raise ValueError(f"errors is {errors!r}: choose raise or collect")
        self.errors = []
        for file in self.files:
            try:
                with _naming(os.fspath(file)), Opened(file, self.type, self._params) as one:
                    found = read(one)
            except (FileError, OSError) as error:
                if errors != "collect":
                    raise
                self.errors.append(_of_file(error, os.fspath(file)))
            else:
                yield found

    @property
    def tables(self) -> Mapping[str, int]:
        """The rows of each repeat in all files, by its path. Raises FormatError."""
        found: dict[str, int] = {}
        for each in self.each(lambda one: one.tables):
            for path, rows in each.items():
                found[path] = found.get(path, 0) + rows
        return found

    def table(
        self, name: str, columns: Iterable[str] | None = None, *, errors: str = "raise"
    ) -> Any:
        """Return a repeat of all files as one table, whose first column is the file.

        Args:
            name: Its path, or the last name of that.
            columns: The names of columns; by default all.
            errors: "raise", or "collect" to leave out files that do not fit the spec.

        Raises:
            FormatError: A file does not fit the spec.
            ValueError: There is no such table or column.
        """
        place, wanted = columns_of(self.type, name, columns)
        empty = tables.with_file(tables.table(place.repeat, None, None, wanted), "")
        parts = self.each(lambda one: tables.with_file(one.table(name, wanted), one.name), errors)
        return tables.joined([empty, *parts])


def files_of(files: Any) -> list[str] | None:
    """Return the files of a folder, a pattern or a list, in order; None for a single file.

    Raises:
        FileNotFoundError: There are none.
    """
    if isinstance(files, list | tuple):
        return [path for each in files for path in files_of(each) or [os.fspath(each)]]
    if not isinstance(files, str | os.PathLike):
        return None
    path = Path(files)
    if path.is_dir():
        found = [str(each) for each in path.iterdir() if each.name[0] != "."]
    elif glob.has_magic(str(path)) and not path.exists():
        found = glob.glob(str(path), recursive=True)  # noqa: PTH207  # keeps the path as given
    else:
        return None
    if not (listed := sorted(each for each in found if Path(each).is_file())):
        raise FileNotFoundError(2, "has no files", str(path))
    return listed


def open(
    file: Any,
    spec: Any,
    *,
    type: str | None = None,
    params: Mapping[str, Any] | None = None,
    import_path: Sequence[Any] = (),
) -> Opened | Dataset:
    """Open a file, or several, by a spec. No package has to be generated.

    Args:
        file: A path, bytes or a seekable binary file; for a `Dataset` a folder, a pattern such as
            "day/*.sens", or a list of paths.
        spec: The path of a .ksy file, or a generated package, or a class of one.
        type: The name of the type; by default the outermost one.
        params: The type's parameters, by name.
        import_path: Folders of specs that others import as /NAME.

    Raises:
        FormatError: A file does not fit the spec; it names the file, the byte and the field.
        OSError: A file cannot be read.
        SpecError: The spec is missing, or not supported.
    """
    root = loaded(spec, type, import_path)
    listed = files_of(file)
    return Opened(file, root, params) if listed is None else Dataset(listed, root, params)
