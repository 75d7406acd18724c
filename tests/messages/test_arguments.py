"""Public functions check the types of their arguments, and objects print what they are."""

import inspect
import pickle
from pathlib import Path
from types import FunctionType

import pytest

import paimon_ksy as pk
from paimon_ksy.messages.arguments import ARGUMENTS, more_arguments
from tests import ROOT
from tests.support.commands import Cli
from tests.support.examples import ORDERS

TABLE = str(ROOT / "examples/warehouse/default.db/orders")
FUNCTIONS = {
    name: value for name in pk.__all__ if isinstance(value := getattr(pk, name), FunctionType)
}


def _parameters(function: FunctionType) -> list[str]:
    return [*inspect.signature(function).parameters, *(more_arguments(function) or ())]


CASES = [
    (name, parameter)
    for name, function in FUNCTIONS.items()
    for parameter in _parameters(function)
    if parameter in ARGUMENTS
]


@pytest.mark.parametrize(("name", "parameter"), CASES, ids=".".join)
def test_a_wrong_type_is_an_error_that_names_the_argument(name: str, parameter: str) -> None:
    function = FUNCTIONS[name]
    with pytest.raises(pk.ArgumentError, match=f"argument '{parameter}' of {name}: ") as error:
        function(**{parameter: object()})
    assert isinstance(error.value, TypeError)


@pytest.mark.parametrize("name", FUNCTIONS.keys() - {"index_new_files"})
def test_an_unknown_argument_is_an_error_that_names_the_function(name: str) -> None:
    with pytest.raises(pk.ArgumentError, match=f"{name} has no argument 'collumns'.*: it has "):
        FUNCTIONS[name](collumns=["id"])


def test_classes_check_theirs() -> None:
    for call in (lambda: pk.Table.at(5), lambda: pk.Schema.parse(5)):  # type: ignore[arg-type]
        with pytest.raises(pk.ArgumentError, match="is needed, not an int"):
            call()
    with pytest.raises(pk.ArgumentError, match="'limit' of query: a whole number is needed"):
        pk.query(TABLE, limit=True)
    with pytest.raises(pk.ArgumentError, match="'table' of query"):
        pk.query(None)  # type: ignore[arg-type]


def test_functions_keep_their_names() -> None:
    for name, function in FUNCTIONS.items():
        assert pickle.loads(pickle.dumps(function)) is function
        assert (function.__module__, function.__qualname__) == ("paimon_ksy", name)
        assert function.__doc__


def test_help_shows_types() -> None:
    """None of the functions about rows has a parameter of any type, but for Spark's session."""
    for name in ("query", "count", "explain", "plan", "scan_polars"):
        for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
            assert parameter.annotation != "Any" or parameter.name == "spark", (name, parameter)


def test_dir_lists_the_public_names_once() -> None:
    assert dir(pk) == sorted([*pk.__all__, "__version__"])


def test_repr_is_short_and_print_shows_what_the_command_prints(cli: Cli, tmp_path: Path) -> None:
    where = "status = 'PENDING'"
    explained = pk.explain(TABLE, where)
    assert repr(explained) == "<Explanation: 4 of 4 files and 20,000 of 20,000 rows are read>"
    assert f"{explained}\n" == cli("table", "explain", TABLE, "-w", where)[1]
    planned = pk.plan(TABLE, where)
    assert repr(planned) == "QueryPlan(snapshot=4, steps=<2 items>, files=<4 items>)"
    table = pk.Table.at(TABLE)
    assert repr(table).startswith(f"<Table {TABLE}: schema 0: order_id BIGINT, user_id BIGINT, ")
    with pk.FileIndex.open(ORDERS, pk.Schema.parse("status STRING")) as index:
        assert repr(index).startswith(f"<FileIndex {ORDERS}: order_date bitmap, note bitmap, ")
    report = pk.inspect_table(TABLE)
    assert len(repr(report)) < 2000 and "snapshots" in str(report)
