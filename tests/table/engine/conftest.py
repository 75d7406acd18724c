"""Both engines, each in all its ways."""

from __future__ import annotations

import pytest

from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from tests.support import tasks


@pytest.fixture(
    params=["one", "threads", "processes", pytest.param("spark", marks=pytest.mark.java)]
)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "spark":
        from pyspark import cloudpickle

        # Workers cannot import the tests.
        cloudpickle.register_pickle_by_value(tasks)  # type: ignore[no-untyped-call]
        return spark_engine(request.getfixturevalue("spark"))
    if request.param == "one":
        return local_engine(1)
    return local_engine(2, processes=request.param == "processes")
