"""Engines run the tasks of a job: a pool on this machine, or Spark.

Both engines run the same function for each task, and limit the number of tasks in flight, so tasks
may come from an iterator of any length. If a task raises an error, the error is returned as data
and raised here, in one line, so that Spark neither retries nor wraps it. Spark retries tasks that
are killed, so a function may run twice for one task.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from paimon_ksy.errors import OptionError, none_of
from paimon_ksy.table.engine.local import in_threads as in_threads
from paimon_ksy.table.engine.local import is_local as is_local
from paimon_ksy.table.engine.local import local_engine as local_engine
from paimon_ksy.table.engine.protocol import LOST as LOST
from paimon_ksy.table.engine.protocol import Engine as Engine

if TYPE_CHECKING:
    from paimon_ksy.table.engine.spark import SparkEngine


def spark_engine(spark: Any = None, master: str | None = None) -> Engine:
    """Return an engine on Spark.

    Sessions may be classic or Spark Connect. A cluster's workers need this package (`--py-files`).
    Literals without a time zone are in that of the session.

    Args:
        spark: A session; None for the active one, or else a new one of `master`.
        master: A master for spark-submit (`local[*]` if None), or `sc://host:port`.

    Raises:
        PaimonKsyError: pyspark or Java is missing, or Spark cannot be reached.
    """
    from paimon_ksy.table.engine.session import checked_session, session
    from paimon_ksy.table.engine.spark import SparkEngine

    return SparkEngine(checked_session(session(master) if spark is None else spark))


def job_engine(engine: Engine | None, spark: Any, job: str, location: str) -> Engine:
    """Return a job's engine: `engine`, or else one of the SparkSession, or else this machine."""
    if engine is None:
        engine = local_engine() if spark is None else spark_engine(spark)
    return titled(engine, job, location)


def titled(
    engine: Engine, job: str, location: str, total: int | None = None, unit: str = "files"
) -> Engine:
    """Return an engine whose Spark jobs have descriptions, such as `query orders: files 1 to 8`.

    They are the job's name, the last folder of the table's location, and the files or other units
    of its tasks, of a `total` if it is known.
    """
    if not _is_spark(engine):
        return engine
    title = f"{job} {location.rstrip('/').rpartition('/')[2]}"
    return replace(engine, title=title, total=total, unit=unit)


def settle(engine: Engine) -> None:
    """Wait until no task of a job that failed or was cancelled runs, so none writes a file."""
    if _is_spark(engine):
        from paimon_ksy.table.engine.spark import KILL_SECONDS

        time.sleep(KILL_SECONDS)


def _is_spark(engine: Engine) -> TypeGuard[SparkEngine]:
    if is_local(engine):
        return False
    from paimon_ksy.table.engine.spark import SparkEngine

    return isinstance(engine, SparkEngine)


def engine_named(name: str, master: str | None = None, *, processes: bool = False) -> Engine:
    """Return the engine with this name, `local` or `spark`, without a time zone.

    Raises:
        OptionError: The name is unknown.
        PaimonKsyError: Spark cannot be reached.
    """
    if name == "spark":
        engine = spark_engine(None, master)
        return replace(engine, zoned=False) if _is_spark(engine) else engine
    if name != "local":
        listed = none_of(name, "the engines are", ("local", "spark"))
        raise OptionError(f"no engine {name!r}{listed}")
    if master is not None:
        raise OptionError(f"master {master!r} needs Spark: add engine 'spark'")
    return local_engine(processes=processes)
