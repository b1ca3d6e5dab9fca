"""Section 5.1: sampled lists beside the optimum: time, deviation, approximation error, rows.

Three strategies at the paper's nine (epsilon, theta), each run on the table as copied to disk; with
`--corels PATH` that program too, on the very rows that the paper's strategy drew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import harness
import samrule
from datasets import DataSet, chosen
from runs import Bench

# (theta, epsilon), as the paper lists them.
SETTINGS = (
    *((0.025, 1.0), (0.01, 1.0), (0.005, 1.0)),
    *((0.05, 0.5), (0.025, 0.5), (0.01, 0.5)),
    *((0.05, 0.25), (0.025, 0.25), (0.01, 0.25)),
)
QUICK_SETTINGS = ((0.025, 1.0), (0.025, 0.5))
STRATEGIES = ("paper", "tight", "progressive")


def main(arguments: Sequence[str] | None = None) -> None:
    made = harness.parser(__doc__, runs=10)
    made.add_argument("--corels", type=Path, metavar="PATH", help="a CORELS program that takes -k")
    options = harness.parsed(made, arguments)
    bench = Bench.of(options)
    tables = {d.name: d for d in chosen(options)}
    runs = min(options.runs, 2) if options.quick else options.runs
    # Run by run, so that whatever is there covers all settings.
    jobs = [
        {"table": name, "theta": theta, "epsilon": epsilon, "strategy": strategy, "seed": seed}
        for seed in range(runs)
        for name in tables
        for theta, epsilon in (QUICK_SETTINGS if options.quick else SETTINGS)
        for strategy in STRATEGIES
    ]
    path = options.output / "exact.csv"
    rows = harness.run_all(jobs, lambda job: measure(bench, tables[job["table"]], job), path)
    if options.corels:
        run_corels(bench, tables, options)
    broken = [row for row in rows if row["kept"] == "False"]
    print(f"{len(rows)} runs, {len(broken)} with a loss above what was promised")
    raise SystemExit(bool(broken))


def measure(bench: Bench, dataset: DataSet, job: harness.Job) -> harness.Row:
    """Run one strategy once and compare its list with the optimum on the whole table."""
    theta, epsilon = job["theta"], job["epsilon"]
    optimum = bench.optimum(dataset, dataset.max_rules)
    _, row = bench.run(
        dataset,
        max_rules=dataset.max_rules,
        epsilon=epsilon,
        theta=theta,
        strategy=job["strategy"],
        random_state=job["seed"],
    )
    # If the optimum is not proven, what is proven of it is the stricter yardstick.
    least = optimum["lower_bound"]
    return {
        "paper_rows": bench.loaded(dataset).sample_size(epsilon=epsilon, theta=theta),
        **row,
        "optimum": optimum["loss"],
        "deviation": abs(row["loss"] - optimum["loss"]),
        "approximation_error": abs(row["loss"] - row["sample_loss"]),
        "kept": row["loss"] <= least + epsilon * max(least, theta) + 1e-9,
    }


def run_corels(bench: Bench, tables: dict[str, DataSet], options) -> None:
    """Run CORELS on the rows that the paper's strategy drew with seed 0 at (0.025, 0.5)."""
    jobs = [{"table": name, "theta": 0.025, "epsilon": 0.5, "seed": 0} for name in tables]

    def corels(job: harness.Job) -> harness.Row:
        return corels_on_sample(bench, tables[job["table"]], job, options.corels)

    harness.run_all(jobs, corels, options.output / "corels.csv")


def corels_on_sample(
    bench: Bench, dataset: DataSet, job: harness.Job, program: Path
) -> harness.Row:
    """Draw what `learn` draws with this seed, and solve it with CORELS and with our solver."""
    from contenders import Corels, Task
    from tables import Table, write_corels_files

    loaded = bench.loaded(dataset)
    n_rows = loaded.sample_size(epsilon=job["epsilon"], theta=job["theta"])
    source = samrule.open_table(str(bench.path(dataset)), loaded.target)
    rows = source.draw(n_rows, random_state=np.random.default_rng(job["seed"])).table
    matrix = loaded.conditions.transform(rows).astype(np.uint8)
    labels = np.array(
        [str(value) == dataset.positive for value in rows[loaded.target].to_pylist()], np.uint8
    )
    asked = {"max_rules": dataset.max_rules, "regularization": harness.REGULARIZATION}
    ours = samrule.solve(matrix, labels, **asked, time_limit=bench.time_limit)
    with tempfile.TemporaryDirectory() as name:
        write_corels_files(Table(matrix, labels), Path(name))
        task = Task(Path(name), max_terms=1, time_limit=bench.time_limit, **asked)
        theirs = Corels(program.resolve())(task)
    return {
        "rows": n_rows,
        "corels_status": theirs.status,
        "corels_seconds": theirs.seconds,
        "corels_cpu_seconds": theirs.cpu_seconds,
        "corels_loss": theirs.loss,
        "corels_mb": theirs.peak_mb,
        "our_status": str(ours.status),
        "our_seconds": ours.seconds,
        "our_loss": ours.loss,
    }


if __name__ == "__main__":
    main()
