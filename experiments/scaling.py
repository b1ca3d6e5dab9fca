"""How time and memory grow with rows, columns, rules, terms and sample, one at a time.

Each measurement is a fresh process on a generated table on disk, in pieces: drawing the sample
(scan), turning it into 0/1 conditions (pack), searching (solve), and the exact loss of the list
found by one pass over the table (certify).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

import harness
import samrule
from samrule import Binarizer

PIECES = ("scan", "pack", "solve", "certify")
BASE = {"rows": 1_000_000, "columns": 20, "max_rules": 3, "max_terms": 1, "sample_rows": 20_000}
VARIED = {
    "rows": (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000),
    "columns": (5, 10, 20, 40, 80),
    "max_rules": (1, 2, 3, 4, 5, 6),
    "max_terms": (1, 2, 3),
    "sample_rows": (2_500, 10_000, 40_000, 160_000, 640_000),
}
QUICK_BASE = {**BASE, "rows": 50_000, "sample_rows": 5_000}
QUICK_VARIED = {"rows": (10_000, 100_000), "max_rules": (1, 3)}
BATCH_ROWS = 1_000_000


def main(arguments: Sequence[str] | None = None) -> None:
    made = harness.parser(__doc__, runs=1)
    made.add_argument("--rows-to", type=int, default=100_000_000, help="largest table to generate")
    made.add_argument("--one", help=json_help())
    options = harness.parsed(made, arguments)
    if options.one:
        print(json.dumps(pieces(json.loads(options.one), options.scratch, options.time_limit)))
        return
    rows = harness.run_all(
        [job for job in jobs(options) if job["rows"] <= options.rows_to],
        lambda job: measure(job, options),
        options.output / "scaling.csv",
    )
    for name in VARIED:
        print(f"growth with {name}: {exponents(rows, name)}")


def json_help() -> str:
    return "measure one job, given as JSON, in this process; used by the program itself"


def jobs(options) -> list[harness.Job]:
    """Return one job per value of each varied quantity, the others as in the base."""
    base, varied = (QUICK_BASE, QUICK_VARIED) if options.quick else (BASE, VARIED)
    return [
        {"varied": name, **base, name: value, "seed": seed}
        for seed in range(options.runs)
        for name, values in varied.items()
        for value in values
    ]


def measure(job: harness.Job, options) -> harness.Row:
    """Measure one job in a process of its own, so that its memory is its own."""
    import process

    written(job, options.scratch)
    command = [sys.executable, __file__, "--one", json.dumps(job)]
    command += ["--scratch", options.scratch, "--time-limit", str(options.time_limit)]
    command += ["--output", options.output]
    run = process.run(command, time_limit=3600)
    if run.exit_code:
        raise SystemExit(run.stderr)
    return {**json.loads(run.stdout), "peak_mb": run.peak_mb, "cpu_seconds": run.cpu_seconds}


def pieces(job: harness.Job, scratch: Path, time_limit: float) -> harness.Row:
    """Time the pieces of one run."""
    path = written(job, scratch)
    source = samrule.open_table(str(path), "label")
    conditions = Binarizer("quantile", n_thresholds=4).fit(
        source.draw(10_000, random_state=1), "label"
    )
    seconds, started = {}, time.perf_counter()

    def lap(piece: str) -> None:
        nonlocal started
        now = time.perf_counter()
        seconds[piece] = now - started
        started = now

    started = time.perf_counter()
    rows = source.draw(job["sample_rows"], random_state=job["seed"])
    lap("scan")
    matrix = conditions.transform(rows)
    labels = rows.table["label"].to_numpy()
    lap("pack")
    solution = samrule.solve(
        matrix,
        labels,
        names=list(conditions),
        max_rules=job["max_rules"],
        max_terms=job["max_terms"],
        time_limit=time_limit,
    )
    lap("solve")
    evaluation = samrule.evaluate(solution.rule_list, source, "label")
    lap("certify")
    return {
        "conditions": len(conditions),
        **{f"{piece}_seconds": seconds[piece] for piece in PIECES},
        "status": str(solution.status),
        "loss": evaluation.error_rate + harness.REGULARIZATION * solution.rule_list.n_rules,
        "file_mb": path.stat().st_size / 1e6,
    }


def written(job: harness.Job, folder: Path) -> Path:
    """Return the file of a generated table, written on first use.

    Columns of whole numbers from 0 to 99; three rules on the first columns decide the label, one in
    ten is flipped.
    """
    path = folder / f"scaling-{job['rows']}x{job['columns']}.parquet"
    return harness.write_parquet(path, batches(job["rows"], job["columns"]))


def batches(n_rows: int, n_columns: int) -> Iterator[pa.Table]:
    rng = np.random.default_rng(0)
    for start in range(0, n_rows, BATCH_ROWS):
        yield generated(min(BATCH_ROWS, n_rows - start), n_columns, rng)


def generated(n_rows: int, n_columns: int, rng: np.random.Generator) -> pa.Table:
    values = rng.integers(0, 100, (n_columns, n_rows), dtype=np.uint8)
    label = np.where(values[0] >= 70, 1, np.where(values[1] < 40, 0, values[2] >= 50))
    label = label.astype(np.uint8) ^ (rng.random(n_rows) < 0.1)
    columns = {f"x{j}": column for j, column in enumerate(values)}
    return pa.table({**columns, "label": label})


def exponents(rows: list[harness.Row], name: str) -> str:
    """Return by what power of the quantity each piece's time grows: a straight line in logs.

    Searches that were stopped do not count.
    """
    chosen = [row for row in rows if row["varied"] == name and row["status"] == "optimal"]
    if len(chosen) < 2:
        return "not measured"
    x = np.log([row[name] for row in chosen])
    slopes = {
        piece: np.polyfit(x, np.log([row[f"{piece}_seconds"] for row in chosen]), 1)[0]
        for piece in PIECES
    }
    return ", ".join(f"{piece} {slope:.2f}" for piece, slope in slopes.items())


if __name__ == "__main__":
    main()
