# Generated from specs/*.ksy by `python -m tools.ksy generate`. Do not edit.
"""Writers of the types of the specs, one module for each spec."""

MODULE_OF = {
    "bitmap_block_ref_v2": "bitmap_index_v2",
    "bitmap_block_v2": "bitmap_index_v2",
    "bitmap_dictionary_v1": "bitmap_index_v1",
    "bitmap_directory_v2": "bitmap_index_v2",
    "bitmap_entry_v1": "bitmap_index_v1",
    "bitmap_entry_v2": "bitmap_index_v2",
    "bitmap_index": "bitmap_index",
    "bitmap_index_v1": "bitmap_index_v1",
    "bitmap_index_v2": "bitmap_index_v2",
    "file_index": "file_index",
    "file_index_column": "file_index",
    "file_index_entry": "file_index",
    "file_index_head": "file_index",
    "java_utf8": "java_utf8",
    "position": "position",
    "roaring_bitmap_32": "roaring_bitmap_32",
    "roaring_container": "roaring_bitmap_32",
    "roaring_descriptor": "roaring_bitmap_32",
    "roaring_header": "roaring_bitmap_32",
    "roaring_run": "roaring_bitmap_32",
    "typed_value": "typed_value",
}
