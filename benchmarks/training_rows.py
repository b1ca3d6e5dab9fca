"""Rows that certificates need: growing samples beside planned runs, in one process.

Growing samples are the schedule that runs followed before they were planned on pilot rows; it is
still taken where nothing can be planned. Results are added to a CSV file, and what it holds already
is not measured again, so a run can be stopped and taken up later.

    python benchmarks/training_rows.py --data-dir DIR -o benchmarks/training_rows.csv --seeds 20
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import product
from math import exp, log
from pathlib import Path
from statistics import mean
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cuts import TABLES as DESCRIBED
from markdown_tables import markdown
from samrule import Binarizer, learn
from samrule.learning import run
from samrule.learning.planned import planned
from samrule.learning.progressive import progressive
from samrule.theory import sample_size

NAMES = ("adult", "bank", "a9a", "mushroom", "phishing", "flights")
# File and what gives the target away, where it is another table than those of `cuts.py`.
FILES = {"a9a": "a9a", "flights": "flights_3000000", "mushroom": "mushroom", "phishing": "phishing"}
SETTINGS = ((0.5, 0.025), (0.1, 0.05), (0.05, 0.05), (0.02, 0.05))
MAX_RULES = 4


def growing(task: Any, settled: Any, supply: Any) -> Any:
    """Search samples that grow from 250 rows, as runs did before they were planned."""
    return progressive(task, settled, supply, scan=True)


SCHEDULES: dict[str, Callable[..., Any]] = {"growing": growing, "planned": planned}


@dataclass(frozen=True)
class Result:
    """One run."""

    table: str
    epsilon: float
    theta: float
    schedule: str
    seed: int
    train_rows: int
    paper_rows: int
    loss: float
    achieved_epsilon: float
    argument: str
    holds: bool
    drawn: int
    scans: int
    cpu_seconds: float

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What was run, as the file spells it."""
        return self.table, str(self.epsilon), self.schedule, str(self.seed)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--schedules", nargs="+", choices=SCHEDULES, default=list(SCHEDULES))
    options = parser.parse_args(arguments)
    known = {one.key for one in read(options.output)}
    for seed, name in product(range(options.seeds), options.only):
        wanted = [
            (asked, schedule)
            for asked, schedule in product(SETTINGS, options.schedules)
            if (name, str(asked[0]), schedule, str(seed)) not in known
        ]
        if wanted:
            rows = table_of(name, options.data_dir)
            add(options.output, (measured(name, rows, *one, seed) for one in wanted))
    print(report(read(options.output)))


def table_of(name: str, data_dir: Path) -> pa.Table:
    """Return the rows without columns that give the target away; the target is the last column."""
    described = DESCRIBED.get(name)
    file = FILES.get(name) or (described.file if described else name)
    rows = pq.read_table(data_dir / f"{file}.parquet")
    excluded = [one for one in (described.exclude if described else ()) if one in rows.column_names]
    target = described.target if described else rows.column_names[-1]
    names = [one for one in rows.column_names if one != target and one not in excluded]
    return rows.select([*names, target])


def measured(
    name: str, rows: pa.Table, asked: tuple[float, float], schedule: str, seed: int
) -> Result:
    """Learn once, with samples in the way that `schedule` names."""
    epsilon, theta = asked
    run.planned = SCHEDULES[schedule]
    started = time.process_time()
    fitted = learn(
        rows,
        rows.column_names[-1],
        max_rules=MAX_RULES,
        epsilon=epsilon,
        theta=theta,
        strategy="progressive",
        binarizer=Binarizer(sets=False, intervals=False, max_conditions=None),
        random_state=seed,
        threads=1,
    )
    seconds = time.process_time() - started
    certificate = fitted.certificate
    size = {"max_rules": MAX_RULES, "epsilon": epsilon, "theta": theta}
    return Result(
        name,
        epsilon,
        theta,
        schedule,
        seed,
        certificate.train_rows,
        sample_size(len(fitted.conditions), **size),
        certificate.upper_bound,
        certificate.achieved_epsilon,
        certificate.argument,
        certificate.holds,
        fitted.rows_used.drawn,
        fitted.rows_used.scans,
        round(seconds, 3),
    )


def read(path: Path) -> list[Result]:
    """Return what the file holds."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [Result(**{**line, **_numbers(line)}) for line in csv.DictReader(file)]


def _numbers(line: dict[str, str]) -> dict[str, Any]:
    kinds: dict[str, Callable[[str], Any]] = {
        "int": int,
        "float": float,
        "bool": lambda text: text == "True",
        "str": str,
    }
    return {one.name: kinds[str(one.type)](line[one.name]) for one in fields(Result)}


def add(path: Path, results: Iterator[Result]) -> None:
    """Add results to the file, each as soon as it is there."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, [one.name for one in fields(Result)])
        if is_new:
            writer.writeheader()
        for one in results:
            writer.writerow(asdict(one))
            file.flush()


def report(results: Sequence[Result]) -> str:
    """Return means per table and setting over the seeds that both schedules were run with."""
    header = ["table", "epsilon, theta", "seeds", "paper's m^", "rows: growing", "planned"]
    lines = [[*header, "planned / growing", "loss: growing", "planned", "certified", "CPU s"]]
    ratios: dict[float, list[float]] = {}
    for name, (epsilon, theta) in product(NAMES, SETTINGS):
        here = [one for one in results if (one.table, one.epsilon) == (name, epsilon)]
        by = {kind: {one.seed: one for one in here if one.schedule == kind} for kind in SCHEDULES}
        seeds = sorted(set(by["growing"]) & set(by["planned"]))
        if not seeds:
            continue
        old, new = ([by[kind][seed] for seed in seeds] for kind in SCHEDULES)
        old_rows, new_rows = (mean(one.train_rows for one in some) for some in (old, new))
        ratios.setdefault(epsilon, []).append(new_rows / old_rows)
        lines.append(
            [
                *(name, f"{epsilon:g}, {theta:g}", str(len(seeds))),
                *(f"{mean(one.paper_rows for one in new):,.0f}", f"{old_rows:,.0f}"),
                *(f"{new_rows:,.0f}", f"{new_rows / old_rows:.2f}"),
                *(f"{mean(one.loss for one in some):.5f}" for some in (old, new)),
                ", ".join(str(sum(one.holds for one in some)) for some in (old, new)),
                ", ".join(f"{mean(one.cpu_seconds for one in some):.2f}" for some in (old, new)),
            ]
        )
    means = [
        f"epsilon {epsilon:g}: {exp(mean(map(log, some))):.2f} of the rows in the geometric mean "
        f"over {len(some)} tables, at most {max(some):.2f}."
        for epsilon, some in ratios.items()
    ]
    return "\n".join([markdown(lines), "", *means])


if __name__ == "__main__":
    main()
