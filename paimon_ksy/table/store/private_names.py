"""The private names of pypaimon that this package uses, and why.

A new version of pypaimon may lack any of them. Tests compare the list with the code, with the
installed version, and with the page docs/project/pypaimon.md.
"""

from __future__ import annotations

from typing import NamedTuple


class PrivateName(NamedTuple):
    """A private name of pypaimon: `module` below `pypaimon`, and `name` in it."""

    module: str
    name: str
    why: str


_COMMIT_INDEXES = "a commit takes all entries at once, which may be those of every data file"
_ENTRIES = "makes the entries that a commit changes, and writes manifests of them part by part"
_VECTORS = "no public write adds a file of deletion vectors"
_CHECKED = "is wrapped: metadata are checked wherever pypaimon reads them"
_FORMATS = "is wrapped: manifests may be in ORC or Parquet"
_JAVA_MERGE = "is replaced: rows are merged as Java does"
_SPLIT = "a plan of pypaimon would hold an object for each data file of the table"
_PAGES = "pyarrow cannot read single pages of a column"
_OPEN = "reads a table's metadata without `FileStoreTable`, whose import takes 0.6 s"

PRIVATE_NAMES = (
    # Tables and catalogs.
    PrivateName("catalog.catalog_factory", "CatalogFactory.create", "opens catalogs"),
    PrivateName("table.file_store_table", "FileStoreTable", "is the table that has snapshots"),
    PrivateName("common.file_io", "FileIO", _OPEN),
    PrivateName("common.identifier", "Identifier", _OPEN),
    PrivateName("common.options", "CoreOptions", _OPEN),
    PrivateName("common.options", "Options", _OPEN),
    PrivateName("common.options.config", "CatalogOptions", "has the spelling of options"),
    PrivateName("common.options.config", "OssOptions", "has the spelling of options"),
    PrivateName("common.options.config", "S3Options", "has the spelling of options"),
    PrivateName("schema.schema_change", "SchemaChange", "changes options of a table"),
    PrivateName(
        "filesystem.caching_file_io",
        "CachingFileIO._delegate",
        "shows whether files are local, where links are possible",
    ),
    PrivateName(
        "snapshot.renaming_snapshot_commit",
        "RenamingSnapshotCommit.file_io",
        "its rename on a local file system is not safe between processes",
    ),
    # Metadata.
    PrivateName("common.json_util", "JSON.to_json", "schemas are parsed by our own parser"),
    PrivateName("common.json_util", "JSON.from_json", _CHECKED),
    PrivateName("schema.table_schema", "TableSchema.from_json", _CHECKED),
    PrivateName("schema.table_schema", "TableSchema.from_path", _OPEN),
    PrivateName("snapshot.snapshot", "Snapshot", _CHECKED),
    PrivateName("manifest.manifest_file_manager", "ManifestFileManager", _ENTRIES),
    PrivateName(
        "manifest.manifest_file_manager",
        "_read_manifest_records",
        "is wrapped: entries of older versions lack fields",
    ),
    PrivateName("manifest.index_manifest_file", "IndexManifestFile", _FORMATS),
    PrivateName("manifest.manifest_file_manager", "fastavro", _FORMATS),
    PrivateName("manifest.manifest_list_manager", "fastavro", _FORMATS),
    PrivateName("manifest.index_manifest_file", "fastavro", _FORMATS),
    PrivateName("manifest.index_manifest_file", "IndexManifestFile._read_json", _FORMATS),
    PrivateName("manifest.index_manifest_file", "IndexManifestFile._read_avro", _FORMATS),
    # Paths.
    PrivateName(
        "utils.file_store_path_factory",
        "canonical_data_file_path",
        "knows Java's folder of a partition",
    ),
    PrivateName("utils.file_store_path_factory", "FileStorePathFactory", _OPEN),
    PrivateName(
        "utils.file_store_path_factory",
        "FileStorePathFactory.bucket_index_path",
        "knows Java's folder of a partition",
    ),
    PrivateName(
        "utils.file_store_path_factory",
        "FileStorePathFactory._find_floating_bucket_index",
        "partitions by FLOAT or DOUBLE may have other names than pypaimon gives data files",
    ),
    PrivateName("utils.path", "to_file_io_path", "external paths are in Java's spelling"),
    PrivateName("utils.path", "resolve_path", "names of index files may look like URLs"),
    PrivateName(
        "table.row.generic_row",
        "GenericRowDeserializer.from_bytes",
        "what names folders, and commits, take its values of a partition",
    ),
    # Commits.
    PrivateName(
        "write.file_store_commit",
        "FileStoreCommit._try_commit",
        "a public commit is an OVERWRITE; Java's rewrite of file indexes is a COMPACT",
    ),
    PrivateName(
        "write.file_store_commit", "FileStoreCommit._write_manifest_files", _COMMIT_INDEXES
    ),
    PrivateName("write.file_store_commit", "FileStoreCommit._assign_snapshot_id", _COMMIT_INDEXES),
    PrivateName(
        "write.file_store_commit",
        "FileStoreCommit._group_commit_entries_by_partition",
        _COMMIT_INDEXES,
    ),
    PrivateName(
        "write.file_store_commit", "FileStoreCommit._assign_row_tracking_meta", _COMMIT_INDEXES
    ),
    PrivateName("index.deletion_vector_meta", "DeletionVectorMeta", _VECTORS),
    PrivateName("index.index_file_meta", "IndexFileMeta", _VECTORS),
    PrivateName("manifest.index_manifest_entry", "IndexManifestEntry", _VECTORS),
    # Merging.
    PrivateName(
        "read.reader.iface.record_batch_reader",
        "_polars_arrow_table",
        "is wrapped: polars panics over some values",
    ),
    PrivateName("read.split", "DataSplit", _SPLIT),
    PrivateName("manifest.schema.data_file_meta", "DataFileMeta", _SPLIT),
    PrivateName("manifest.schema.simple_stats", "SimpleStats.empty_stats", _SPLIT),
    PrivateName("table.source.deletion_file", "DeletionFile", _SPLIT),
    PrivateName("read.table_read", "TableRead._build_split_read", _JAVA_MERGE),
    PrivateName("read.split_read", "MergeFileSplitRead._build_merge_function", _JAVA_MERGE),
    PrivateName("read.reader.aggregation_merge_function", "resolve_agg_func_name", _JAVA_MERGE),
    PrivateName("read.reader.aggregation_merge_function", "AggregateMergeFunction", _JAVA_MERGE),
    PrivateName("read.reader.aggregate", "create_field_aggregator", _JAVA_MERGE),
    PrivateName(
        "read.reader.aggregate.aggregators",
        "FieldNestedPartialUpdateAgg._apply_nested_key_null_strategy",
        _JAVA_MERGE,
    ),
    # Values in Parquet files.
    PrivateName("data.variant_shredding", "is_shredded_variant", "assembles shredded VARIANTs"),
    PrivateName("data.variant_shredding", "build_variant_schema", "assembles shredded VARIANTs"),
    PrivateName(
        "data.variant_shredding", "assemble_shredded_column", "assembles shredded VARIANTs"
    ),
    PrivateName("read.reader.parquet_page_index_reader", "ParquetPageIndexReader", _PAGES),
    PrivateName(
        "read.reader.parquet_page_index_reader",
        "ParquetPageIndexReader._batches",
        "is replaced: it would read all pages from the first selected row to the last",
    ),
    PrivateName(
        "read.reader.parquet_page_index_reader", "ParquetPageIndexReader._column_payload", _PAGES
    ),
)
