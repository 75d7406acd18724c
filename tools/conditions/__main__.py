"""Compares conditions with Spark's answers: 20,000 by default.

    python -m tools.conditions [--count N] [--seed S] [--no-shrink]

Exit code 1 if an answer differs, if we answer what Spark refuses, or if only we refuse more than
3 % of the conditions that Spark answers.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.conditions.judge import OUTCOMES, Comparison, Spark
from tools.jvm import MissingToolError, find_java

MOST_REFUSED = 0.03
"""Of the conditions that Spark answers; by chance, of a few conditions twice as many."""
_FEW = 5_000


def main() -> int:
    """Print the outcomes, and each failure."""
    parser = argparse.ArgumentParser(prog="python -m tools.conditions")
    parser.add_argument("--count", type=int, default=20_000, help="number of conditions; 20000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-shrink", action="store_true", help="print failures as drawn")
    given = parser.parse_args()
    try:
        find_java()
    except MissingToolError as error:
        print(error, file=sys.stderr)
        return 1
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        session = (
            SparkSession.builder.master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.log.level", "OFF")
            .config("spark.driver.memory", "4g")
            .config("spark.sql.ui.retainedExecutions", "1")  # else their plans fill the memory
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.warehouse.dir", folder)
            .getOrCreate()
        )
        spark = Spark(session, Path(folder))
        report = Comparison(spark, given.seed, shrink=not given.no_shrink).run(given.count)
        session.stop()
    for outcome in OUTCOMES:
        print(f"{outcome:20}{report.counts[outcome]:8}")
    print(f"only we refuse: {report.share_refused():.1%}")
    print(f"deletes: {report.deletes}")
    for kind, number in report.pushed.items():
        print(f"tested by our reader for {kind}: {number}")
    for reason, texts in sorted(report.refused.items(), key=lambda item: -len(item[1])):
        print(f"{len(texts):6}  {reason}\n        {texts[0]:.200}")
    for failure in report.failures:
        print(failure)
    most = MOST_REFUSED if given.count >= _FEW else 2 * MOST_REFUSED
    return 1 if report.failures or report.share_refused() > most else 0


if __name__ == "__main__":
    sys.exit(main())
