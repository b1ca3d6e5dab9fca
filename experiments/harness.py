"""What every experiment shares: options, runs that can be resumed, a CSV that says who ran."""

from __future__ import annotations

import argparse
import csv
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import samrule

HERE = Path(__file__).parent
RESULTS = HERE / "results"
BUILD = HERE.parent / "build" / "experiments"
DELTA = 0.05
REGULARIZATION = 1e-4

# The benchmarks are programs in a folder, as these are; their peers are used here too.
sys.path.append(str(HERE.parent / "benchmarks"))

Job = dict[str, Any]
Row = dict[str, Any]


def parser(description: str, *, runs: int) -> argparse.ArgumentParser:
    """Return the options that all experiments take."""
    made = argparse.ArgumentParser(description=description.splitlines()[0])
    add = made.add_argument
    add("--data-dir", type=Path, help="folder of the Parquet files; generated tables without it")
    add("--runs", type=int, default=runs, help=f"runs of each setting (default: {runs})")
    add("--quick", action="store_true", help="few settings on small tables, for checking")
    add("--only", action="append", metavar="TABLE", help="tables to use; may be repeated")
    add("--time-limit", type=float, default=120, metavar="SECONDS", help="for one search")
    add("--output", type=Path, help=f"folder of the CSV (default: {RESULTS.name}; quick: build)")
    add("--scratch", type=Path, default=BUILD / "tables", help="folder for tables written here")
    return made


def parsed(
    made: argparse.ArgumentParser, arguments: Sequence[str] | None = None
) -> argparse.Namespace:
    """Return the options given, by default on the command line, with folders that exist."""
    options = made.parse_args(arguments)
    if options.data_dir and not options.data_dir.is_dir():
        made.error(f"--data-dir: {options.data_dir} is not a folder")
    if options.runs < 1:
        made.error(f"--runs is {options.runs}; expected 1 or more")
    options.output = options.output or (BUILD / "quick" if options.quick else RESULTS)
    options.output.mkdir(parents=True, exist_ok=True)
    options.scratch.mkdir(parents=True, exist_ok=True)
    return options


def run_all(jobs: Sequence[Job], measure: Callable[[Job], Row], path: Path) -> list[Row]:
    """Measure the jobs that the CSV does not have yet, one line each, and return all its lines.

    Stopped at any moment and started again, it goes on where it was; delete the file to start anew.
    """
    commit()
    done = {key(row, jobs[0]) for row in read(path)} if jobs else set()
    left = [job for job in jobs if key(job, job) not in done]
    started = time.perf_counter()
    for number, job in enumerate(left):
        place = f"{path.stem} {number + 1}/{len(left)}"
        say(f"{place}: {describe(job)}{estimate(started, number, left)}")
        append(path, {**job, **measure(job), **facts()})
    return read(path)


def key(row: Mapping[str, Any], job: Job) -> tuple[str, ...]:
    """Return what tells one run from another: the fields of the job, and our version."""
    # As the file shows them: 1.0 is written as 1.
    fields = (str(shown(row.get(field))) for field in job)
    return (*fields, str(row.get("version", samrule.__version__)))


def describe(job: Job) -> str:
    return ", ".join(f"{name} {value}" for name, value in job.items())


def estimate(started: float, n_done: int, left: Sequence[Job]) -> str:
    """Say how long the rest takes if it goes on as it did; nothing before the first run ended."""
    if n_done == 0:
        return ""
    seconds = (time.perf_counter() - started) / n_done * (len(left) - n_done)
    return f" (about {duration(seconds)} left)"


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def append(path: Path, row: Row) -> None:
    """Add one line; the first one brings the header."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow({name: shown(value) for name, value in row.items()})


def shown(value: Any) -> Any:
    return format(value, ".8g") if isinstance(value, float) else value


def read(path: Path) -> list[Row]:
    """Return the lines of a CSV, numbers as numbers; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{name: number(text) for name, text in row.items()} for row in csv.DictReader(file)]


def number(text: str) -> Any:
    """Return the number a text shows, None for nothing, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None


def facts() -> Row:
    """Return what makes a number more than an anecdote."""
    return {
        "version": samrule.__version__,
        "commit": commit(),
        "machine": machine(),
        "python": platform.python_version(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
    }


def machine() -> str:
    from results import cpu_model

    # How many others were at work: times of a busy machine are upper limits.
    return f"{cpu_model()}; {os.cpu_count()} cores; load {os.getloadavg()[0]:.0f}"


@cache
def commit() -> str:
    """Return the commit at the start: a run is not that of code that changed meanwhile."""
    command = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def write_parquet(path: Path, batches: Iterable[pa.Table]) -> Path:
    """Write a table part by part, whole or not at all, unless the file is there already."""
    if path.exists():
        return path
    say(f"writing {path.name}")
    # Two experiments may write the same table at the same time; the last one to finish stays.
    unfinished = path.with_suffix(f".{os.getpid()}")
    parts = iter(batches)
    first = next(parts)
    with pq.ParquetWriter(unfinished, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        for batch in parts:
            writer.write_table(batch)
    unfinished.rename(path)
    return path


def say(text: str) -> None:
    """Tell how it goes, on the error stream."""
    print(text, file=sys.stderr, flush=True)
