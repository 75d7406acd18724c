"""The files that a table may use: one rule for every path in its metadata.

A table may use its own folder, which contains its branches. It may read the external paths that
the options of its schemas list. It may change only those that the caller names, too, because
schemas can list the folders of other tables. Names in manifests and snapshots are plain file names,
without a separator. On a local file system, links are followed before a path is compared; object
stores have no links. Every name in a schema, snapshot or manifest is checked here before any code,
pypaimon included, reads, writes, lists or deletes the file. `store.paths` checks paths during
planning, and `Storage` checks each file again when it is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from paimon_ksy.errors import Call, CorruptFileError, OptionError, OutsideError, Remedy

REMEDY = Remedy(
    "restore the file from a backup; to see which snapshots can be read, run ",
    Call("table inspect"),
)
"""The remedy for a snapshot or a manifest that cannot be read."""

EXTERNAL_PATHS = "data-file.external-paths"
_EXTERNAL_INDEXES = "global-index.external-path"

_SEPARATORS = {"/", os.sep, os.altsep or os.sep, "\0"}
_FOLDERS = 10_000
"""The number of folders that are cached: following the links of one takes about 20 us."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):(?=/)")
_ALIASES = {"s3a": "s3", "s3n": "s3"}


def file_name(name: str, what: str, where: str) -> str:
    """Return a file name from metadata after checking that it is one.

    `what` is the kind of file, such as `data file`, and `where` the file that contains the name.

    Raises:
        CorruptFileError: The name contains a separator, or is empty, `.` or `..`.
    """
    if not name or name in (".", "..") or not _SEPARATORS.isdisjoint(name):
        raise CorruptFileError(
            f"it names the {what} {name!r}, which is not a valid file name",
            path=where,
            remedy=REMEDY,
        )
    return name


