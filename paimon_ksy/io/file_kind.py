"""The kinds of files in tables, and how to recognise them: `KINDS` lists all of them.

The index manifest of its table identifies an index file. Other files are identified by the magic
number at their start or end (`file_kind.ksy`). A name is only a hint.
"""

from __future__ import annotations

import json
import os.path
import re
from dataclasses import dataclass, replace
from typing import Any

from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import Call, CorruptFileError, Remedy, UnsupportedError
from paimon_ksy.generated.views import deletion_vectors as views
from paimon_ksy.generated.views.file_kind import EndMagic, FileEnd, FileStart, StartMagic
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.commands import command

EMPTY = "if it was an index, rebuild it; if it was another file, restore it from a backup"
"""The remedy for an empty file."""
BUILD_AGAIN = (
    "drop the global index and build it again; in Spark: CALL sys.drop_global_index(..), then "
    "CALL sys.create_global_index(..)"
)
"""The remedy for a corrupt or missing global index, which contains no rows."""
BACKUP = "restore the file from a backup: no other file contains its values"
"""The remedy for a corrupt blob file."""
BACKUP_LIST = (
    "restore the file from a backup; without it, blob files of the table cannot be cleaned up"
)
"""The remedy for a corrupt list of blob files."""
COPY = (
    "if it is a copy of a data file (NAME.row beside NAME), its rows are also in that; restore "
    "another row file from a backup"
)
"""The remedy for a corrupt row file."""
IGNORED = "delete the sidecar: readers then read the whole manifest, which contains all facts"
"""The remedy for a sidecar that readers may trust, and for one that they ignore."""
RESCALE = "restore the file from a backup, or rescale the table, which reassigns all buckets"
"""The remedy for a corrupt or missing bucket index."""

_MOST_JSON = 1 << 22  # bytes


@dataclass(frozen=True)
class FileKind:
    """A kind of file in a table.

    Attributes:
        id: Its name in JSON, and for `--kind`.
        title: Its name in text, with an article.
        magic: Its magic number: a `start_magic` or an `end_magic` of `file_kind.ksy`.
        suffix: The end of the names of such files.
        use: What it contains.
        readers: What can read it, or the rows in it, if paimon-ksy does not.
        index_types: Its types in index manifests.
        remedy: What to do if it is corrupt or missing; None if only a backup helps.
    """

    id: str
    title: str
    magic: StartMagic | EndMagic | None = None
    suffix: str | None = None
    use: str = ""
    readers: str | Call = ""
    index_types: tuple[str, ...] = ()
    remedy: str | None = None

    @property
    def name(self) -> str:
        """Its name in text, without the article."""
        return self.title.partition(" ")[2] if self is not UNKNOWN else "unknown"

    @property
    def advice(self) -> Remedy:
        """What can read it, if paimon-ksy only recognises it."""
        return Remedy("to read it, use ", self.readers) if self.readers else Remedy()

    @property
    def note(self) -> Remedy:
        """What it contains, and whether it is only recognised."""
        more = ("; recognised, not checked: ", self.advice) if self.readers else ()
        return Remedy(self.use, *more)


_START, _END = StartMagic, EndMagic
_JAVA, _BOTH = "Java's Paimon", "pypaimon or pypaimon-rust"
_VINDEX, _FTINDEX, _MOSAIC = (
    f"pypaimon[{extra}] or pypaimon-rust" for extra in ("vindex", "full-text", "mosaic")
)
_ROWS = "a data file"
_INDEX = "an index of a table, which queries of paimon-ksy do not need"
_BUILD = "a data file; to build an index for it, see `paimon-ksy build --help`"
_AVRO = "a data file, or a manifest or manifest list of a table"
_JSON = "metadata of a table, such as a snapshot, a schema, a consumer or statistics"
_INSPECT = Call("table inspect")


def _global(kind: str, title: str, magic: Any, readers: str, *types: str) -> FileKind:
    return FileKind(kind, title, magic, None, _INDEX, readers, types or (kind,), BUILD_AGAIN)


FILE_INDEX = FileKind("index", "a file index", _START.file_index, ".index", "values and their rows")
VECTORS = FileKind(
    "vectors", "a vector file", use="deleted rows", index_types=("DELETION_VECTORS",)
)
BUCKET_INDEX = FileKind(
    "bucket-index", "a bucket index", use="hash codes", index_types=("HASH",), remedy=RESCALE
)
ROARING = FileKind("roaring-bitmap", "a Roaring bitmap", use="integers")
PARQUET = FileKind("parquet", "a Parquet file", _START.parquet, ".parquet", _BUILD)
ORC = FileKind("orc", "an ORC file", _START.orc, ".orc", _BUILD)
AVRO = FileKind("avro", "an Avro file", _START.avro, ".avro", _AVRO)
JSON = FileKind("json", "a JSON file", None, ".json", _JSON, _INSPECT)
BLOB = FileKind("blob", "a blob file", _START.blob, ".blob", "BLOB values", remedy=BACKUP)
BLOB_REFERENCES = FileKind(
    "blobref",
    "a list of blob files",
    _START.blobref,
    ".blobref",
    "names of blob files",
    remedy=BACKUP_LIST,
)
ROW = FileKind(
    "row", "a row file", _END.row, ".row", "a data file, or a copy of one", _BOTH, remedy=COPY
)
SIDECAR = FileKind(
    "sidecar",
    "a sidecar",
    _START.sidecar,
    ".sidecar",
    "what each block of a manifest has",
    remedy=IGNORED,
)
UNKNOWN = FileKind("unknown", "an unknown kind")

