"""What 10^11 rows would cost on a Spark cluster, on paper, from passes measured on one Spark here.

Each pass over a generated table (see scaling.py) is timed on two sizes. The difference is what rows
cost, whatever it takes to start a job; times the cores at work it is what a row costs anywhere.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import harness
import samrule
from markdown_tables import markdown
from samrule.rules import Condition, Rule, RuleList
from scaling import BASE, written

PASSES = ("open", "draw", "certify")
ROWS = (1_000_000, 10_000_000)
QUICK_ROWS = (20_000, 100_000)
SAMPLE_ROWS = 20_000
WANTED_ROWS = 10**11
CORES = (100, 1000)


def main(arguments: Sequence[str] | None = None) -> None:
    options = harness.parsed(harness.parser(__doc__, runs=3), arguments)
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        harness.say("cluster: absent: Spark needs Java")
        return
    sizes = QUICK_ROWS if options.quick else ROWS
    jobs = [
        {"rows": rows, "columns": BASE["columns"], "seed": seed}
        for seed in range(1 if options.quick else options.runs)
        for rows in sizes
    ]
    rows = harness.run_all(jobs, lambda job: measure(job, options), options.output / "cluster.csv")
    print("\n".join(estimate(rows)))


def measure(job: harness.Job, options) -> harness.Row:
    """Time the passes over one table."""
    path = written(job, options.scratch)
    # The first time Spark starts and compiles much that is not meant here.
    for _ in range(2):
        seconds = pass_seconds(path, job["seed"])
    return {
        "cores": os.cpu_count(),
        **{f"{name}_seconds": one for name, one in zip(PASSES, seconds, strict=True)},
        "file_mb": path.stat().st_size / 1e6,
    }


def pass_seconds(path: Path, seed: int) -> list[float]:
    """Return the seconds of each pass: count the classes, draw rows, count a list."""
    frame = session().read.parquet(str(path))
    times = [time.perf_counter()]
    source = samrule.open_table(frame, "label")
    source.classes()
    times.append(time.perf_counter())
    source.draw(SAMPLE_ROWS, random_state=seed)
    times.append(time.perf_counter())
    samrule.evaluate(three_rules(), source)
    times.append(time.perf_counter())
    return [end - start for start, end in pairwise(times)]


def three_rules() -> RuleList:
    """Return the rules that made the table's labels."""
    rules = (
        Rule((Condition("x0", ">=", 70),), 1),
        Rule((Condition("x1", "<", 40),), 0),
        Rule((Condition("x2", ">=", 50),), 1),
    )
    return RuleList(rules, Rule((), 0), (0, 1))


def session() -> Any:
    """Return a Spark on all cores of this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{os.cpu_count()}]").appName("samrule")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def estimate(rows: list[harness.Row]) -> Iterator[str]:
    """Yield a table of what a pass costs per row, and for 10^11 rows on so many cores."""
    per_row = {name: core_seconds_per_row(rows, name) for name in PASSES}
    header = ("pass", "core s per million rows", "core hours for 10^11")
    header += tuple(f"min, {cores:,} cores" for cores in CORES)
    lines = [cost_line(name, one) for name, one in per_row.items()]
    yield markdown([header, *lines, cost_line("all", sum(per_row.values()))])


def core_seconds_per_row(rows: list[harness.Row], name: str) -> float:
    """Return what one more row costs: the slope between the least and the largest table."""
    sizes = sorted({row["rows"] for row in rows})
    # The best of the runs: what disturbs a run only makes it longer.
    least, most = (
        min(row[f"{name}_seconds"] for row in rows if row["rows"] == size)
        for size in (sizes[0], sizes[-1])
    )
    return rows[0]["cores"] * max(most - least, 0.0) / (sizes[-1] - sizes[0])


def cost_line(name: str, per_row: float) -> tuple[str, ...]:
    total = per_row * WANTED_ROWS
    on_cores = (f"{total / cores / 60:,.1f}" for cores in CORES)
    return (name, f"{per_row * 1e6:.2f}", f"{total / 3600:,.0f}", *on_cores)


if __name__ == "__main__":
    main()
