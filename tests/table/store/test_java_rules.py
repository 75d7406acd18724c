"""`java_rules`: the options that Java refuses, judged by Paimon's library."""

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy import audit
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.alter import _changed, set_options
from paimon_ksy.table.store.java_rules import option_types
from paimon_ksy.table.store.options import known_options
from tools import jvm
from tools.tables import make_table

ROW = '{"type": "ROW", "fields": [{"id": 100, "name": "x", "type": "INT"}]}'
COLUMNS = {
    **{"k": "INT NOT NULL", "p": "STRING NOT NULL", "i": "INT", "l": "BIGINT", "s": "STRING"},
    **{"t": "TIMESTAMP(3)", "b": "BOOLEAN", "y": "BYTES", "r": ROW, "m": "MAP<STRING, INT>"},
    "a": '{"type": "ARRAY", "element": "INT"}',
}
VECTORS = {"deletion-vectors.enabled": "true"}
SUM = {"merge-engine": "aggregation", "fields.i.aggregate-function": "sum"}
GROUPS = {"merge-engine": "partial-update", "fields.t.sequence-group": "i,l"}
TRACKED = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
KINDS: dict[str, tuple[list[str], list[str], dict[str, str]]] = {
    "append": ([], [], {}),
    "append, empty": ([], [], {}),
    "append, buckets": ([], [], {"bucket": "2", "bucket-key": "k"}),
    "append, partitions": ([], ["p"], {}),
    "row ids": ([], [], TRACKED),
    "key": (["k"], [], {"bucket": "2"}),
    "key, empty": (["k"], [], {"bucket": "2"}),
    "key, dynamic buckets": (["k"], [], {}),
    "key, postponed buckets": (["k"], [], {"bucket": "-2"}),
    "key, partitions": (["k", "p"], ["p"], {"bucket": "1"}),
    "key of all partitions, empty": (["k"], ["p"], {}),
    "sums": (["k"], [], {"bucket": "1", **SUM}),
    "partial updates": (["k"], [], {"bucket": "1", **GROUPS}),
    "first rows": (["k"], [], {"bucket": "1", "merge-engine": "first-row"}),
    "vectors": (["k"], [], {"bucket": "1", **VECTORS}),
}
TEXTS = (
    *("", " ", "abc", "k", "p", "missing", "i", "l", "t", "s", "a", "b", "i,t", "i, t", "k,k"),
    *("1", "-1", "1,2", "parquet", "ORC", "sum", "primary-key", "none", "main", "file:/x", "x:y"),
)
VALUES = {
    "boolean": ("true", "FALSE", " true", "yes", "", "fal\u017fe"),
    "int": ("0", "1", "-1", "5", "+5", "1_0", " 5", "2147483648", "1.5", "", "\u0665"),
    "long": ("0", "5", "-1", " 5", "9223372036854775808", ""),
    "double": ("0.5", "-1", "1e3", ".5", "5.", "abc", "", " 1 ", "NaN", "nan", "0x1p3", "1_0"),
    "float": ("0.5", "1f", "abc"),
    "size": ("0", "128 mb", "1MB", "1 xb", "-1", "", "8388608 tb", "8388607 tb", "1.5 mb"),
    "duration": (
        *("0", "1 h", "5", "", "-1", "1 weeks", "PT1H", " 2 d ", "1 MIN", "1 \u00b5s"),
        *("9223372036854775808 s", "9223372036854775807 s", "9223372036854775807 d"),
    ),
    "map": ("", "1:zstd", "a", "a:b", "0:a:b", "0:a,1:b"),
}
PAIRED = (
    *(
        "changelog-producer=input",
        "changelog-producer=lookup",
        "changelog-producer=full-compaction",
    ),
    *("sequence.field=l", "sequence.field=i,s", "fields.l.aggregate-function=sum", "bucket=3"),
    *("fields.default-aggregate-function=last_non_null_value", "fields.s.sequence-group=r,m"),
    *("fields.s.sequence-group=b", "fields.b.aggregate-function=bool_or", "ignore-delete=true"),
    *("partial-update.remove-record-on-delete=true", "fields.l,b.sequence-group=s,y"),
    *("partial-update.remove-record-on-sequence-group=t", "fields.i.ignore-retract=true"),
    *(
        "deletion-vectors.enabled=true",
        "deletion-vectors.modifiable=true",
        "merge-engine=first-row",
    ),
    *("merge-engine=partial-update", "merge-engine=aggregation", "clustering.columns=i"),
    *("pk-clustering-override=true", "sink.clustering.by-columns=i", "upsert-key=k"),
    *("record-level.expire-time=1 h", "record-level.time-field=l", "row-tracking.enabled=true"),
    *("data-evolution.enabled=true", "clustering.incremental=true", "bucket-append-ordered=false"),
    *("bucket=-1", "bucket=1", "bucket=-2", "bucket-key=k", "bucket-key=i", "file.format=orc"),
    *(
        "chain-table.enabled=true",
        "partition.timestamp-pattern=$p",
        "streaming-read-overwrite=true",
    ),
    *("partition.timestamp-formatter=yyyy", "chain-table.chain-partition-keys=p"),
    *(
        "scan.mode=from-snapshot",
        "scan.snapshot-id=1",
        "scan.tag-name=a",
        "scan.timestamp-millis=5",
    ),
    *("log.scan=full", "log.scan.timestamp-millis=5", "scan.mode=incremental", "scan.watermark=1"),
    *("incremental-between=1,2", "incremental-to-auto-tag=a", "scan.mode=from-timestamp"),
    *("scan.file-creation-time-millis=5", "scan.creation-time-millis=5", "scan.version=1"),
    *("scan.mode=from-snapshot-full", "scan.mode=latest", "scan.mode=from-creation-timestamp"),
    *("scan.fallback-branch=b", "scan.primary-branch=main", "scan.fallback-branch=main"),
    *("snapshot.num-retained.min=5", "snapshot.num-retained.max=5", "snapshot.num-retained.max=4"),
    *("changelog.num-retained.min=5", "changelog.num-retained.max=5", "vector.file.format=avro"),
    *("changelog.num-retained.min=11", "full-compaction.delta-commits=2", "rowkind.field=s"),
)
"""Options whose rules depend on others."""
PAIRS = [each.split("=") for each in PAIRED]
OURS = (
    "in two groups",  # in Java, it depends on the order of a hash map
    "it determines how the existing files are read",  # pypaimon and Java 2 refuse it
    "is not a",  # a writer of Java fails on it, or a later release
    "is not true or false",
    "is not one of",
    "rows that were ignored are lost",
    "did you mean",
    "no index type",  # Java fails when it writes the next file
    "add column",
    "is listed twice",
    "a column name is missing",
    "deleted rows would return",
)
"""What is refused here though Java stores it: the reasons, in words of the messages."""
STORED = {
    # Only writers of keys need a compaction first, and Java 2 allows both.
    ("deletion-vectors.enabled", "Cannot change deletion vectors mode"),
    ("deletion-vectors.enabled", "Data evolution config must disabled"),
}
"""What is stored here though Java's ALTER TABLE refuses it: options, and Java's words."""


