# Generated from all .ksy files by `ksykit generate`. Do not edit.
"""The fields that have `valid` or `contents`: errors name them by these paths."""

from typing import NamedTuple


class Checked(NamedTuple):
    """A field by its path, which begins with the spec, and the valid values that are listed."""

    path: str
    values: tuple[int, ...]


CHECKED: dict[str, Checked] = {
    "serialized_row.num_fields": Checked("binary_row/types/serialized_row/seq/0", ()),
    "short_string.mark": Checked("binary_row/types/short_string/seq/1", ()),
    "bit_slice_index.len_head": Checked("bit_slice_index/seq/0", ()),
    "bit_slice_index.version": Checked("bit_slice_index/seq/2", (1,)),
    "bit_slice_index.num_slices": Checked("bit_slice_index/seq/3", ()),
    "bit_slice_index.len_rows": Checked("bit_slice_index/seq/4", ()),
    "bit_slice_index.len_slices": Checked("bit_slice_index/seq/5", ()),
    "bit_slice.ofs_bitmap": Checked("bit_slice_index/types/bit_slice/seq/0", ()),
    "bit_slice.len_bitmap": Checked("bit_slice_index/types/bit_slice/seq/1", ()),
    "bitmap_index.version": Checked("bitmap_index/seq/0", (1, 2)),
    "bitmap_index_v1.num_rows": Checked("bitmap_index_v1/seq/0", ()),
    "bitmap_index_v1.num_values": Checked("bitmap_index_v1/seq/1", ()),
    "bitmap_index_v1.has_null": Checked("bitmap_index_v1/seq/2", (0, 1)),
    "bitmap_index_v2.num_rows": Checked("bitmap_index_v2/seq/0", ()),
    "bitmap_index_v2.num_values": Checked("bitmap_index_v2/seq/1", ()),
    "bitmap_index_v2.has_null": Checked("bitmap_index_v2/seq/2", (0, 1)),
    "bitmap_index_v2.num_blocks": Checked("bitmap_index_v2/seq/5", ()),
    "bitmap_directory_v2.len_blocks": Checked(
        "bitmap_index_v2/types/bitmap_directory_v2/seq/1", ()
    ),
    "bitmap_block_ref_v2.ofs_block": Checked("bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ()),
    "bitmap_block_v2.num_entries": Checked("bitmap_index_v2/types/bitmap_block_v2/seq/0", ()),
    "blob_footer.len_index": Checked("blob_file/types/blob_footer/seq/0", ()),
    "blob_footer.version": Checked("blob_file/types/blob_footer/seq/1", (1,)),
    "blob_entry.magic": Checked("blob_file/types/blob_entry/seq/0", ()),
    "blob_collection.kind": Checked(
        "blob_file/types/blob_collection/seq/0", (1094861634, 1296188226)
    ),
    "blob_collection.version": Checked("blob_file/types/blob_collection/seq/1", (1,)),
    "blob_collection.num_values": Checked("blob_file/types/blob_collection/seq/2", ()),
    "blob_references.magic": Checked("blob_references/seq/0", ()),
    "blob_reference_list.version": Checked("blob_references/types/blob_reference_list/seq/0", (1,)),
    "blob_reference_list.num_references": Checked(
        "blob_references/types/blob_reference_list/seq/1", ()
    ),
    "bloom_filter_index.num_hashes": Checked("bloom_filter_index/seq/0", ()),
    "bsi_head.version": Checked("bsi_index/types/bsi_head/seq/0", (1,)),
    "bsi_head.num_rows": Checked("bsi_index/types/bsi_head/seq/1", ()),
    "bsi_part_head.has_rows": Checked("bsi_index/types/bsi_part_head/seq/0", (0, 1)),
    "bsi_part_head.version": Checked("bsi_index/types/bsi_part_head/seq/1", (1,)),
    "bsi_part_head.min": Checked("bsi_index/types/bsi_part_head/seq/2", ()),
    "bsi_part_head.max": Checked("bsi_index/types/bsi_part_head/seq/3", ()),
    "bsi_slices.num_bitmaps": Checked("bsi_index/types/bsi_slices/seq/0", ()),
    "btree_footer.version": Checked("btree_index/types/btree_footer/seq/7", (1, 2)),
    "btree_footer.magic": Checked("btree_index/types/btree_footer/seq/8", ()),
    "posting_v2.form": Checked("btree_index/types/posting_v2/seq/0", (0, 1, 2)),
    "block_tail.kind": Checked("btree_index/types/block_tail/seq/1", (0, 1)),
    "chunked_dictionary.len_head": Checked("chunked_dictionary/seq/0", ()),
    "chunked_dictionary.version": Checked("chunked_dictionary/seq/2", (1,)),
    "chunked_dictionary.num_chunks": Checked("chunked_dictionary/seq/3", ()),
    "chunked_dictionary.len_offsets": Checked("chunked_dictionary/seq/4", ()),
    "chunked_dictionary.len_chunks": Checked("chunked_dictionary/seq/5", ()),
    "fixed_chunk.version": Checked("chunked_dictionary/types/fixed_chunk/seq/0", (1,)),
    "fixed_chunk.code": Checked("chunked_dictionary/types/fixed_chunk/seq/2", ()),
    "fixed_chunk.ofs_keys": Checked("chunked_dictionary/types/fixed_chunk/seq/3", ()),
    "fixed_chunk.num_keys": Checked("chunked_dictionary/types/fixed_chunk/seq/4", ()),
    "fixed_chunk.len_keys": Checked("chunked_dictionary/types/fixed_chunk/seq/5", ()),
    "fixed_chunk.len_key": Checked("chunked_dictionary/types/fixed_chunk/seq/6", ()),
    "text_chunk.version": Checked("chunked_dictionary/types/text_chunk/seq/0", (1,)),
    "text_chunk.code": Checked("chunked_dictionary/types/text_chunk/seq/2", ()),
    "text_chunk.ofs_keys": Checked("chunked_dictionary/types/text_chunk/seq/3", ()),
    "text_chunk.num_keys": Checked("chunked_dictionary/types/text_chunk/seq/4", ()),
    "text_chunk.len_offsets": Checked("chunked_dictionary/types/text_chunk/seq/5", ()),
    "text_chunk.len_keys": Checked("chunked_dictionary/types/text_chunk/seq/6", ()),
    "thrift_field_head.head": Checked("compact_thrift/types/thrift_field_head/seq/0", ()),
    "thrift_value.truth": Checked("compact_thrift/types/thrift_value/seq/0", ()),
    "thrift_collection.head": Checked("compact_thrift/types/thrift_collection/seq/0", ()),
    "thrift_mapping.kinds": Checked("compact_thrift/types/thrift_mapping/seq/1", ()),
    "compressed_block.compression": Checked("compressed_block/seq/1", (0, 1, 2, 3)),
    "lz_payload.len_data": Checked("compressed_block/types/lz_payload/seq/1", ()),
    "deletion_vectors.version": Checked("deletion_vectors/seq/0", (1,)),
    "deletion_vector.len_data": Checked("deletion_vectors/types/deletion_vector/seq/0", ()),
    "deletion_vector_data.kind": Checked(
        "deletion_vectors/types/deletion_vector_data/seq/0", (1581511376, 3520280932)
    ),
    "file_index.magic": Checked("file_index/seq/0", ()),
    "file_index.version": Checked("file_index/seq/1", (1,)),
    "file_index.len_head": Checked("file_index/seq/2", ()),
    "file_index_head.num_columns": Checked("file_index/types/file_index_head/seq/0", ()),
    "file_index_head.len_redundant": Checked("file_index/types/file_index_head/seq/2", ()),
    "file_index_column.num_indexes": Checked("file_index/types/file_index_column/seq/1", ()),
    "file_index_entry.ofs_body": Checked("file_index/types/file_index_entry/seq/1", ()),
    "fm_footer.flags": Checked("fm_index/types/fm_footer/seq/4", (7,)),
    "fm_footer.reserved": Checked("fm_index/types/fm_footer/seq/5", ()),
    "fm_footer.version": Checked("fm_index/types/fm_footer/seq/6", (1,)),
    "fm_footer.magic": Checked("fm_index/types/fm_footer/seq/7", ()),
    "fm_directory.magic": Checked("fm_index/types/fm_directory/seq/0", ()),
    "fm_directory.version": Checked("fm_index/types/fm_directory/seq/1", (1,)),
    "fm_partition_footer.flags": Checked("fm_index/types/fm_partition_footer/seq/5", (7,)),
    "fm_partition_footer.reserved": Checked("fm_index/types/fm_partition_footer/seq/6", ()),
    "fm_partition_footer.version": Checked("fm_index/types/fm_partition_footer/seq/7", (1,)),
    "fm_partition_footer.magic": Checked("fm_index/types/fm_partition_footer/seq/8", ()),
    "fm_partition_directory.num_symbols": Checked(
        "fm_index/types/fm_partition_directory/seq/4", ()
    ),
    "fm_partition_directory.num_words": Checked(
        "fm_index/types/fm_partition_directory/seq/5", (4096,)
    ),
    "lz_block.len_data": Checked("fm_index/types/lz_block/seq/0", ()),
    "block_place.compression": Checked("fm_index/types/block_place/seq/3", (0, 1, 2, 3)),
    "full_text_index.magic": Checked("full_text_index/seq/0", ()),
    "global_bitmap_footer.version": Checked(
        "global_bitmap_index/types/global_bitmap_footer/seq/7", (1,)
    ),
    "global_bitmap_footer.magic": Checked(
        "global_bitmap_index/types/global_bitmap_footer/seq/8", ()
    ),
    "global_index_source.kind": Checked("global_index_source/seq/0", (1, 1145391448)),
    "source_file_list.level": Checked("global_index_source/types/source_file_list/seq/0", ()),
    "source_file_list.num_files": Checked("global_index_source/types/source_file_list/seq/1", ()),
    "source_file.num_rows": Checked("global_index_source/types/source_file/seq/1", ()),
    "source_snapshot.version": Checked("global_index_source/types/source_snapshot/seq/0", (1,)),
    "manifest_sidecar.magic": Checked("manifest_sidecar/seq/0", ()),
    "manifest_sidecar.version": Checked("manifest_sidecar/seq/1", (1,)),
    "row_id_ranges.first": Checked("manifest_sidecar/types/row_id_ranges/seq/0", ()),
    "row_id_ranges.last": Checked("manifest_sidecar/types/row_id_ranges/seq/1", ()),
    "mosaic_footer.reserved": Checked("mosaic_file/types/mosaic_footer/seq/6", ()),
    "mosaic_footer.magic": Checked("mosaic_file/types/mosaic_footer/seq/7", ()),
    "old_global_bitmap_index.version": Checked("old_global_bitmap_index/seq/0", (1, 2)),
    "old_global_bitmap_index.num_rows": Checked("old_global_bitmap_index/seq/1", ()),
    "old_global_bitmap_index.num_values": Checked("old_global_bitmap_index/seq/2", ()),
    "old_global_bitmap_index.has_null": Checked("old_global_bitmap_index/seq/3", (0, 1)),
    "parquet_metadata.magic": Checked("parquet_metadata/seq/0", (827474256,)),
    "parquet_metadata.magic_end": Checked("parquet_metadata/seq/3", (827474256,)),
    "range_bitmap_index.len_head": Checked("range_bitmap_index/seq/0", ()),
    "range_bitmap_index.version": Checked("range_bitmap_index/seq/2", (1,)),
    "range_bitmap_index.num_rows": Checked("range_bitmap_index/seq/3", ()),
    "range_bitmap_index.num_values": Checked("range_bitmap_index/seq/4", ()),
    "range_bitmap_index.len_dictionary": Checked("range_bitmap_index/seq/7", ()),
    "roaring_header.cookie": Checked(
        "roaring_bitmap_32/types/roaring_header/seq/0", (12346, 12347)
    ),
    "roaring_header.num_containers_minus_1": Checked(
        "roaring_bitmap_32/types/roaring_header/seq/1", ()
    ),
    "roaring_header.num_containers_without_runs": Checked(
        "roaring_bitmap_32/types/roaring_header/seq/2", ()
    ),
    "roaring_bitmap_64.num_bitmaps": Checked("roaring_bitmap_64/seq/0", ()),
    "keyed_bitmap.key": Checked("roaring_bitmap_64/types/keyed_bitmap/seq/0", ()),
    "row_footer.num_rows": Checked("row_file/types/row_footer/seq/0", ()),
    "row_footer.num_blocks": Checked("row_file/types/row_footer/seq/1", ()),
    "row_footer.ofs_index": Checked("row_file/types/row_footer/seq/2", ()),
    "row_footer.len_index": Checked("row_file/types/row_footer/seq/3", ()),
    "row_footer.version": Checked("row_file/types/row_footer/seq/4", (1,)),
    "row_footer.magic": Checked("row_file/types/row_footer/seq/6", ()),
    "row_block_tail.num_rows": Checked("row_file/types/row_block_tail/seq/0", ()),
    "sorted_index_meta.len_first_key": Checked("sorted_index_meta/seq/0", ()),
    "sorted_index_meta.len_last_key": Checked("sorted_index_meta/seq/2", ()),
    "sorted_index_meta.has_nulls": Checked("sorted_index_meta/seq/4", (0, 1)),
    "null_keys.format_version": Checked("sorted_index_meta/types/null_keys/seq/0", (1,)),
    "null_keys.reserved": Checked("sorted_index_meta/types/null_keys/seq/1", (0,)),
    "fixed_key.bool8": Checked("sorted_key/types/fixed_key/seq/0", (0, 1)),
    "composite_key.row_kind": Checked("sorted_key/types/composite_key/seq/0", (0,)),
    "typed_value.bool8": Checked("typed_value/seq/0", (0, 1)),
    "typed_value.len_text": Checked("typed_value/seq/7", ()),
    "varint_group.group": Checked("varint/types/varint_group/seq/0", ()),
    "vector_index.magic": Checked(
        "vector_index/seq/0", (1230390860, 1230393425, 1230394193, 1230393937, 1313751364)
    ),
    "diskann.len_header": Checked("vector_index/types/diskann/seq/0", (256,)),
    "diskann.num_sections": Checked("vector_index/types/diskann/seq/17", (7,)),
}
"""By type and name."""
