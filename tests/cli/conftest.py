"""What tests of several commands share."""

import pytest

from tests.support.query_tables import made_table


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a table of orders, by regions, which tests only read."""
    return made_table(tmp_path_factory.mktemp("tables"), "regions")[0].location
