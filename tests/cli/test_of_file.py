"""The types of a file's columns: each command finds them in each source."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from tests.support.commands import Cli, commands, options
from tests.support.examples import ORDERS, TYPES
from tests.support.tables import TO_FILES, append, catalog_at, make, rows, run_rewrite

ORDERS_DATA, ORDERS_SCHEMA = ORDERS.with_suffix(""), ORDERS.parent / "orders.schema.json"
OPTIONS = {"--schema", "--schema-file", "--table", "--data", "--catalog"}
CALLS = {
    "inspect": ("inspect", "FILE", "-f", "json"),
    "eval": ("eval", "FILE", "-w", "status = 'PENDING'", "-f", "json"),
    "verify": ("verify", "FILE", "-f", "json"),
    "diff": ("diff", "FILE", "FILE", "-f", "json"),
    "dump": ("dump", "FILE"),
    "webide": ("webide", "FILE", "-o", "ide", "--overwrite"),
    "report": ("report", "FILE", "-o", "-"),
}
"""A call of each command on a file whose columns have types."""


def test_each_command_takes_each_source() -> None:
    """A command that takes one of them takes all; `build` has its data file as an argument."""
    takes: dict[str, set[str]] = {}
    for flags, words, _ in options():
        takes.setdefault(words, set()).update(set(flags.split(", ")) & OPTIONS)
    single = {words for words, command in commands() if not hasattr(command, "commands")}
    some = {words for words in single if takes.get(words, set()) & {"--schema-file", "--data"}}
    assert {words for words in some if takes[words] == OPTIONS} == CALLS.keys()
    assert some - CALLS.keys() == {"build", "bucket-index lookup"}


def known(cli: Cli, call: str, file: Path, *options: object) -> bool:
    """Return whether the output of a call has the values of the column `status`."""
    words = [file if word == "FILE" else word for word in CALLS[call]]
    code, out, err = cli(*words, *options)
    assert code == 0 and (not err or call == "webide")
    if call == "verify":
        return True  # it checks an index of unknown types as far as it can
    if call == "webide":
        assert "types of columns 'status'" not in err
        made = Path("ide").read_text()
        return "type: binary_string" in made or "utf" in made.lower()
    if call == "eval":
        return bool(json.loads(out)["positions"])
    return call == "diff" or "PENDING" in out


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with index files, whose column `amount` is wider since its last commit."""
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    folder = tmp_path_factory.mktemp("table")
    options = {"file-index.bitmap.columns": "status,amount", **TO_FILES}
    path = make(folder, [rows(0, 50)], options)
    run_rewrite(path)
    change = SchemaChange.update_column_type("amount", AtomicType("BIGINT"))
    catalog_at(folder).alter_table("default.t", [change], False)
    append(path, rows(50, 50).set_column(2, "amount", pa.array([2**40] * 50)))
    run_rewrite(path)
    return Path(path)


@pytest.mark.parametrize("call", CALLS)
def test_each_source_has_the_types(
    call: str, table: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    alone = Path(shutil.copy(ORDERS, tmp_path / "alone.index"))
    given = ("--schema", TYPES), ("--schema-file", ORDERS_SCHEMA), ("--data", ORDERS_DATA)
    for option in given:
        assert known(cli, call, alone, *option)
    assert known(cli, call, ORDERS)  # its data file is beside it
    [index, *_] = sorted(table.glob("bucket-0/*.index"))
    assert known(cli, call, index)  # it is in its table
    named = shutil.copy(index, tmp_path)
    assert known(cli, call, Path(named), "--table", table)


def test_without_a_source_the_types_are_unknown(cli: Cli, tmp_path: Path) -> None:
    alone = shutil.copy(ORDERS, tmp_path / "alone.index")
    code, _, err = cli("eval", alone, "-w", "status = 'PENDING'")
    assert code == 2 and "the column types are unknown: pass --schema" in err
    code, out, _ = cli("inspect", alone)
    assert code == 0 and "to show values, pass the types: --schema" in out


def test_a_file_has_the_types_of_its_schema(table: Path, cli: Cli) -> None:
    """The manifest names the schema of each file; a file that it does not name has its footer's."""
    types = set()
    for index in table.glob("bucket-0/*.index"):
        code, out, _ = cli("inspect", index)
        assert code == 0 and f"column types from the table {table}" in out
        types |= {line.strip() for line in out.splitlines() if "amount" in line}
        stray = Path(shutil.copy(index, index.with_name(index.name.replace("-0.", "-1."))))
        data = stray.with_name(stray.name.partition(".parquet")[0] + ".parquet")
        shutil.copy(index.with_name(data.name.replace("-1.", "-0.")), data)
        code, out, _ = cli("inspect", stray)
        assert code == 0 and f"column types from {data}" in out
        for each in (stray, data):
            each.unlink()
    assert types == {"amount INT", "amount BIGINT"}


def test_a_broken_table_or_data_file_hides_nothing(cli: Cli, tmp_path: Path) -> None:
    """What surrounds a file is only asked: an error there leaves the types unknown."""
    folder = tmp_path / "t" / "bucket-0"
    folder.mkdir(parents=True)
    (folder.parent / "schema").mkdir()
    (folder.parent / "schema" / "schema-0").write_text("[")
    index = shutil.copy(ORDERS, folder / "data-1.parquet.index")
    (folder / "data-1.parquet").write_bytes(b"PAR1")
    code, out, err = cli("inspect", index)
    assert (code, err) == (0, "") and "to show values, pass the types" in out
    code, _, err = cli("inspect", index, "--data", folder / "data-1.parquet")
    assert code == 1 and "data-1.parquet: cannot be read as Parquet" in err
