"""The files that a table may use: one rule for every path in its metadata.

A table may use its own folder, which contains its branches, and the external paths that the
options of its schemas list. Names in manifests and snapshots are plain file names, without a
separator. On a local file system, links are followed before a path is compared; object stores
have no links. Every name in a schema, snapshot or manifest is checked here before any code,
pypaimon included, reads, writes, lists or deletes the file. `store.paths` checks paths during
planning, and `Storage` checks each file again when it is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from paimon_ksy.errors import CorruptFileError, OutsideError

EXTERNAL_PATHS = "data-file.external-paths"
_EXTERNAL_INDEXES = "global-index.external-path"

_SEPARATORS = {"/", os.sep, os.altsep or os.sep, "\0"}
_FOLDERS = 10_000
"""The number of folders that are cached: following the links of one takes about 20 us."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):(?=/)")
_ALIASES = {"s3a": "s3", "s3n": "s3"}


def file_name(name: str, what: str, where: str) -> str:
    """Return a file name from metadata after checking that it is one.

    Args:
        name: The name.
        what: The kind of file, for the message, such as `data file`.
        where: The file that contains the name.

    Raises:
        CorruptFileError: The name contains a separator, or is empty, `.` or `..`.
    """
    if not name or name in (".", "..") or not _SEPARATORS.isdisjoint(name):
        raise CorruptFileError(
            f"it names the {what} {name!r}, which is not a valid file name",
            path=where,
            remedy="restore the file from a backup; `paimon-ksy table inspect TABLE` shows which "
            "snapshots can be read",
        )
    return name


def external_paths(options: Mapping[str, str]) -> list[str]:
    """Return the external folders for data files that the options list."""
    listed = options.get(EXTERNAL_PATHS, "").split(",")
    return [path.strip().rstrip("/") for path in listed if path.strip()]


class Roots:
    """The folders that a table may use. It can be pickled; links are followed where it is used."""

    def __init__(self, location: str, local_path: Callable[[str], str] | None) -> None:
        """Allow the folder of a table.

        Args:
            location: The folder, a path or URL.
            local_path: Returns the path on this machine; None for a file system without links.
        """
        self._location = location
        self._local_path = local_path
        self._external: dict[str, None] = {}
        self._forget()

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_inside", "_roots", "_above")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def _forget(self) -> None:
        self._inside: set[str] = set()
        self._above: dict[str, str] = {}
        self._roots: list[str] | None = None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the folders, the table's own first."""
        yield self._location
        yield from self._external

    def allow(self, options: Mapping[str, str]) -> None:
        """Allow the external paths that the options of one of the table's schemas list."""
        listed = external_paths(options)
        if (folder := options.get(_EXTERNAL_INDEXES, "").strip()) != "":
            listed.append(folder.rstrip("/"))
        if new := [path for path in listed if path not in self._external]:
            self._external.update(dict.fromkeys(new))
            self._forget()

    def check(self, path: str) -> str:
        """Return the path of a file in a folder that the table may use.

        Paths are compared as strings, and the links of each folder are followed once.

        Raises:
            OutsideError: The folder is outside all of the allowed folders.
            CorruptFileError: The path does not end with a file name.
        """
        folder, slash, name = path.rpartition("/")
        if not name or name in (".", "..") or "\0" in path:
            raise CorruptFileError("it is not the path of a file", path=path)
        folder = folder or slash
        if folder not in self._inside:
            self._look(folder, path)
        return path

    def check_folder(self, folder: str) -> str:
        """Return the path of a folder that the table may use.

        Raises:
            OutsideError: The folder is outside all of the allowed folders.
        """
        if folder not in self._inside:
            self._look(folder, folder)
        return folder

    def check_file(self, path: str) -> str:
        """Return the path of a file that the table may use, even if the file itself is a link.

        Raises:
            OutsideError, CorruptFileError: As in `check`; or the file is a link to one elsewhere.
        """
        self.check(path)
        if self._local_path is not None:
            local = self._local_path(path)
            if os.path.islink(local):  # noqa: PTH114 - three times as quick
                self._compare(os.path.realpath(local), path, path)
        return path

    def is_own(self, folder: str) -> bool:
        """Return whether a folder is in the table's own, but not in an external path there."""
        place, own = self._resolved(folder), self._resolved(self._location)
        roots = [root for root in map(self._resolved, self) if _is_in(place, root)]
        return max(roots, key=len, default=None) == own

    def _look(self, folder: str, path: str) -> None:
        self._compare(self._resolved(folder), path, folder)
        if len(self._inside) >= _FOLDERS:
            self._inside.clear()
        self._inside.add(folder)

    def _compare(self, place: str, path: str, folder: str) -> None:
        if self._roots is None:
            self._roots = [self._resolved(root) for root in self]
        if not any(_is_in(place, root) for root in self._roots):
            target = None
            if self._local_path is not None:
                plain = os.path.abspath(self._local_path(path))  # noqa: PTH100 - keeps links
                target = None if _is_in(plain, place) else place
            raise OutsideError.of(path, folder, target, list(self))

    def _resolved(self, folder: str) -> str:
        """Return the folder without links, or a URL in its canonical spelling."""
        if self._local_path is not None:
            return self._without_links(self._local_path(folder) or ".")
        found = _SCHEME.match(folder)
        scheme = "" if found is None else found[1].lower()
        rest = re.sub("/+", "/", folder[len(scheme) + 1 :] if scheme else folder)
        return f"{_ALIASES.get(scheme, scheme)}:{rest.rstrip('/')}"

    def _without_links(self, folder: str) -> str:
        """Return the real path of a folder on this machine.

        Folders of buckets and partitions share their two parent folders, whose links are followed
        once.
        """
        place, below = folder, []
        for _ in range(2):
            above, name = os.path.split(place)
            if not above or name in ("", ".", ".."):
                break
            place = above
            below.append(name)
        if (real := self._above.get(place)) is None:
            if len(self._above) >= _FOLDERS:
                self._above.clear()
            real = self._above[place] = os.path.realpath(place)
        for name in reversed(below):
            real = os.path.join(real, name)  # noqa: PTH118
            if os.path.islink(real):  # noqa: PTH114 - three times as quick
                real = os.path.realpath(real)
        return real


def _is_in(place: str, root: str) -> bool:
    root = root.rstrip("/")
    if place != root and not place.startswith(f"{root}/"):
        return False
    # These are URLs, which nothing resolves.
    return ".." not in place[len(root) :].split("/")
