"""Measure drawing, evaluating, packing and a whole run beside DuckDB, pandas and numpy.

Example: python benchmarks/sources.py --folder SCRATCH --data-dir DATA -o sources.csv
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_tables import markdown

HERE = Path(__file__).parent
SEED = 0
DRAWN_ROWS = 60_000
PACKED_SHAPE = (1_000_000, 100)
N_CUTS = 8
FLIGHTS_ROWS = 3_000_000


@dataclass(frozen=True)
class Comparison:
    """Ours beside a yardstick, and how many times as fast ours should at least be."""

    what: str
    ours: str
    yardstick: str
    goal: float | None = None


COMPARISONS = (
    Comparison(f"draw {DRAWN_ROWS:,} rows, all columns", "draw", "scan_min", 0.7),
    Comparison(f"draw {DRAWN_ROWS:,} rows, all columns", "draw", "scan_last"),
    Comparison("evaluate a list of 4 rules", "evaluate", "sql", 0.7),
    Comparison("binarize and pack 1,000,000 x 100 doubles", "pack", "pandas", 5),
)
MEMORY_GOALS = {"draw": 1000, "evaluate": 1000}


def main() -> int:
    """Make the table if it is not there, take turns measuring, print and write the results."""
    options = parse(sys.argv[1:])
    if options.step:
        print(json.dumps(measured(options.step, options)))
        return 0
    subprocess.run(
        [sys.executable, HERE / "wide_table.py", options.folder, "--rows", str(options.rows)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    steps = list(dict.fromkeys(step for one in COMPARISONS for step in (one.ours, one.yardstick)))
    steps += ["flights"] if options.data_dir else []
    best: dict[str, dict[str, Any]] = {}
    for _ in range(options.repeat):
        for step in steps:
            found = run(step, options)
            best[step] = better(best.get(step), found)
    rows = report_rows(best, options)
    facts = context(options)
    print("\n".join(f"{key}: {value}" for key, value in facts.items()), end="\n\n")
    print(markdown([list(rows[0]), *(list(row.values()) for row in rows)]))
    if options.output:
        write_csv(options.output, rows, facts)
    return int(any(row["reached"] == "no" for row in rows))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--rows", type=int, default=50_000_000, help="rows of the generated table")
    add("--folder", type=Path, required=True, help="where the generated table is kept (3 GB)")
    add("--data-dir", type=Path, help="folder of flights_3000000.parquet; without it, not measured")
    add("--repeat", type=int, default=2, metavar="N", help="runs each; the fastest counts")
    add("-o", "--output", type=Path, metavar="CSV", help="write the results here")
    add("--step", choices=sorted(STEPS), help="measure this one alone, in this process")
    return parser.parse_args(arguments)


def run(step: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one step in a process of its own."""
    command = [sys.executable, __file__, "--step", step, "--folder", options.folder]
    command += ["--rows", str(options.rows)]
    command += ["--data-dir", options.data_dir] if options.data_dir else []
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    print(f"{step}: {found['seconds']:.2f} s, {found['peak_mb']:.0f} MB", file=sys.stderr)
    return found


def better(one: dict[str, Any] | None, other: dict[str, Any]) -> dict[str, Any]:
    """Return the faster of two runs, with the larger memory of both."""
    if one is None:
        return other
    faster = min(one, other, key=lambda found: found["seconds"])
    return {**faster, "peak_mb": max(one["peak_mb"], other["peak_mb"])}


