"""Learn from files, end to end: rows used beside the paper's, time, and memory as tables grow.

Example: python benchmarks/end_to_end.py rows --data-dir DATA --seeds 20 --corels PATH --limit 600
         python benchmarks/end_to_end.py sizes --sizes 1000000 10000000 100000000 --folder FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from math import exp, log
from pathlib import Path
from statistics import mean, median
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import process
import samrule
from contenders import Corels, Task
from markdown_tables import markdown
from ours import memory_mb
from samrule import Binarizer, FittedRuleList, learn, open_table
from samrule.conditions import Conditions
from samrule.sources import Source
from samrule.theory import sample_size
from tables import POSITIVE_CLASS, Table, write_corels_files

EPSILON, THETA, REGULARIZATION = 0.5, 0.025, 1e-4
MAX_RULES = {"adult": 4, "bank": 4, "a9a": 4, "mushroom": 5, "phishing": 5}
# Goals of the project: rows as a part of the paper's, and times faster than CORELS on its rows.
ROWS_GOAL_EACH, ROWS_GOAL_MEAN, SPEED_GOAL = 8, 16, 1000
MEMORY_GOAL_MB = 1000
SPEED_TABLES = {"adult", "bank", "a9a"}
GROUP_ROWS = 1_000_000


def main() -> int:
    """Run one of the two benchmarks and print its table."""
    options = parse(sys.argv[1:])
    print(f"samrule {samrule.__version__}, Python {sys.version.split()[0]}, {' '.join(sys.argv)}\n")
    return options.run(options)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(required=True)
    rows = parts.add_parser("rows", help="the paper's tables, replicated on disk")
    rows.set_defaults(run=run_rows)
    rows.add_argument("--data-dir", type=Path, required=True, help="folder of the Parquet files")
    rows.add_argument("--copies", type=int, default=100, help="how often each table is repeated")
    rows.add_argument("--seeds", type=int, default=20, help="runs per table")
    rows.add_argument("--only", nargs="+", choices=MAX_RULES, default=list(MAX_RULES))
    rows.add_argument("--corels", type=Path, help="a CORELS program that takes -k (see README)")
    rows.add_argument("--limit", type=float, default=3600, help="time limit of a CORELS run")
    sizes = parts.add_parser("sizes", help="generated tables: memory and time by number of rows")
    sizes.set_defaults(run=run_sizes)
    sizes.add_argument("--sizes", type=int, nargs="+", default=[10**6, 10**7])
    sizes.add_argument("--folder", type=Path, help="keep the files here, and use them again")
    sizes.add_argument("--repeats", type=int, default=1, help="runs per size; medians are shown")
    one = parts.add_parser("one", help="(used by sizes) learn from one file in this process")
    one.set_defaults(run=run_one)
    one.add_argument("file", type=Path)
    scans = parts.add_parser("scans", help="(used by sizes) have DuckDB scan it in this process")
    scans.set_defaults(run=run_scans)
    scans.add_argument("file", type=Path)
    scans.add_argument("used", nargs="+", help="the columns of the second scan")
    return parser.parse_args(arguments)


# Rows: the paper's tables


@dataclass(frozen=True)
class Measured:
    """What the runs on one table used, on average."""

    table: str
    n_rows: int
    n_conditions: int
    paper_rows: int
    train_rows: float
    most_rows: int
    seconds: float
    n_certified: int
    n_seeds: int
    corels_seconds: float | None
    corels_finished: bool

    @property
    def row_ratio(self) -> float:
        """How many times more rows the paper asks for."""
        return self.paper_rows / self.train_rows

    @property
    def speed_ratio(self) -> float | None:
        """How many times longer drawing the paper's rows and running CORELS takes."""
        return None if self.corels_seconds is None else self.corels_seconds / self.seconds


