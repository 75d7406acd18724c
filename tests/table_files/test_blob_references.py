"""Lists of blob files: read, checked, and written again."""

from ksykit.runtime.objects import to_bytes

from paimon_ksy.generated.structs.blob_references import (
    make_blob_reference,
    make_blob_reference_list,
    make_blob_references,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.java import modified_utf8
from paimon_ksy.table_files.blob_references import check
from tests.support.damage import each_flipped


def test_lists_are_read_and_every_changed_byte_is_an_error() -> None:
    names = [("file:/t/blobs", "a.managed.blob"), ("file:/t/ä", "\0.managed.blob")]
    texts = [[make_java_utf8(value=modified_utf8.encode(each)) for each in pair] for pair in names]
    references = [make_blob_reference(root=root, name=name) for root, name in texts]
    data = to_bytes(make_blob_references(content=make_blob_reference_list(references=references)))
    with open_source(data) as source:
        shown = inspect_file(Subject(source)).to_json()
        assert not list(check(Subject(source)))
        assert assemble(dump_file(source)) == data
    assert (shown["kind"], shown["num_blob_files"]) == ("blobref", 2)
    assert [(each["folder"], each["name"]) for each in shown["blob_files"]] == names
    for at, bad in each_flipped(data):
        with open_source(bad) as source:
            assert list(check(Subject(source))), at
