"""Measure what optimal Brier scores cost: beside errors, and with two conditions per rule.

For each table with default cuts: lists of four single conditions by errors and by the Brier score,
to the end; then the Brier score of three rules of two conditions each, until a limit of CPU
seconds, and after how many of them which gap was proven. CPU seconds are those of both threads
together, so the machine may be busy: a quiet minute of two threads has 120 of them.

Example: python benchmarks/brier.py --data-dir DATA -o brier.csv
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import results
import samrule
from markdown_tables import markdown
from ours import memory_mb
from samrule.solver import Progress
from settings import REGULARIZATION
from tables import load

TABLES = ("adult", "bank", "compas", "german_credit", "telco_churn")
SEARCHES = (("error", 4, 1), ("brier", 4, 1), ("brier", 3, 2))
"""Objective, rules and terms."""
GAPS = (0.3, 0.1, 0.03)
THREADS = 2

Row = dict[str, Any]


class OutOfTimeError(Exception):
    """As many CPU seconds as there were are spent."""


class Watch:
    """Sees a search, notes when it proved which gap, and ends it after some CPU seconds."""

    def __init__(self, cpu_limit: float) -> None:
        self.cpu_limit = cpu_limit
        self.started = time.process_time()
        self.after: dict[float, float] = {}
        self.loss, self.lower_bound = 1.0, 0.0

    def see(self, at: Progress) -> None:
        """Be told by the search, some times a second."""
        self.note(at.loss, at.lower_bound)
        if self.cpu_seconds > self.cpu_limit:
            raise OutOfTimeError

    def note(self, loss: float, lower_bound: float) -> None:
        """Note a list and a bound."""
        self.loss, self.lower_bound = loss, lower_bound
        for gap in GAPS:
            # A step of the search is a whole number of units: its gap may be a hair larger.
            if self.gap <= gap + 1e-6:
                self.after.setdefault(gap, self.cpu_seconds)

    @property
    def gap(self) -> float:
        """Share of the loss that may be too much."""
        return 1 - self.lower_bound / self.loss if self.loss > 0 else 0.0

    @property
    def cpu_seconds(self) -> float:
        """Of all threads since the start."""
        return time.process_time() - self.started


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--data-dir", type=Path, required=True, help="folder of the Parquet files")
    add("--only", action="append", metavar="TABLE", help="tables to run; may be repeated")
    add("--cpu-limit", type=float, default=120, metavar="SECONDS", help="of one search")
    add("--memory-limit", type=int, default=1_000_000_000, metavar="BYTES", help="of one search")
    add("--note", metavar="TEXT", help="say in the results how busy the machine was")
    add("-o", "--output", type=Path, metavar="CSV", help="write the measurements here")
    options = parser.parse_args(arguments)
    measured: list[Row] = []
    # A process for each search: the most memory that it had is its own.
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for table in options.only or TABLES:
            for search in SEARCHES:
                limits = (options.cpu_limit, options.memory_limit)
                measured.append(pool.apply(measure, (table, options.data_dir, search, limits)))
                print(measured[-1], file=sys.stderr, flush=True)
                if options.output:
                    write(options.output, measured, options)
    print(report(measured))
    return 0


def write(path: Path, measured: Sequence[Row], options: argparse.Namespace) -> None:
    """Write what was measured so far, so that nothing is lost if the rest is not."""
    command = f"python benchmarks/brier.py --data-dir DIR --cpu-limit {options.cpu_limit:g}"
    facts = results.context(command, [], options.note) | {"versions": samrule.__version__}
    results.write_csv(path, measured, facts)


def measure(
    table: str, data_dir: Path, search: tuple[str, int, int], limits: tuple[float, int]
) -> Row:
    """Run one search."""
    objective, max_rules, max_terms = search
    data = load(table, data_dir, "default")
    cpu_limit, memory_limit = limits
    before = memory_mb("VmRSS")
    watch = Watch(cpu_limit)
    status = "cpu_limit"
    try:
        found = samrule.solve(
            data.conditions,
            data.labels,
            objective=objective,
            max_rules=max_rules,
            max_terms=max_terms,
            regularization=REGULARIZATION,
            threads=THREADS,
            memory_limit=memory_limit,
            progress=watch.see,
        )
    except OutOfTimeError:
        pass
    else:
        watch.note(float(found.loss), float(found.lower_bound))
        status = str(found.status)
    return {
        "table": table,
        "rows": len(data.labels),
        "conditions": data.conditions.shape[1],
        "objective": objective,
        "max_rules": max_rules,
        "max_terms": max_terms,
        "status": status,
        "loss": round(watch.loss, 6),
        "gap": round(watch.gap, 4),
        "cpu_seconds": round(watch.cpu_seconds, 3),
        **{
            f"cpu_seconds_to_{gap:g}": round(watch.after[gap], 2) if gap in watch.after else ""
            for gap in GAPS
        },
        "search_mb": round(memory_mb("VmHWM") - before),
    }


def report(measured: Sequence[Row]) -> str:
    """Return errors beside Brier scores, and how the gap of conjunctions closed."""
    beside: list[Sequence[Any]] = [("table", "error, CPU s", "Brier, CPU s", "times", "status")]
    gaps: list[Sequence[Any]] = [
        ("table", "loss", *(f"{gap:.0%}, CPU s" for gap in GAPS), "gap", "CPU s", "MB", "status")
    ]
    for table in dict.fromkeys(row["table"] for row in measured):
        error, brier, pairs = (row for row in measured if row["table"] == table)
        spent = error["cpu_seconds"], brier["cpu_seconds"]
        ratio = f"{spent[1] / spent[0]:.1f}" if spent[0] > 0 else ""
        beside.append((table, *spent, ratio, brier["status"]))
        seconds = (pairs[f"cpu_seconds_to_{gap:g}"] for gap in GAPS)
        gap = f"{pairs['gap']:.1%}"
        end = pairs["cpu_seconds"], pairs["search_mb"], pairs["status"]
        gaps.append((table, pairs["loss"], *seconds, gap, *end))
    return f"{markdown(beside)}\n\n{markdown(gaps)}"


if __name__ == "__main__":
    sys.exit(main())
