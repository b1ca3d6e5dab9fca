"""Kinds of conditions: the error on rows never seen, with and without, at the same number of rules.

Sets of levels, intervals, both, and both within a budget. Each table is split 70 to 30 at random,
some times over. The exact solver learns from the first part, within an amount of work that is the
same on every machine.

    python benchmarks/kinds.py --data-dir DIR [-o benchmarks/kinds.csv] [--only NAME]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cuts import TABLES, Table
from made_tables import MADE
from markdown_tables import markdown
from samrule import Binarizer, evaluate, solve

NAMES = ("telco", "german", "adult", "bank", "compas", "credit_like")
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "sets": {"sets": True},
    "intervals": {"intervals": True},
    "both": {"sets": True, "intervals": True},
    "both, 200": {"sets": True, "intervals": True, "max_conditions": 200},
    "both, 100": {"sets": True, "intervals": True, "max_conditions": 100},
    "both, 50": {"sets": True, "intervals": True, "max_conditions": 50},
    "plain, 50": {"max_conditions": 50},
}
N_RULES = (2, 3, 4)
N_SPLITS = 5
MOST_ROWS, PILOT_ROWS = 30_000, 10_000
WORK = 1.5e9


@dataclass(frozen=True)
class Result:
    """Means over the splits."""

    table: str
    rules: int
    kind: str
    conditions: float
    training_error: float
    test_error: float
    proven: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--only", choices=NAMES)
    options = parser.parse_args(arguments)
    results = []
    for name in [options.only] if options.only else NAMES:
        for result in measure(name, *read(name, options.data_dir)):
            print(result, flush=True)
            results.append(result)
    print(report(results))
    if options.output:
        with options.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(asdict(results[0])))
            writer.writeheader()
            writer.writerows(map(asdict, results))


def read(name: str, data_dir: Path) -> tuple[pa.Table, str]:
    """Return the table without what gives the target away, at most so many rows, and the target."""
    if name in MADE:
        made = MADE[name]()
        return made, made.column_names[-1]
    table: Table = TABLES[name]
    rows = pq.read_table(data_dir / f"{table.file}.parquet").drop_columns(list(table.exclude))
    if rows.num_rows > MOST_ROWS:
        rows = rows.take(np.random.default_rng(0).permutation(rows.num_rows)[:MOST_ROWS])
    return rows, table.target


def measure(name: str, rows: pa.Table, target: str) -> Iterator[Result]:
    for kind, options in KINDS.items():
        found = np.array([figures(rows, target, options, seed) for seed in range(N_SPLITS)])
        for place, n_rules in enumerate(N_RULES):
            conditions, training, test, proven = found[:, place].mean(axis=0)
            proofs = round(proven * N_SPLITS)
            yield Result(name, n_rules, kind, conditions, training, test, proofs)


def figures(
    rows: pa.Table, target: str, options: dict[str, Any], seed: int
) -> list[tuple[float, float, float, float]]:
    """Return conditions, errors on both parts and whether it is proven, by number of rules."""
    places = np.random.default_rng(seed).permutation(rows.num_rows)
    middle = int(0.7 * len(places))
    first, second = rows.take(places[:middle]), rows.take(places[middle:])
    conditions = Binarizer(**options).fit(first.slice(0, PILOT_ROWS), target)
    packed, labels = conditions.pack(first), first[target].to_pylist()
    found = []
    for n_rules in N_RULES:
        solution = solve(packed, labels, max_rules=n_rules, work_limit=WORK)
        error = evaluate(solution.rule_list, second, target).error_rate
        training = solution.rule_list.error_rate
        found.append((len(conditions), training, error, solution.status == "optimal"))
    return found


def report(results: list[Result]) -> str:
    """Return a line per table and number of rules: conditions, and test errors by kind."""
    header = ["table", "rules", *KINDS]
    by_line: dict[tuple[str, int], dict[str, Result]] = {}
    for one in results:
        by_line.setdefault((one.table, one.rules), {})[one.kind] = one
    lines = [
        [name, rules, *(f"{kinds[kind].test_error:.4f}" for kind in KINDS)]
        for (name, rules), kinds in by_line.items()
    ]
    counts = [
        [name, "conditions", *(f"{kinds[kind].conditions:.0f}" for kind in KINDS)]
        for (name, rules), kinds in by_line.items()
        if rules == N_RULES[0]
    ]
    return markdown([header, *counts, *lines])


if __name__ == "__main__":
    main()
