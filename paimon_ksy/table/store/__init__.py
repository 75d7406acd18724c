"""A Paimon table as pypaimon exposes it: schemas, snapshots, manifests, commits.

Only this package uses pypaimon. It returns plain values that can be pickled, so workers need no
table.
"""

from paimon_ksy.errors import ConflictError, UncertainError
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import DataFile, Statistics, TableSchema, VectorPlace
from paimon_ksy.table.store.commits import until_committed
from paimon_ksy.table.store.errors import REMEDY, REMEDY_UNSUPPORTED
from paimon_ksy.table.store.file_entries import RunOver
from paimon_ksy.table.store.index_commit import NewIndex, commit_indexes
from paimon_ksy.table.store.merge import MergedFiles, merged_files
from paimon_ksy.table.store.opening import pypaimon_options
from paimon_ksy.table.store.parquet_pages import parquet_pages
from paimon_ksy.table.store.save_options import save_options_of
from paimon_ksy.table.store.snapshots import travel_options
from paimon_ksy.table.store.table import Table, TableOrPath
from paimon_ksy.table.store.variants import whole_variants
from paimon_ksy.table.store.vector_commit import (
    NewVectors,
    commit_vectors,
    live_among,
    new_vectors_path,
)

__all__ = [
    "REMEDY",
    "REMEDY_UNSUPPORTED",
    "ConflictError",
    "DataFile",
    "MergedFiles",
    "NewIndex",
    "NewVectors",
    "RunOver",
    "Statistics",
    "Table",
    "TableOrPath",
    "TableSchema",
    "UncertainError",
    "VectorPlace",
    "commit_indexes",
    "commit_vectors",
    "has_record_counts",
    "live_among",
    "merged_files",
    "new_vectors_path",
    "parquet_pages",
    "pypaimon_options",
    "save_options_of",
    "travel_options",
    "until_committed",
    "whole_variants",
]
