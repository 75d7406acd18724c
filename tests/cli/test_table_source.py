"""The table that a command names: opened, or why it cannot be, and what pypaimon then logs."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.cli.table_source import CatalogSource, ChangedTable
from paimon_ksy.errors import OptionError, PaimonKsyError
from paimon_ksy.table.engine import is_local
from tests.support.deletions import make, rows


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["count", "{path}/nowhere"], "cannot open a Paimon table there: the folder does not", 1),
        (["count", "{path}/../region"], "(did you mean 'regions'?): beside it are the tables", 1),
        (["count", "{path}/.."], "it contains no schema: the tables in it are", 1),
        (["count", "{path}/bucket-0"], "pass the folder that contains schema/", 1),
        (["count", "default.regions"], "--catalog warehouse=FOLDER", 1),
        (
            ["count", "default.region", "--catalog", "warehouse={path}/../.."],
            "no table 'region' (did",
            1,
        ),
        (
            ["count", "defalt.x", "--catalog", "warehouse={path}/../.."],
            "(did you mean 'default'?)",
            1,
        ),
        (["count", "{path}", "--catalog", "warehouse={path}"], "write DATABASE.TABLE", 1),
    ],
)
def test_names_of_no_table(
    path: str,
    arguments: list[str],
    message: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["table", *(text.format(path=path) for text in arguments)]) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "catalog"),
    [("{}", None), ("{}", []), ("default.regions", ["warehouse={}/../.."])],
)
def test_a_path_and_a_name_in_a_catalog_open_the_same_table(
    path: str, name: str, catalog: list[str] | None
) -> None:
    options = None if catalog is None else [option.format(path) for option in catalog]
    table = ChangedTable(name.format(path), CatalogSource(options), None, None).open()
    assert Path(table.location).resolve() == Path(path).resolve()


@pytest.mark.parametrize(
    ("engine", "master", "on_spark"),
    [
        (None, None, False),
        ("local", None, False),
        ("spark", None, True),
        (None, "local[2]", True),
        ("spark", "local[2]", True),
    ],
)
def test_where_a_command_runs(engine: str | None, master: str | None, on_spark: bool) -> None:
    """Here, unless --engine or --master asks for Spark."""
    source = ChangedTable("t", CatalogSource(), engine, master)
    assert source.on_spark == on_spark
    if not on_spark:
        assert is_local(source.made_engine())
        assert source.query_engine() is None


@pytest.mark.parametrize("engine", ["flink", "local"])
def test_engines_that_cannot_run(engine: str) -> None:
    source = ChangedTable("t", CatalogSource(), engine, "local[2]")
    with pytest.raises(OptionError, match=r"no engine 'flink'|needs Spark"):
        source.made_engine()


WITHOUT_SPARK = """
import sys
sys.modules["pyspark"] = None
from paimon_ksy.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [["audit", "--deep"], ["advise"], ["rewrite-index", "--dry-run"], ["delete", "-w", "id < 3"]],
    ids=lambda words: str(words[0]),
)
def test_no_command_needs_spark(words: list[str], tmp_path: Path) -> None:
    """As after `pip install 'paimon-ksy[table]'`, which has no pyspark."""
    path = make(tmp_path, [rows(0, 10)])
    command = [sys.executable, "-c", WITHOUT_SPARK, "table", words[0], path, *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_only_commands_that_commit_silence_the_log(path: str) -> None:
    pypaimon_log = logging.getLogger("pypaimon")
    source = ChangedTable(path, CatalogSource(), None, None)
    source.open()
    assert pypaimon_log.isEnabledFor(logging.WARNING)
    source.open_to_change()
    assert not pypaimon_log.isEnabledFor(logging.ERROR)


def test_a_table_to_change_must_exist(tmp_path: Path) -> None:
    source = ChangedTable(str(tmp_path / "none"), CatalogSource(), None, None)
    for open_it in (source.open, source.open_to_change):
        with pytest.raises(PaimonKsyError, match="cannot open a Paimon table") as error:
            open_it()
        assert "\n" not in str(error.value)
