"""The facts about a table that the workers of an audit need, and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.table.audit.references import FileReference, Referrer
from paimon_ksy.table.index.options import WantedIndexes
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, IndexFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.options import is_on


@dataclass(frozen=True)
class AuditJob:
    """The parameters of an audit that workers need.

    `schemas` are those of data files by id, each with the indexes that it should have. With `deep`,
    indexes are compared with the data, and buckets with the keys.
    """

    table: Table
    schemas: Mapping[int, WantedIndexes]
    snapshot: int | None
    deep: bool

    @property
    def storage(self) -> Storage:
        """The storage of the table."""
        return self.table.storage

    @property
    def has_fixed_buckets(self) -> bool:
        """Whether Java's default function assigns the buckets."""
        function = self.table.options.get("bucket-function.type", "default")
        return self.table.bucket_mode == "HASH_FIXED" and function == "default"

    @property
    def has_row_ids(self) -> bool:
        """Whether rows have ids, in which global indexes list them."""
        has_keys = bool(self.table.schema.primary_keys)
        return is_on(self.table.options, "row-tracking.enabled") and not has_keys

    @property
    def compares_keys(self) -> bool:
        """Whether keys are compared with the indexes of dynamic buckets, or with each other."""
        has_vectors = is_on(self.table.options, "deletion-vectors.enabled")
        has_keys = bool(self.table.schema.primary_keys)
        is_keyed = self.table.bucket_mode == "HASH_DYNAMIC" or (has_keys and has_vectors)
        return self.deep and is_keyed

    def options_of(self, file: DataFile) -> FileIndexOptions:
        """Return the indexes that a data file should have, according to the table's options."""
        return self.schemas[file.schema_id].of_written(file.write_columns).options


@dataclass
class TaskResult:
    """The result of a task.

    Attributes:
        num_data_files, num_others: The numbers of files checked.
        findings: Problems other than those of data files and their indexes.
        broken: Problems of files that metadata names, each with what names the file.
        problems: Names of files without a valid path, with the reason.
        files: Data files of the latest snapshot with findings, and whether their data is readable.
        keyed: Files whose keys are compared (see `compares_keys`).
        drops: The names of files of global indexes to drop, by finding.
        error: The name of an index manifest that could not be read, why, and the snapshots that
            need it; if set, nothing else is known.
    """

    num_data_files: int = 0
    num_others: int = 0
    findings: list[Finding] = field(default_factory=list)
    broken: list[tuple[Finding, Referrer]] = field(default_factory=list)
    problems: list[tuple[str, PaimonKsyError]] = field(default_factory=list)
    files: list[tuple[DataFile, list[Finding], bool]] = field(default_factory=list)
    keyed: list[DataFile] = field(default_factory=list)
    drops: dict[Finding, str] = field(default_factory=dict)
    error: tuple[str, PaimonKsyError, set[int | None]] | None = None

    def check_index(
        self, job: AuditJob, file: IndexFile, named_by: Referrer, remedy: str, severity: str = ERROR
    ) -> bool:
        """Check that a file in an index manifest exists, with its size, and return the result."""
        try:
            path = job.table.paths.index_file(file)
        except PaimonKsyError as error:
            self.problems.append((file.file_name, error))
            return False
        self.num_others += 1
        at = path, file.file_size, "index-file", named_by
        return self.check(job, FileReference(*at, remedy, severity))

    def check(self, job: AuditJob, reference: FileReference) -> bool:
        """Check that a file that metadata names exists, with its size, and return the result."""
        finding = reference.finding(job.storage)
        if finding is not None:
            self.broken.append((finding, reference.named_by))
        return finding is None