DATA_FILES = (PARQUET, ORC, AVRO)
"""The formats of data files that paimon-ksy reads."""

KINDS: tuple[FileKind, ...] = (
    *(FILE_INDEX, VECTORS, BUCKET_INDEX, ROARING, *DATA_FILES, JSON),
    _global("btree", "a BTree index", _END.btree, ""),
    _global("old-btree", "a BTree index (preview)", _END.old_btree, "a preview of 1.4", "btree"),
    _global("bitmap", "a bitmap global index", _END.bitmap, "", "bitmap", "multivalue"),
    _global("old-bitmap", "a bitmap global index (1.4)", None, "", "bitmap"),
    _global("fm", "an FM index", _END.fm, "", "fm", "fmindex"),
    _global("full-text", "a full-text index", _START.full_text, _FTINDEX),
    _global("tantivy", "a full-text index (Tantivy)", None, "Paimon 1.4", "tantivy-fulltext"),
    _global("es-index", "a Lucene index", None, "Java's paimon-eslib"),
    _global("ivf-flat", "a vector index (IVF-flat)", _START.ivf_flat, _VINDEX),
    _global("ivf-pq", "a vector index (IVF-PQ)", _START.ivf_pq, _VINDEX),
    _global("ivf-sq", "a vector index (IVF-SQ)", _START.ivf_sq, _VINDEX),
    _global("ivf-rq", "a vector index (IVF-RQ)", _START.ivf_rq, _VINDEX),
    _global("ivf-hnsw-flat", "a vector index (IVF-HNSW)", None, "a preview of 2.0"),
    _global("ivf-hnsw-sq", "a vector index (IVF-HNSW-SQ)", None, "a preview of 2.0"),
    _global("diskann", "a vector index (DiskANN)", _START.diskann, _VINDEX),
    _global("lumina", "a vector index (Lumina)", None, "pypaimon[lumina]"),
    _global("lumina-vector-ann", "a vector index (old Lumina)", None, "pypaimon[lumina]"),
    *(ROW, BLOB, BLOB_REFERENCES, SIDECAR),
    FileKind("mosaic", "a Mosaic file", _END.mosaic, ".mosaic", _ROWS, _MOSAIC),
    FileKind("vortex", "a Vortex file", _END.vortex, ".vortex", _ROWS, "pypaimon[vortex]"),
    FileKind("lance", "a Lance file", _END.lance, ".lance", _ROWS, "pypaimon[lance]"),
    FileKind("video", "a video file", _END.video, ".video", "videos", "pypaimon[video]"),
    FileKind("csv", "a CSV file", None, ".csv", _ROWS, _JAVA),
    FileKind("text", "a text file", None, ".text", _ROWS, _JAVA),
    FileKind("lookup", "a lookup file", _END.lookup, ".lookup", "rows for lookup joins", _JAVA),
)
NAMED = {kind.id: kind for kind in KINDS}
_STARTS = {kind.magic: kind for kind in KINDS if isinstance(kind.magic, StartMagic)}
_ENDS = {kind.magic: kind for kind in KINDS if isinstance(kind.magic, EndMagic)}


def kind_of(source: Source) -> FileKind:
    """Return the kind of a file by its bytes; `UNKNOWN` if they do not determine it.

    A sorted file starts with any bytes, so its end is read first.
    """
    size = min(source.size, FileEnd.len_end)
    return (
        _kind_at_end(source.read(source.size - size, size))
        or kind_at_start(source.read(0, min(source.size, FileStart.len_start)))
        or (VECTORS if _starts_with_vector(source) else None)
        or (JSON if _is_json(source) else None)
        or (FILE_INDEX if _is_beside_data(source.name) else UNKNOWN)
    )


_ROLES = {
    "a manifest": (AVRO, "_TOTAL_BUCKETS", "_KIND"),
    "a manifest list": (AVRO, "_NUM_ADDED_FILES"),
    "an index manifest": (AVRO, "_INDEX_TYPE"),
    "a snapshot": (JSON, "deltaManifestList"),
    "a schema": (JSON, "highestFieldId"),
    "a consumer": (JSON, "nextSnapshot"),
}
"""The kinds of metadata of a table, and the fields that only they have."""