class Roots:
    """The folders that a table may use. It can be pickled; links are followed where it is used."""

    def __init__(self, location: str, local_path: Callable[[str], str] | None) -> None:
        """Allow the folder of a table.

        `local_path` returns the path on this machine; None for a file system without links.
        """
        self._local_path = local_path
        self._location = location
        self._listed = {location: True}  # and the external paths; whether changes are allowed
        self._forget()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inside": set(), "_above": {}, "_roots": {}}

    def _forget(self) -> None:
        self._inside: set[str] = set()
        self._above: dict[str, str] = {}
        self._roots: dict[str, str] = {}

    def allow(self, options: Mapping[str, str]) -> None:
        """Allow reading the external paths that the options of one of the table's schemas list."""
        listed = f"{options.get(EXTERNAL_PATHS, '')},{options.get(_EXTERNAL_INDEXES, '')}"
        external = {path.strip().rstrip("/"): False for path in listed.split(",") if path.strip()}
        if external.keys() - self._listed.keys():
            self._listed = {**self._listed, **external, **self._listed}
            self._forget()

    @property
    def unchanged(self) -> list[str]:
        """The external paths in which no changes are allowed."""
        return [path for path, is_changed in self._listed.items() if not is_changed]

    def allow_changes(self, folder: str) -> None:
        """Allow changes in an external path, too.

        Raises:
            OptionError: No schema lists it.
        """
        place = self._resolved(folder.rstrip("/"))
        same = [path for path in self._listed if self._resolved(path) == place]
        if not same:
            listed = ", ".join([*self._listed][1:]) or "none"
            raise OptionError(f"{folder} is not an external path of the table: it has {listed}")
        self._listed.update(dict.fromkeys(same, True))

    def check(self, path: str) -> str:
        """Return the path of a file in a folder that the table may use.

        Paths are compared as strings, and the links of each folder are followed once.

        Raises:
            OutsideError: The folder is outside all of the allowed folders.
            CorruptFileError: The path does not end with a file name.
        """
        self.check_folder(_parts(path)[0], path)
        return path

    def check_folder(self, folder: str, path: str | None = None) -> None:
        """Check that the table may use a folder, or a file in it.

        Raises:
            OutsideError: The folder is outside all of the allowed folders.
        """
        if folder not in self._inside:
            self._root_of(self._resolved(folder), path or folder, folder)
            if len(self._inside) >= _FOLDERS:
                self._inside.clear()
            self._inside.add(folder)

    def check_file(self, path: str) -> None:
        """Check that the table may use a file, also if it is a link.

        Raises:
            OutsideError, CorruptFileError: As in `check`; or the file is a link to one elsewhere.
        """
        self.check(path)
        if self._local_path is not None:
            local = self._local_path(path)
            if os.path.islink(local):  # noqa: PTH114 - three times as quick
                self._root_of(os.path.realpath(local), path, path)

    def check_change(self, path: str) -> bool:
        """Check that the table may write or delete a file, and return whether it is its own.

        Otherwise, the file is in an external path that the caller named, and that other tables may
        share. Links are followed as they are now.

        Raises:
            OutsideError: The file is elsewhere, or in an external path that was not named.
            CorruptFileError: The path does not end with a file name.
        """
        return self._place_to_change(path)[0] == self._resolved(self._location)

    def unlink(self, path: str) -> None:
        """Delete a file on this machine that the table may change.

        Its folder is entered name by name, and never by a link that was made meanwhile.

        Raises:
            OutsideError, CorruptFileError: As in `check_change`.
            OSError: The file cannot be deleted, or a link leads to it.
        """
        root, place, name = self._place_to_change(path)
        if os.unlink not in os.supports_dir_fd:  # on Windows
            os.unlink(os.path.join(place, name))  # noqa: PTH108, PTH118
            return
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        folder = os.open(root, flags)
        try:
            for part in filter(None, place[len(root) :].split("/")):
                inner = os.open(part, flags, dir_fd=folder)
                os.close(folder)
                folder = inner
            os.unlink(name, dir_fd=folder)
        finally:
            os.close(folder)

    def _place_to_change(self, path: str) -> tuple[str, str, str]:
        """Return the root that contains a file, its folder, both without links, and its name."""
        folder, name = _parts(path)
        self._forget()  # links may have changed
        place = self._resolved(folder)
        root, listed = self._root_of(place, path, folder)
        if not self._listed[listed]:
            raise OutsideError.external(path, listed)
        return root, place, name

    def _root_of(self, place: str, path: str, folder: str) -> tuple[str, str]:
        """Return the innermost root of a file or folder, whose place has no links, and its name."""
        roots = self._roots or {self._resolved(root): root for root in reversed(self._listed)}
        self._roots = roots
        if among := [root for root in roots if _is_in(place, root)]:
            root = max(among, key=len)
            return root, roots[root]
        target = None
        if self._local_path is not None:
            plain = os.path.abspath(self._local_path(path))  # noqa: PTH100 - keeps links
            target = None if _is_in(plain, place) else place
        raise OutsideError.of(path, folder, target, list(self._listed))

    def _resolved(self, folder: str) -> str:
        """Return the folder without links, or a URL in its canonical spelling."""
        if self._local_path is not None:
            return self._without_links(self._local_path(folder) or ".", 2)
        match = _SCHEME.match(folder)
        scheme = "" if match is None else match[1].lower()
        rest = re.sub("/+", "/", folder[len(scheme) + 1 :] if scheme else folder)
        return f"{_ALIASES.get(scheme, scheme)}:{rest.rstrip('/')}"

    def _without_links(self, folder: str, levels: int) -> str:
        """Return the real path of a folder on this machine.

        Folders of buckets and partitions share their two parent folders, whose links are followed
        once.
        """
        above, name = os.path.split(folder)
        if levels and above and name not in ("", ".", ".."):
            real = os.path.join(self._without_links(above, levels - 1), name)  # noqa: PTH118
            return os.path.realpath(real) if os.path.islink(real) else real  # noqa: PTH114
        if (known := self._above.get(folder)) is None:
            if len(self._above) >= _FOLDERS:
                self._above.clear()
            known = self._above[folder] = os.path.realpath(folder)
        return known


def _parts(path: str) -> tuple[str, str]:
    """Return the folder and the name of a file."""
    folder, slash, name = path.rpartition("/")
    if not name or name in (".", "..") or "\0" in path:
        raise CorruptFileError("it is not the path of a file", path=path)
    return folder or slash, name


def _is_in(place: str, root: str) -> bool:
    root = root.rstrip("/")
    if place != root and not place.startswith(f"{root}/"):
        return False
    # These are URLs, which nothing resolves.
    return ".." not in place[len(root) :].split("/")
