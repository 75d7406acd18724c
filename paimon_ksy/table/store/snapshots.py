"""The snapshots, tags, changelogs and consumers of a table or branch."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from json import JSONDecodeError
from numbers import Integral
from typing import Any, TypeVar

from paimon_ksy.errors import (
    CorruptFileError,
    MissingFileError,
    OptionError,
    PaimonKsyError,
    PredicateError,
)
from paimon_ksy.messages.commands import table_command
from paimon_ksy.messages.tables import to_table
from paimon_ksy.table.io.paths import REMEDY, file_name
from paimon_ksy.table.io.storage import FolderItem, Storage
from paimon_ksy.table.model.documents import consumer_document
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.errors import REMEDY_LATEST, translated_errors
from paimon_ksy.types import typed_arrow as pa
from paimon_ksy.types.literals import TIMESTAMP_LTZ, plain, position_of

HINTS = ("EARLIEST", "LATEST")
_HINT = re.compile(r"-?[0-9]{1,19}")
_SUCCESS_FILES = "tag-success-file"  # a folder in tag/, by the option `tag.create-success-file`
_LAST = (1 << 63) - 1  # a `long` in Java
_ATTEMPTS, _BETWEEN_ATTEMPTS = 3, 0.001  # seconds; as in Java's `HintFileUtils.readHint`
T = TypeVar("T")

REMEDY_HINT = "delete the file: readers find the snapshots without it"

BATCH_COMMIT = 0x7FFFFFFFFFFFFFFF
"""The commit identifier of batch jobs (`BatchWriteBuilder.COMMIT_IDENTIFIER`)."""


_REMEDY_CONSUMER = (
    "until then, Java expires no snapshot: delete the file, or have Spark write it: CALL "
    "sys.reset_consumer(..)"
)
_REMEDY_EMPTY = (
    "a crash interrupted its commit: if it is the newest snapshot, delete it and the hint "
    "snapshot/LATEST, and repeat the commit; restore an older one from a backup"
)


_OF_TAG = {name: name for name in ("snapshot_id", "schema_id", "commit_time")}
_OF_TAG |= {"total_record_count": "record_count"}
"""The columns of Java's `$snapshots` that `$tags` has, with their names there."""


