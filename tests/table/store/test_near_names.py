"""What to write in place of a name that no table has."""

from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.table.store.opening import no_table_at, no_table_of
from tests.support.tables import rows
from tools.tables import make_table


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with one table."""
    folder = tmp_path_factory.mktemp("near") / "warehouse"
    make_table(folder, "orders", [rows(0, 3)])
    return folder


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("default.db/order", "the folder does not exist (did you mean 'orders'?)"),
        ("default.db", "it contains no schema: the tables in it are "),
        ("default.db/orders/bucket-0", "it is a folder inside a table: `paimon-ksy table inspect"),
        ("default.db/orders/schema/schema-0", "it is a file: `paimon-ksy inspect"),
        ("nowhere/at/all", "the folder does not exist; pass the folder that contains schema/"),
        ("default.db/../nowhere/x", "the folder does not exist"),
    ],
)
def test_a_path_without_a_table(place: str, says: str, warehouse: Path) -> None:
    assert no_table_at(str(warehouse / place), looked_at).startswith(says)


def test_a_name_of_a_catalog_is_given_its_warehouse(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, option in (
        (warehouse.parent, "warehouse=warehouse"),
        (warehouse, "warehouse=."),
        (warehouse / "default.db", "warehouse=FOLDER"),
    ):
        monkeypatch.chdir(folder)
        assert f"default.orders --catalog {option}`" in no_table_at("default.orders", looked_at)


@pytest.mark.parametrize(
    ("there", "says"),
    [
        ((), "the bucket 'b' does not exist"),
        (("s3://b",), "the folder does not exist; pass the folder"),
        (("s3://b", "s3://b/t"), "it contains no schema; pass the folder"),
        (None, "it contains no schema; pass the folder"),
    ],
)
def test_a_url_without_a_table(there: tuple[str, ...] | None, says: str) -> None:
    """None: the store lets nobody look."""
    assert no_table_at("s3://b/t", looked_at if there is None else there.__contains__).startswith(
        says
    )


def looked_at(place: str) -> bool:
    raise PermissionError(place)


class Catalog:
    """A catalog with one table, of which nothing else is asked."""

    def list_databases(self) -> list[str]:
        return ["default"]

    def list_tables(self, database: str) -> list[str]:
        return ["orders"]


class Broken(Catalog):
    def list_databases(self) -> list[str]:
        raise ConnectionError("gone")


@pytest.mark.parametrize(
    ("catalog", "name", "says"),
    [
        (Catalog(), "defalt.orders", "no database 'defalt' (did you mean 'default'?)"),
        (Catalog(), "default.order", "no table 'order' (did you mean 'orders'?)"),
        (Broken(), "default.order", ""),
    ],
)
def test_a_name_that_a_catalog_has_not(catalog: Any, name: str, says: str) -> None:
    assert no_table_of(catalog, name).startswith(says)
    assert bool(no_table_of(catalog, name)) == bool(says)
