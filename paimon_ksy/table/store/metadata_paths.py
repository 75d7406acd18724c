"""The places of a table's metadata: each path is checked against the table's folders here."""

from __future__ import annotations

from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.io.storage import Storage


class MetadataPaths:
    """Paths of a table's metadata.

    Attributes:
        location: The folder of the table, which contains manifest/.
        folder: The folder of the table, or of its branch, that contains schema/, snapshot/ and
            tag/.
    """

    def __init__(self, location: str, folder: str, storage: Storage) -> None:
        self.location = location
        self.folder = folder
        self._storage = storage

    def file(self, kind: str, name: str) -> str:
        """Return the path of a file such as `schema/schema-0`.

        Raises:
            OutsideError, CorruptFileError: The folder, or the file itself, is elsewhere.
        """
        path = f"{self.folder}/{kind}/{name}"
        self._storage.roots.check_file(path)
        return path

    def manifest(self, name: str, where: str = "") -> str:
        """Return the path of a manifest or a manifest list.

        Args:
            name: The name of the file.
            where: The file that contains the name.

        Raises:
            OutsideError, CorruptFileError: The name or the folder leads elsewhere.
        """
        where = where or self.folder
        path = f"{self.location}/manifest/{file_name(name, 'manifest', where)}"
        self._storage.roots.check_file(path)
        return path
