"""A Paimon table as pypaimon knows it: schemas, snapshots, manifests, commits.

The one place that knows pypaimon. What it hands out is plain and can be pickled, so that workers
need no table. Calls that are not public in pypaimon, each because no public one does the same:

- `SnapshotManager`, `ManifestListManager`, `ManifestFileManager`, `IndexManifestFile` (`table`):
  planning in pypaimon makes splits, which leave out file indexes, statistics and what was deleted.
- `FileStoreCommit._try_commit` (`commits`): the public commit makes a rewrite of metadata an
  OVERWRITE, and Java's rewrite of file indexes is a COMPACT.
- `FileStoreCommit._write_manifest_files` and what numbers rows before it (`indexes`): they take all
  entries of a commit at once, which may be those of every data file.
- `CachingFileIO._delegate` (`storage`): whether files are local, so that there may be links.
- `RenamingSnapshotCommit.file_io` (`links`): its rename on a local file system is not safe between
  processes.
- `canonical_data_file_path`, `bucket_index_path` (`table`): where Java puts a file of a partition.
- `FileStorePathFactory._find_floating_bucket_index` (`table`): where a partition by FLOAT or DOUBLE
  has another name than pypaimon gives it, which itself asks this of index files alone.
- `ParquetPageIndexReader` (`pages`): pyarrow has no way to read single pages of a column. Its
  `_batches` is given the pages that have selected rows, where it would take all from the first to
  the last, and no dictionary that these do not need; and Arrow these pages as a stream, where it
  would make a file of them.
- `record_batch_reader._polars_arrow_table` (`merged`): is replaced by one that looks at columns
  first, since what pypaimon merges goes through polars, which panics over some.
- `manifest_file_manager._read_manifest_records`, `JSON.from_json`, `TableSchema.from_json`
  (`checked`): are wrapped, so that metadata are checked wherever pypaimon reads them, also when it
  merges and commits, and entries that lack what older versions of Paimon left out are complete.
- `parquet_page_index_reader._Compact`, `_encode` (`pages`, `footer`): nothing public reads and
  writes the Thrift of page headers and footers.
"""

from paimon_ksy.errors import ConflictError, UncertainError
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import DataFile, Statistics, TableSchema, VectorPlace
from paimon_ksy.table.store.errors import REMEDY, REMEDY_UNSUPPORTED, spelled
from paimon_ksy.table.store.indexes import NewIndex, commit_indexes
from paimon_ksy.table.store.merge import MergedFiles, merged_files
from paimon_ksy.table.store.parquet_footer import with_raw_decimals
from paimon_ksy.table.store.parquet_pages import parquet_pages
from paimon_ksy.table.store.schemas import saved_options
from paimon_ksy.table.store.table import Table, TableOrPath
from paimon_ksy.table.store.variants import whole_variants
from paimon_ksy.table.store.vectors import NewVectors, commit_vectors, new_vectors_path

__all__ = [
    "REMEDY",
    "REMEDY_UNSUPPORTED",
    "ConflictError",
    "DataFile",
    "MergedFiles",
    "NewIndex",
    "NewVectors",
    "Statistics",
    "Table",
    "TableOrPath",
    "TableSchema",
    "UncertainError",
    "VectorPlace",
    "commit_indexes",
    "commit_vectors",
    "has_record_counts",
    "merged_files",
    "new_vectors_path",
    "parquet_pages",
    "saved_options",
    "spelled",
    "whole_variants",
    "with_raw_decimals",
]