def run_rows(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        measured = [rows_of_table(name, options, Path(folder)) for name in options.only]
    print(rows_report(measured))
    ratio = exp(mean(log(one.row_ratio) for one in measured))
    print(
        f"\nrows, paper / ours: geometric mean {ratio:.1f} (goal {ROWS_GOAL_MEAN}), "
        f"least {min(one.row_ratio for one in measured):.1f} (goal {ROWS_GOAL_EACH})."
    )
    missed = [one.table for one in measured if one.row_ratio < ROWS_GOAL_EACH]
    missed += ["the mean"] if ratio < ROWS_GOAL_MEAN else []
    slow = [
        one
        for one in measured
        if one.table in SPEED_TABLES and one.speed_ratio and one.speed_ratio < SPEED_GOAL
    ]
    missed += [f"{one.table} (speed)" for one in slow if one.corels_finished]
    print(
        "Short of the goal: " + ", ".join(missed) if missed else "Every goal measured is reached."
    )
    if cut := [one.table for one in slow if not one.corels_finished]:
        print(f"Not settled, CORELS was stopped too early: {', '.join(cut)} (raise --limit).")
    if options.corels is None:
        print(f"Not measured: {SPEED_GOAL} times faster than CORELS on m^ rows (--corels).")
    return int(bool(missed))


def rows_of_table(name: str, options: argparse.Namespace, folder: Path) -> Measured:
    """Learn from one table, repeated on disk, once per seed."""
    original = pq.read_table(options.data_dir / f"{name}.parquet")
    target, max_rules = original.column_names[-1], MAX_RULES[name]
    cuts = Binarizer(scheme="paper").fit(open_table(original, target))
    path = folder / f"{name}.parquet"
    with pq.ParquetWriter(path, original.schema) as writer:
        for _ in range(options.copies):
            writer.write_table(original)
    asked = {"max_rules": max_rules, "epsilon": EPSILON, "theta": THETA}
    runs, seconds = [], []
    for seed in range(options.seeds):
        start = time.perf_counter()
        source = open_table(path, target)
        runs.append(
            learn(source, strategy="progressive", binarizer=cuts, random_state=seed, **asked)
        )
        seconds.append(time.perf_counter() - start)
    paper_rows = sample_size(len(cuts), **asked)
    corels = (
        None
        if options.corels is None
        else corels_run(
            options, name, open_table(path, target), cuts=cuts, n_rows=paper_rows, folder=folder
        )
    )
    path.unlink()
    train_rows = [fitted.certificate.train_rows for fitted in runs]
    return Measured(
        table=name,
        n_rows=len(original) * options.copies,
        n_conditions=len(cuts),
        paper_rows=paper_rows,
        train_rows=mean(train_rows),
        most_rows=max(train_rows),
        seconds=mean(seconds),
        n_certified=sum(fitted.certificate.holds for fitted in runs),
        n_seeds=options.seeds,
        corels_seconds=None if corels is None else corels[0],
        corels_finished=corels is None or corels[1],
    )


def corels_run(
    options: argparse.Namespace,
    name: str,
    source: Source,
    *,
    cuts: Conditions,
    n_rows: int,
    folder: Path,
) -> tuple[float, bool]:
    """Return the seconds to draw the paper's rows and run CORELS on them, and whether it ended.

    Making its conditions and writing its files is not counted.
    """
    start = time.perf_counter()
    drawn = source.draw(n_rows, random_state=0)
    drawing = time.perf_counter() - start
    labels = [
        str(value) == POSITIVE_CLASS[name] for value in drawn.table[source.target].to_pylist()
    ]
    table = Table(cuts.transform(drawn).astype(np.uint8), np.array(labels, dtype=np.uint8))
    workplace = folder / name
    workplace.mkdir()
    write_corels_files(table, workplace)
    found = Corels(options.corels)(
        Task(
            folder=workplace,
            max_rules=MAX_RULES[name],
            max_terms=1,
            regularization=REGULARIZATION,
            time_limit=options.limit,
        )
    )
    return drawing + (found.seconds or options.limit), found.finished


def rows_report(measured: list[Measured]) -> str:
    header = ["table", "rows", "conditions", "paper's m^", "our rows, mean", "most", "m^ / ours"]
    header += ["seconds", "certified", "CORELS on m^", "/ ours"]
    return markdown([header, *map(rows_line, measured)])


def rows_line(one: Measured) -> list[str]:
    mark = "" if one.corels_finished else "> "
    return [
        *(one.table, f"{one.n_rows:,}", f"{one.n_conditions}", f"{one.paper_rows:,}"),
        *(f"{one.train_rows:,.0f}", f"{one.most_rows:,}", f"{one.row_ratio:.1f}"),
        *(f"{one.seconds:.3f}", f"{one.n_certified} of {one.n_seeds}"),
        "" if one.corels_seconds is None else f"{mark}{one.corels_seconds:.1f} s",
        "" if one.speed_ratio is None else f"{mark}{one.speed_ratio:.0f}",
    ]


# Sizes: generated tables; learning from them and DuckDB's scans each in processes of their own


def run_sizes(options: argparse.Namespace) -> int:
    header = ["rows", "file MB", *PHASES, "all but scans", "stages", "our rows", "draws", "scans"]
    header += ["seconds", "DuckDB's", "ours / DuckDB's", "CPU s", "DuckDB's", "ours / DuckDB's"]
    lines = [[*header, "peak MB"]]
    rest, peak = [], []
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for n_rows in options.sizes:
            path = (options.folder or Path(scratch)) / f"generated_{n_rows}.parquet"
            if not path.exists():
                write_generated(path, n_rows)
            ours, scans = in_turn(path, options.repeats)
            phases = {key: median(one["phases"].get(key, 0) for one in ours) for key in PHASES}
            rest.append(sum(phases[key] for key in PHASES if key not in SCANS))
            peak.append(max(one["peak_mb"] for one in ours))
            lines.append(
                [
                    *(f"{n_rows:,}", f"{path.stat().st_size / 1e6:,.0f}"),
                    *(f"{phases[key]:.3f}" for key in PHASES),
                    *(f"{rest[-1]:.3f}", ours[0]["stages"], f"{ours[0]['train_rows']:,}"),
                    *(f"{ours[0]['draws']}", f"{ours[0]['scans']}"),
                    *beside(ours, scans, "seconds"),
                    *beside(ours, scans, "cpu"),
                    f"{peak[-1]:.0f}",
                ]
            )
            print(f"{n_rows:,} rows: {ours[0]['seconds']:.2f} s", file=sys.stderr, flush=True)
    print(markdown(lines))
    print(
        f"\nall but scans: {rest[-1] / rest[0]:.1f} times as long with {options.sizes[-1]:,} rows "
        f"as with {options.sizes[0]:,}. Peak memory: {max(peak):.0f} MB (goal {MEMORY_GOAL_MB})."
    )
    return int(max(peak) > MEMORY_GOAL_MB)


def in_turn(path: Path, repeats: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what runs of ours and DuckDB's scans say, each in a fresh process, one by one."""
    ours, scans = [], []
    for _ in range(repeats):
        ours.append(in_fresh_process("one", path))
        scans.append(in_fresh_process("scans", path, *ours[0]["used"]))
    return ours, scans


def in_fresh_process(*command: Any) -> dict[str, Any]:
    done = process.run([sys.executable, Path(__file__), *command], time_limit=24 * 3600)
    if done.exit_code:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def beside(ours: list[dict[str, Any]], scans: list[dict[str, Any]], key: str) -> list[str]:
    """Return our median, DuckDB's, and how many times as much ours is."""
    mine, theirs = (median(one[key] for one in some) for some in (ours, scans))
    return [f"{mine:.3f}", f"{theirs:.3f}", f"{mine / theirs:.2f}"]


# Opening counts the rows and the classes: a scan of one column.
PHASES = ("opening", "drawing", "searching", "scanning")
SCANS = ("opening", "scanning")


def run_one(options: argparse.Namespace) -> int:
    """Learn from one file; print seconds by phase, passes, and this process' peak memory.

    Imports are not counted: pyarrow imports pandas, if it is there, with the first array it makes,
    and DuckDB and what opens files with it are loaded to open one.
    """
    pa.array([0])
    import_module("samrule.sources.duckdb.files")
    duckdb.sql("SELECT 1").fetchall()
    events, started = [("opening", time.perf_counter())], time.process_time()
    source, draws = open_table(options.file, "label"), []
    draw = source.draw

    def counted(n_rows: int, **how: Any) -> Any:
        draws.append(n_rows)
        return draw(n_rows, **how)

    source.draw = counted
    fitted = learn(
        source,
        strategy="progressive",
        binarizer=Binarizer(sets=False, intervals=False, max_conditions=None),
        random_state=0,
        progress=lambda at: events.append((at.phase, time.perf_counter())),
    )
    events.append(("end", time.perf_counter()))
    cpu, peak = time.process_time() - started, memory_mb("VmHWM")
    phases: dict[str, float] = defaultdict(float)
    for (phase, start), (_, end) in pairwise(events):
        phases[phase] += end - start
    found = {
        "seconds": events[-1][1] - events[0][1],
        "phases": phases,
        "stages": len(fitted.trace),
        "train_rows": fitted.certificate.train_rows,
        "draws": len(draws),
        "scans": fitted.rows_used.scans,
        "cpu": cpu,
        "used": used_columns(fitted),
        "peak_mb": peak,
    }
    print(json.dumps(found))
    return 0


def used_columns(fitted: FittedRuleList) -> list[str]:
    """Return what a scan that counts the list must read."""
    used = [one.column for rule in fitted.rule_list for one in rule.conditions]
    return list(dict.fromkeys([*used, fitted.target]))


def run_scans(options: argparse.Namespace) -> int:
    """Scan all columns of a file with DuckDB, and then some; print seconds, and those of the CPU.

    As ours does, it opens a database of its own and is loaded beforehand. Something must be asked
    of every value: extremes and counts it knows without reading them. So each row is hashed.
    """
    names = pq.read_schema(options.file).names
    duckdb.sql("SELECT 1").fetchall()
    started, cpu = time.perf_counter(), time.process_time()
    connection = duckdb.connect()
    for columns in (names, options.used):
        read = ", ".join(f'"{name}"' for name in columns)
        query = f"SELECT bit_xor(hash({read})) FROM read_parquet('{options.file}')"
        connection.sql(query).fetchall()
    found = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu}
    print(json.dumps(found))
    return 0


def write_generated(path: Path, n_rows: int) -> None:
    """Write 20 columns of several kinds and a label that follows four rules in nine of ten rows."""
    part = path.with_suffix(".part")
    writer = None
    for start in range(0, n_rows, GROUP_ROWS):
        group = generated(min(GROUP_ROWS, n_rows - start), np.random.default_rng([0, start]))
        writer = writer or pq.ParquetWriter(part, group.schema)
        writer.write_table(group)
    writer.close()
    part.rename(path)


def generated(n_rows: int, rng: np.random.Generator) -> pa.Table:
    levels = np.array(["red", "green", "blue", "yellow", "white"])
    columns = {f"whole{i}": rng.integers(0, 100, n_rows, dtype=np.int16) for i in range(8)}
    columns |= {
        f"real{i}": np.round(rng.normal(size=n_rows), 2).astype(np.float32) for i in range(6)
    }
    columns |= {f"text{i}": levels[rng.integers(0, 5, n_rows)] for i in range(6)}
    truth = np.where(
        columns["whole0"] >= 80,
        1,
        np.where(columns["text0"] == "red", 0, np.where(columns["real0"] >= 0.5, 1, 0)),
    )
    flipped = rng.random(n_rows) < 0.1
    arrays = {
        name: pa.array(values).dictionary_encode() if values.dtype.kind == "U" else pa.array(values)
        for name, values in columns.items()
    }
    return pa.table({**arrays, "label": np.where(flipped, 1 - truth, truth).astype(np.int8)})


if __name__ == "__main__":
    sys.exit(main())