def tries(rng: random.Random) -> list[list[list[str | None]]]:
    """Return changes: each option with each value, and random pairs of options."""
    names: list[str] = []
    for name in known_options():
        stars = ("i", "missing", "a") if name.startswith("fields.*") else ("x",)
        names += [name.replace("*", each) for each in stars] if "*" in name else [name]
    single: list[list[list[str | None]]] = []
    for name in dict.fromkeys([*names, *option_types()]):
        kind = option_types().get(name, "")
        values = [*kind.split("|"), "bogus", kind.partition("|")[0].upper(), ""]
        given = values if "|" in kind else VALUES.get(kind, TEXTS)
        single += [[[name, value]] for value in given]
    chosen = [[rng.choice(PAIRS) for _ in range(rng.choice((2, 3, 4)))] for _ in range(1500)]
    return single + [[[name, value] for name, value in dict(pairs).items()] for pairs in chosen]


def refusal(table: Table, tried: list[list[str | None]]) -> str | None:
    try:
        _changed(table, table.schema.options, {str(name): value for name, value in tried})
    except PaimonKsyError as error:
        return str(error)
    return None


@pytest.mark.java
@pytest.mark.library
@pytest.mark.parametrize("kind", KINDS)
def test_options_are_refused_as_by_java(
    kind: str, java_tables: jvm.Session, tmp_path: Path
) -> None:
    keys, partitions, options = KINDS[kind]
    path = str(tmp_path / "t")
    typed = [{"name": name, "type": column} for name, column in COLUMNS.items()]
    made = {"columns": typed, "keys": keys, "partitions": partitions, "options": options}
    java_tables.ask({"op": "create", "path": path, **made})
    if "empty" not in kind:
        row = [1, "p", 1, 1, "s", 1, True, "00", [1], {"a": 1}, [1]]
        java_tables.ask({"op": "write", "rows": [row], "compact": False})
    every = tries(random.Random(kind)) + [[[name, None]] for name in options]
    theirs = java_tables.ask({"op": "try", "path": path, "tries": every})["failures"]
    table = Table.at(path)
    stored, refused = [], []
    for tried, failure in zip(every, theirs, strict=True):
        ours = refusal(table, tried)
        same = {name for name, value in tried if table.schema.options.get(str(name)) == value}
        changed = {name for name, _ in tried} - same
        kept = any(f"Change '{name}' is" in str(failure) for name in same)  # no change
        alter = any(name in changed and words in str(failure) for name, words in STORED)
        if failure and not ours and not kept and not alter:
            stored.append((tried, failure))
        elif ours and not failure and not any(words in ours for words in OURS):
            refused.append((tried, ours))
    assert (len(stored), stored[:5]) == (0, [])
    assert (len(refused), refused[:5]) == (0, [])
    assert sum(map(bool, theirs)) > 900