@dataclass(frozen=True, eq=False)
class Snapshots:
    """The snapshots, tags, changelogs and consumers of a table or branch.

    No snapshot that it returns names a file outside the table. Its methods raise a PaimonKsyError
    if a file or folder cannot be read.

    Attributes:
        environment: pypaimon's `CatalogEnvironment` of the table; None without a catalog that
            stores snapshots.
        storage: The table's files.
        location: The folder of the table.
        branch: The folder of the table, or of its branch, that contains snapshot/ and tag/.
        words: The table's name in commands.
    """

    environment: Any
    storage: Storage
    location: str
    branch: str
    words: str

    @property
    def _folder(self) -> str:
        return f"{self.branch}/snapshot"

    def __call__(self) -> pa.Table:
        """Return the snapshots that are listed, with the columns of Java's `$snapshots`."""
        listed: pa.Table = to_table(Snapshot, map(self.of_id, self.ids()))
        return listed

    def table_of_tags(self) -> pa.Table:
        """Return the tags and their snapshots, named as in Java's `$tags`."""
        names = sorted(self.tags())
        rest = to_table(Snapshot, map(self.of_tag, names)).select([*_OF_TAG])
        rest = rest.rename_columns([*_OF_TAG.values()])
        tags: pa.Table = rest.add_column(0, "tag_name", pa.array(names, pa.string()))
        return tags

    def latest(self) -> Snapshot | None:
        """Return the latest snapshot; None if there is none yet."""
        path = f"{self._folder}/LATEST"
        with translated_errors(path, REMEDY_LATEST):
            if self.environment is not None:
                try:
                    newest = self.environment.snapshot_loader().load()
                except NotImplementedError:
                    pass  # the catalog stores no snapshots: they are in the folder
                else:
                    return None if newest is None else self.checked(Snapshot.of(newest))
            number = self._latest_id()
        if number is None:
            return None
        try:
            return self._read(f"{self._folder}/snapshot-{number}", REMEDY_LATEST)
        except MissingFileError:
            listed = max(self.ids(), default=0)
        # An outdated LATEST, or one that is cut off, may name an expired snapshot.
        if not listed or (listed < number and self.hint("LATEST") == number):
            raise self._lost("LATEST", number, "later commits are lost")
        return self._read(f"{self._folder}/snapshot-{listed}", REMEDY_LATEST)

    def of_id(self, snapshot_id: int) -> Snapshot:
        """Return a snapshot.

        Raises:
            MissingFileError: The snapshot expired, or never existed.
            OptionError: It is not a number.
            PaimonKsyError: It cannot be read.
        """
        if not isinstance(snapshot_id, Integral):  # text would name a file, too
            raise OptionError(f"a snapshot is a number, not {snapshot_id!r}")
        path = f"{self._folder}/snapshot-{snapshot_id}"
        try:
            snapshot = self._read(path)
        except MissingFileError:
            raise MissingFileError(
                f"has no snapshot {snapshot_id}; it may have expired",
                path=self.location,
                remedy=f"`{table_command('inspect', table=self.words)}` lists those that exist",
            ) from None
        if snapshot.id != snapshot_id:
            message = f"id is {snapshot.id}, but the file is named snapshot-{snapshot_id}"
            raise CorruptFileError(message, path=path, remedy=REMEDY)
        return snapshot

    def exists(self, snapshot_id: int) -> bool:
        """Return whether the file of a snapshot exists."""
        return self.storage.exists(f"{self._folder}/snapshot-{snapshot_id}")

    def newest_first(self, latest: Snapshot) -> Iterator[Snapshot]:
        """Yield a snapshot and those before it, until one has expired."""
        yield latest
        with suppress(MissingFileError):
            for number in range(latest.id - 1, 0, -1):
                yield self.of_id(number)

    def as_of(self, moment: object, time_zone: str) -> Snapshot:
        """Return the newest snapshot not after a time, which is in the zone if it has none.

        Raises:
            OptionError: No snapshot is as old.
            PaimonKsyError: A snapshot cannot be read.
        """
        try:
            place = position_of(plain(moment), TIMESTAMP_LTZ, "as_of", time_zone)
        except PredicateError:
            message = f"{moment!r} is not a time: write one such as '2024-01-31 12:30:00'"
            raise OptionError(message) from None
        ids, millis = (self.ids(), place.value // 10**6) if place.kind == "at" else ([], 0)
        at = bisect_right(ids, millis, key=lambda number: self.of_id(number).time_millis)
        if not at:
            raise OptionError(f"{self.location}: no snapshot is as old as {moment}")
        return self.of_id(ids[at - 1])

    def of_tag(self, tag: str) -> Snapshot:
        """Return the snapshot of a tag.

        Raises:
            MissingFileError: There is no such tag.
        """
        try:
            return self._read(f"{self.branch}/tag/tag-{tag}")
        except MissingFileError:
            raise MissingFileError(
                f"has no tag {tag!r}",
                path=self.location,
                remedy=f"`{table_command('inspect', table=self.words)}` lists them",
            ) from None

    def selected(self, options: Mapping[str, str]) -> tuple[int | None, str | None]:
        """Return the id or the tag that options select, as in Java; neither for the latest state.

        Raises:
            OptionError: Both are selected, or the id is malformed.
        """
        names = "scan.snapshot-id", "scan.tag-name"
        number, tag = (options.get(name, "").strip() for name in names)
        if number and tag:
            raise OptionError(f"{names[0]} and {names[1]} exclude each other: reset one")
        if number and re.fullmatch("0*[1-9][0-9]{0,17}", number) is None:
            raise OptionError(f"option {names[0]!r}: {number!r} is not a whole number from 1")
        return int(number) if number else None, tag or None

    def changelog(self, snapshot_id: int) -> Snapshot:
        """Return the changelog that outlives the snapshot of this id."""
        return self._read(f"{self.branch}/changelog/changelog-{snapshot_id}")

    def consumer_position(self, name: str) -> int:
        """Return the id of the snapshot that a consumer reads next."""
        path = f"{self.branch}/consumer/consumer-{name}"
        with translated_errors(path, _REMEDY_CONSUMER):
            return self._reread(path, lambda text: int(consumer_document(text)["nextSnapshot"]))

    def checked(self, snapshot: Snapshot, path: str | None = None) -> Snapshot:
        """Return a snapshot after checking that it names nothing outside the table.

        `path` is the file that contains it; None for the snapshot file of its id.

        Raises:
            OutsideError, CorruptFileError: It names a file outside the table, or its own file is
                elsewhere.
        """
        path = path or f"{self._folder}/snapshot-{snapshot.id}"
        for name in (*snapshot.manifest_lists.values(), snapshot.index_manifest):
            if name:
                file_name(name, "manifest", path)
        if snapshot.statistics:
            file_name(snapshot.statistics, "file of statistics", path)
        return snapshot

    def ids(self) -> list[int]:
        """Return the ids of the snapshots that are listed, ascending."""
        return self.storage.ids(self._folder, "snapshot")

    def changelogs(self) -> list[int]:
        """Return the ids of the changelogs that are listed (see `ids`)."""
        return self.storage.ids(f"{self.branch}/changelog", "changelog")

    def tags(self) -> list[str]:
        """Return the names of the tags that are listed (see `ids`)."""
        names = self.storage.names(f"{self.branch}/tag", "tag-")
        return [name for name in names if f"tag-{name}" != _SUCCESS_FILES]

    def consumers(self) -> list[str]:
        """Return the names of the consumers that are listed (see `ids`)."""
        return self.storage.names(f"{self.branch}/consumer", "consumer-")

    def hint(self, name: str) -> int | None:
        """Return the id in the file `EARLIEST` or `LATEST`; None without the file.

        Raises:
            CorruptFileError: The file contains something else.
            PaimonKsyError: The file cannot be read.
        """
        path = f"{self._folder}/{name}"

        def parse(data: bytes) -> int:
            text = data.decode("ascii", "replace").strip()
            if not _HINT.fullmatch(text):
                message = f"it contains {text[:20]!r}, not the id of a snapshot"
                raise CorruptFileError(message, path=path, remedy=REMEDY_HINT)
            return int(text)

        try:
            return self._reread(path, parse)
        except MissingFileError:
            return None

    def check_complete(self) -> None:
        """Check that no snapshot, tag or changelog is visibly missing, and the newest snapshot.

        Otherwise a commit may follow the wrong snapshot, and files may seem to be orphans.

        Raises:
            PaimonKsyError: One is missing (see `missing`), or the newest one is corrupt.
        """
        for error in self.missing():
            raise error
        if ids := self.ids():
            with suppress(MissingFileError):  # it was rolled back in the meantime
                self.of_id(ids[-1])

    def missing(self) -> list[PaimonKsyError]:
        """Return an error for each sign that a snapshot, tag or changelog is missing.

        Java numbers snapshots without gaps, and expires the first ones, so that EARLIEST names the
        first one that counts. It writes LATEST after the snapshot, so none is later than listed.
        Since snapshots may expire or be rolled back while they are listed, all is listed again
        before anything is missing.
        """
        return [*self._missing()] and [*self._missing()]

    def _missing(self) -> Iterator[PaimonKsyError]:
        hints: dict[str, int] = {}
        for name in HINTS:
            with suppress(PaimonKsyError):  # Java ignores such a hint
                hints[name] = self.hint(name) or 0
        for kind in ("snapshot", "tag", "changelog"):
            folder = f"{self.branch}/{kind}"
            try:
                items = [*self.storage.items(folder)]
            except PaimonKsyError as error:
                yield error
                continue
            for item in items:
                if (wrong := _wrong(item, kind)) is not None:
                    is_empty = kind == "snapshot" and item.is_file and not item.size
                    remedy = _REMEDY_EMPTY if is_empty else REMEDY
                    yield CorruptFileError(wrong, path=f"{folder}/{item.name}", remedy=remedy)
            if kind == "snapshot":
                yield from self._gaps(self.ids(), hints)

    def _gaps(self, ids: Sequence[int], hints: Mapping[str, int]) -> Iterator[PaimonKsyError]:
        """Yield an error for each gap between snapshots, and for a later one that a hint names."""
        for name, number in hints.items():
            if number > max(ids, default=0):
                there = f"{ids[0]} to {ids[-1]}" if ids else "none"
                yield self._lost(name, number, f"snapshots are {there}; later commits are lost")
        if ids and ids[-1] == _LAST:
            yield CorruptFileError(
                "no snapshot can follow it: it has the last id",
                path=f"{self._folder}/snapshot-{_LAST}",
                remedy="move the file out of the folder",
            )
            ids = ids[:-1]
        earliest = hints.get("EARLIEST")
        counted = ids[ids.index(earliest) :] if earliest in ids else ids
        for before, after in pairwise(counted):
            if after > before + 1:
                some = "it does" if after == before + 2 else f"it and those up to {after - 1} do"
                yield CorruptFileError(
                    f"{some} not exist, but earlier and later snapshots do",
                    path=f"{self._folder}/snapshot-{before + 1}",
                    remedy="restore the file from a backup; if it is lost for good, write "
                    f"{after} to {self._folder}/EARLIEST, so that earlier ones count as expired",
                )

    def _lost(self, hint: str, number: int, text: str) -> PaimonKsyError:
        return MissingFileError(
            f"it does not exist, but the hint {hint} names it: {text}",
            path=f"{self._folder}/snapshot-{number}",
            remedy=REMEDY_LATEST,
        )

    def _read(self, path: str, remedy: str = REMEDY) -> Snapshot:
        with translated_errors(path, remedy):
            text = self.storage.read_json(path)
            if not text and path.startswith(self._folder):
                raise CorruptFileError("it is empty", path=path, remedy=_REMEDY_EMPTY)
            return self.checked(Snapshot.parse(text), path)

    def _reread(self, path: str, parse: Callable[[bytes], T]) -> T:
        """Parse a hint or consumer, again if that fails.

        pypaimon and Java rewrite such files in place, so readers may find them empty or cut off.
        """
        for _ in range(_ATTEMPTS - 1):
            with suppress(CorruptFileError, JSONDecodeError):
                return parse(self.storage.read_json(path))
            time.sleep(_BETWEEN_ATTEMPTS)
        return parse(self.storage.read_json(path))

    def _latest_id(self) -> int | None:
        """Return the id of the latest snapshot, by the rule of Java's `HintFileUtils.findLatest`.

        LATEST may be outdated, but names no later snapshot than the latest one.

        Raises:
            PaimonKsyError: The folder cannot be listed; or no snapshot exists, but LATEST does.
        """
        failed: PaimonKsyError | None = None
        try:
            number = self.hint("LATEST") or 0
        except PaimonKsyError as error:
            number, failed = 0, error
        if number > 0 and not self.storage.exists(f"{self._folder}/snapshot-{number + 1}"):
            return number
        ids = self.ids()
        if not ids and failed is not None:
            raise failed
        return max(ids, default=None)


def _wrong(item: FolderItem, kind: str) -> str | None:
    """Return why an entry of a folder cannot be the snapshot, tag or changelog of its name."""
    if item.name in HINTS:
        return None if item.is_file else "it is not a file"
    if not item.name.startswith(f"{kind}-") or (item.is_folder and item.name == _SUCCESS_FILES):
        return None
    if not item.is_file:
        return "it is not a file"
    return None if item.size else "it is empty"