def measured(step: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run a step; whatever it needs beforehand is not counted."""
    action = STEPS[step](options)
    started, used = time.perf_counter(), time.process_time()
    note = action()
    return {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - used,
        "peak_mb": peak_mb(),
        "note": note,
    }


def peak_mb() -> float:
    """Return the most memory this process has held (VmHWM, Linux)."""
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def wide_files(options: argparse.Namespace) -> list[str]:
    return sorted(map(str, (options.folder / f"wide-{options.rows}").glob("*.parquet")))


def draw(options: argparse.Namespace) -> Callable[[], str]:
    """Open the files and draw, as `learn` does."""
    from samrule import open_table
    from wide_table import TARGET

    files = wide_files(options)
    return lambda: str(open_table(files, TARGET).draw(DRAWN_ROWS, random_state=SEED))


def scan(aggregate: str) -> Callable[[argparse.Namespace], Callable[[], str]]:
    """Let DuckDB read every value of every column."""

    def prepared(options: argparse.Namespace) -> Callable[[], str]:
        import duckdb

        relation = duckdb.read_parquet(wide_files(options))
        wanted = ", ".join(f'{aggregate}("{column}")' for column in relation.columns)

        def action() -> str:
            relation.aggregate(wanted).fetchall()
            return f"SELECT {aggregate}(c), ..."

        return action

    return prepared


def evaluate(options: argparse.Namespace) -> Callable[[], str]:
    """Evaluate the list below on all rows."""
    from datetime import date

    import samrule
    from samrule import Condition, Rule, RuleList
    from wide_table import TARGET

    rules = (
        Rule((Condition("real0", ">=", 1.0),), 1),
        Rule((Condition("whole1", "<", 3),), 0),
        Rule((Condition("date0", ">=", date(2016, 7, 18)), Condition("real8", "<", 2.5)), 1),
        Rule((Condition("text1", "==", "level 3"),), 0),
    )
    rule_list = RuleList(rules, Rule((), 0), (0, 1))
    files = wide_files(options)
    return lambda: f"error rate {samrule.evaluate(rule_list, files, TARGET).error_rate:.6f}"


def sql(options: argparse.Namespace) -> Callable[[], str]:
    """Do the same as a person would write it in SQL."""
    import duckdb

    def action() -> str:
        wrong, total = duckdb.sql(
            f"""
            SELECT sum(CASE WHEN real0 >= 1.0 THEN label <> 1
                            WHEN whole1 < 3 THEN label <> 0
                            WHEN date0 >= DATE '2016-07-18' AND real8 < 2.5 THEN label <> 1
                            WHEN text1 = 'level 3' THEN label <> 0
                            ELSE label <> 0 END), count(*)
            FROM read_parquet({wide_files(options)})
            """
        ).fetchall()[0]
        return f"error rate {wrong / total:.6f}"

    return action


def doubles() -> tuple[Any, dict[str, list[float]]]:
    """Return random columns and cuts on them."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    n_rows, n_columns = PACKED_SHAPE
    columns = {f"x{place}": rng.standard_normal(n_rows) for place in range(n_columns)}
    shares = np.arange(1, N_CUTS + 1) / (N_CUTS + 1)
    return columns, {name: np.quantile(x[:10_000], shares).tolist() for name, x in columns.items()}


def pack(_: argparse.Namespace) -> Callable[[], str]:
    """Apply given cuts to Arrow columns and pack them for the solver."""
    import pyarrow as pa

    from samrule import Binarizer

    columns, cuts = doubles()
    table = pa.table(columns)
    conditions = Binarizer("quantile", cuts=cuts).fit(table.slice(0, 1000))
    return lambda: "{1:,} conditions of {0:,} rows".format(*conditions.pack(table).shape)


def pandas(_: argparse.Namespace) -> Callable[[], str]:
    """Do the same with pandas and numpy: a matrix of bytes, one condition per column, packed."""
    import numpy as np
    import pandas as pd

    columns, cuts = doubles()
    frame = pd.DataFrame(columns)

    def action() -> str:
        matrix = np.empty((len(frame), 2 * N_CUTS * frame.shape[1]), dtype=np.uint8, order="F")
        place = 0
        for name in frame.columns:
            values = frame[name].to_numpy()
            for cut in cuts[name]:
                np.greater_equal(values, cut, out=matrix[:, place].view(bool))
                np.less(values, cut, out=matrix[:, place + 1].view(bool))
                place += 2
        packed = np.packbits(matrix.T, axis=1, bitorder="little")
        return f"{len(packed):,} conditions of {len(frame):,} rows"

    return action


def flights(options: argparse.Namespace) -> Callable[[], str]:
    """Open, draw, learn conditions, pack, solve, evaluate; say how long each took."""
    from samrule import Binarizer, open_table, solve
    from samrule import evaluate as evaluated

    path = options.data_dir / "flights_3000000.parquet"

    def action() -> str:
        clock = [time.perf_counter()]

        def lap() -> float:
            clock.append(time.perf_counter())
            return clock[-1] - clock[-2]

        source = open_table(path, "delayed15", exclude=["delay_minutes"])
        laps = {"open": lap()}
        pilot, training = source.draw(10_000 + DRAWN_ROWS, random_state=SEED).split(
            10_000, DRAWN_ROWS
        )
        laps["draw"] = lap()
        conditions = Binarizer(sets=False, intervals=False, max_conditions=None).fit(
            pilot, "delayed15"
        )
        laps["binarize"] = lap()
        packed = conditions.pack(training)
        laps["pack"] = lap()
        labels = training.table["delayed15"].to_numpy()
        solution = solve(packed, labels, max_rules=3, max_terms=1)
        laps["solve"] = lap()
        found = evaluated(solution.rule_list, path, "delayed15")
        laps["evaluate"] = lap()
        assert found.n_rows == FLIGHTS_ROWS
        steps = ", ".join(f"{name} {seconds:.2f}" for name, seconds in laps.items())
        return f"{len(conditions)} conditions, k = 3, error rate {found.error_rate:.4f}; {steps} s"

    return action


STEPS: dict[str, Callable[[argparse.Namespace], Callable[[], str]]] = {
    "draw": draw,
    "scan_min": scan("min"),
    "scan_last": scan("last"),
    "evaluate": evaluate,
    "sql": sql,
    "pack": pack,
    "pandas": pandas,
    "flights": flights,
}


def report_rows(
    best: dict[str, dict[str, Any]], options: argparse.Namespace
) -> list[dict[str, str]]:
    """Return the table of results, one row per comparison and per goal for memory."""
    rows = []
    for one in COMPARISONS:
        ours, other = best[one.ours], best[one.yardstick]
        ratio = other["seconds"] / ours["seconds"]
        rows.append(
            {
                "what": one.what,
                "ours": f"{ours['seconds']:.2f} s",
                "beside": f"{other['note']}: {other['seconds']:.2f} s",
                "result": f"{ratio:.2f} times as fast",
                "by CPU time": f"{other['cpu_seconds'] / ours['cpu_seconds']:.2f}",
                "goal": f"{one.goal:g}" if one.goal else "",
                "reached": ("yes" if ratio >= one.goal else "no") if one.goal else "",
            }
        )
    for step, most in MEMORY_GOALS.items():
        held = best[step]["peak_mb"]
        rows.append(
            {
                "what": f"peak memory of {step}",
                "ours": f"{best[step]['seconds']:.2f} s",
                "beside": best[step]["note"],
                "result": f"{held:.0f} MB",
                "by CPU time": "",
                "goal": f"below {most} MB",
                "reached": "yes" if held < most else "no",
            }
        )
    if options.data_dir:
        found = best["flights"]
        rows.append(
            {
                "what": f"{FLIGHTS_ROWS:,} flights, end to end",
                "ours": f"{found['seconds']:.2f} s",
                "beside": found["note"],
                "result": f"{found['peak_mb']:.0f} MB",
                "by CPU time": "",
                "goal": "",
                "reached": "",
            }
        )
    return rows


def context(options: argparse.Namespace) -> dict[str, str]:
    """Say what was run, with what and on what."""
    import duckdb
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    import samrule

    return {
        "command": f"python benchmarks/sources.py --folder DIR --rows {options.rows} "
        f"--repeat {options.repeat}" + (" --data-dir DATA" if options.data_dir else ""),
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "versions": f"samrule {samrule.__version__}, python {platform.python_version()}, "
        f"duckdb {duckdb.__version__}, pyarrow {pa.__version__}, pandas {pd.__version__}, "
        f"numpy {np.__version__}",
        "seed": str(SEED),
    }


def write_csv(path: Path, rows: Sequence[dict[str, str]], facts: dict[str, str]) -> None:
    """Write the rows, with what was run in the first lines."""
    with path.open("w", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in facts.items())
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