@pytest.mark.java
@pytest.mark.library
def test_the_types_are_those_of_the_library(java_tables: jvm.Session) -> None:
    names = {"Integer": "int", "MemorySize": "size"}
    for name, option in java_tables.ask({"op": "options"}).items():
        kind = option["type"]
        wanted = names.get(kind, kind if "|" in kind else kind.lower())
        assert option_types().get(name, "string") == wanted, name
        if kind != "String":
            assert {option_types()[each] for each in option["fallbacks"]} <= {wanted}, name


LOCKS = {
    "snapshot.num-retained.max": "5",
    "snapshot.num-retained.min": "0",
    "changelog.num-retained.max": "5",
    "partition.expiration-time": "1 d",
    "file.format": "parqet",
    "changelog-producer": "input",
    "full-compaction.delta-commits": "2",
    "sequence.field": "missing",
    "fields.missing.aggregate-function": "sum",
    "record-level.time-field": "s",
    "snapshot.time-retained": "abc",
    "scan.fallback-branch": "missing",
}


@pytest.mark.parametrize("option", LOCKS)
def test_what_locks_java_out_is_refused_and_audited(option: str, tmp_path: Path) -> None:
    data = pa.table({"id": [1], "s": ["x"]})
    path = make_table(tmp_path, "t", [data])
    with pytest.raises(PaimonKsyError, match=option.split(".")[0]):
        set_options(path, {option: LOCKS[option]})
    assert [file.name for file in Path(path, "schema").iterdir()] == ["schema-0"]
    if option == "scan.fallback-branch":
        return
    schema = Path(path, "schema", "schema-0")
    stored = json.loads(schema.read_text())
    schema.write_text(
        json.dumps({**stored, "options": {**stored["options"], option: LOCKS[option]}})
    )
    found = [each for each in audit(path, engine=local_engine(1)) if each.check == "options"]
    assert [each.severity for each in found] == ["warning"]
    assert option.split(".")[0] in found[0].message and "Java" in found[0].message
    set_options(path, {"note": "x"})  # what was stored before does not hinder
    set_options(path, {option: None})


def test_columns_may_contain_equals_signs(tmp_path: Path, cli: Any) -> None:
    path = make_table(tmp_path, "t", [pa.table({"a=b": [1]})])
    key = "file-index.bloom-filter.a=b.items"
    options = ["file-index.bloom-filter.columns=a=b", f"{key}=100"]
    assert cli("table", "set", path, *options)[0] == 0
    assert Table.at(path).options[key] == "100"
    assert Table.at(path).options["file-index.bloom-filter.columns"] == "a=b"
