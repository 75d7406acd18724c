"""The engines that indexes of tables are built on."""

from __future__ import annotations

import pytest

from paimon_ksy.table.engine import Engine, local_engine, spark_engine


@pytest.fixture(params=["local", "processes", pytest.param("spark", marks=pytest.mark.java)])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "spark":
        return spark_engine(request.getfixturevalue("spark"))
    return local_engine(2, processes=request.param == "processes")