def role_of(source: Source, kind: FileKind) -> str | None:
    """Return which metadata of a table a file contains, by its fields; None if it is another."""
    if kind not in (AVRO, JSON):
        return None
    start = source.read(0, min(source.size, _MOST_JSON))
    for role, (of_kind, *fields) in _ROLES.items():
        if kind is of_kind and all(f'"{field}"'.encode() in start for field in fields):
            return role
    return None


def known_kind(source: Source, kind: FileKind = UNKNOWN) -> FileKind:
    """Return the kind of a file: `kind`, or by default that of its bytes.

    Raises:
        UnsupportedError: They do not determine it.
        CorruptFileError: The file is empty.
    """
    if kind is UNKNOWN:
        kind = kind_of(source)
    if kind is not UNKNOWN:
        return kind
    if source.size == 0:
        raise CorruptFileError("the file is empty", path=source.name, offset=0, remedy=EMPTY)
    raise unrecognised(source.name)


def kind_at_start(data: bytes) -> FileKind | None:
    """Return the kind of a file that starts with this data; None if it has no magic number."""
    if len(data) < FileStart.len_start:
        return None
    start = FileStart(data, 0, 0)
    return _STARTS.get(start.magic) or _STARTS.get(start.short_magic)


def data_format(start: bytes) -> str | None:
    """Return `Parquet`, `ORC` or `Avro` for a file that starts with this data; else None."""
    kind = kind_at_start(start)
    return kind.name.removesuffix(" file") if kind in DATA_FILES else None


def _kind_at_end(data: bytes) -> FileKind | None:
    if len(data) < FileEnd.len_end:
        return None
    end = FileEnd(data, 0, 0)
    return _ENDS.get(_END.fm if end.magic_before == _END.fm else end.magic)


def _starts_with_vector(source: Source) -> bool:
    """Return whether the file starts with a version and the head of a vector, or is a version."""
    try:
        read_view(source, views.DeletionVectorsHead, 0)
        has_version = True
    except FormatError:  # the version is corrupt, or the file is of another kind
        has_version = False
    first = views.places_deletion_vectors().vectors
    if source.size == first:
        return has_version
    try:
        head = read_view(source, views.DeletionVectorHead, first)
        read_view(source, views.DeletionVectorDataHead, head.end)
    except FormatError:
        return False
    return True


def _is_json(source: Source) -> bool:
    try:
        is_object = source.read(0, min(source.size, 1)) == b"{"
        return is_object and bool(json.loads(source.read(0, min(source.size, _MOST_JSON))))
    except (ValueError, RecursionError):
        return False


def _is_beside_data(name: str) -> bool:
    """Return whether a local file has the name of an index of a data file in the same folder."""
    stem = name.removesuffix(".index")
    try:
        return stem != name and any(map(os.path.isfile, (stem, stem.rpartition("-")[0])))
    except ValueError:  # a name with NUL
        return False


def index_kind(index_type: str, *, has_metadata: bool = True) -> FileKind:
    """Return the kind of the files with a type in index manifests, and metadata or none there."""
    kinds = [kind for kind in KINDS if index_type in kind.index_types]
    if not kinds:
        title = f"an index of the type {index_type!r:.60}"
        return replace(
            UNKNOWN, title=title, use=_INDEX, readers="what wrote it", remedy=BUILD_AGAIN
        )
    return next((kind for kind in kinds if (kind.magic is None) != has_metadata), kinds[0])


def missing_magic(source: Source, kind: FileKind) -> CorruptFileError | None:
    """Return the error about a file that lacks the magic number of its kind, if it does."""
    if kind.magic is None or kind_of(source) is kind:
        return None
    message = f"it should be {kind.title}, but it lacks the magic number"
    at = 0 if isinstance(kind.magic, StartMagic) else max(source.size - FileEnd.len_end, 0)
    return CorruptFileError(message, path=source.name, offset=at, remedy=kind.remedy)


def unrecognised(name: str) -> UnsupportedError:
    """Return the error about a file of an unknown kind, with a hint by its name."""
    name_only = re.split(r"[/\\]", name)[-1]
    hint = next((k.title for k in KINDS if k.suffix and name_only.endswith(k.suffix)), None)
    if "global-index-" in name_only:
        hint = "a global index"
    elif name_only.startswith("index-"):
        hint = "a vector file, a bucket index or an index of a primary-key table"
    message = "its kind is unknown: it has no magic number"
    return UnsupportedError(
        f"{message}; according to its name, it may be {hint}" if hint else message,
        path=name,
        remedy="if you know its kind, pass it, such as --kind bucket-index, to "
        f"{command('verify', name)}",
    )


def other_kind(source: Source, expected: str) -> CorruptFileError | None:
    """Return an error that names the kind of a file if its title is not `wanted`."""
    kind = kind_of(source)
    if kind is UNKNOWN or kind.title == expected:
        return None
    return CorruptFileError(
        f"this is {kind.title}, not {expected}",
        path=source.name,
        offset=0,
        remedy=f"{command('inspect', source.name)} shows what is in it",
    )
