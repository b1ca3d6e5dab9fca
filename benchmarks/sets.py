"""Sets of levels: the error on rows never seen, with and without, at the same number of rules.

Each table is split 70 to 30 at random, eight times. The exact solver learns from the first part.

    python benchmarks/sets.py --data-dir DIR [-o benchmarks/sets.csv] [--only NAME]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cuts import TABLES, Table
from markdown_tables import markdown
from samrule import Binarizer, learn

NAMES = ("telco", "german", "adult", "bank", "compas", "flights")
N_RULES = (2, 3, 4, 5)
N_SPLITS = 8
MOST_ROWS = 60_000
TIME_LIMIT = 6.0


@dataclass(frozen=True)
class Result:
    """Means over the splits, each without sets and with them."""

    table: str
    rules: int
    conditions: float
    conditions_with_sets: float
    training_error: float
    training_error_with_sets: float
    test_error: float
    test_error_with_sets: float
    proven: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--only", choices=NAMES)
    options = parser.parse_args(arguments)
    results = []
    for name in [options.only] if options.only else NAMES:
        table = TABLES[name]
        rows = read(options.data_dir / f"{table.file}.parquet", table)
        for result in measure(name, table, rows):
            print(result, flush=True)
            results.append(result)
    print(report(results))
    if options.output:
        with options.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(asdict(results[0])))
            writer.writeheader()
            writer.writerows(map(asdict, results))


def read(path: Path, table: Table) -> pa.Table:
    """Return the table without what gives the target away, at most so many rows of it."""
    rows = pq.read_table(path).drop_columns(list(table.exclude))
    if rows.num_rows <= MOST_ROWS:
        return rows
    return rows.take(np.random.default_rng(0).permutation(rows.num_rows)[:MOST_ROWS])


def measure(name: str, table: Table, rows: pa.Table) -> Iterator[Result]:
    for n_rules in N_RULES:
        found = np.array([figures(table, rows, n_rules, seed) for seed in range(N_SPLITS)])
        conditions, training, test, proven = found.mean(axis=0)
        yield Result(name, n_rules, *conditions, *training, *test, round(proven.sum() * N_SPLITS))


def figures(table: Table, rows: pa.Table, n_rules: int, seed: int) -> list[tuple[float, float]]:
    """Return conditions, errors on both parts and whether it is proven: without sets, with."""
    places = np.random.default_rng(seed).permutation(rows.num_rows)
    middle = int(0.7 * len(places))
    first, second = rows.take(places[:middle]), rows.take(places[middle:])
    found = []
    for sets in (False, True):
        fitted = learn(
            first,
            table.target,
            max_rules=n_rules,
            strategy="exact",
            binarizer=Binarizer(sets=sets),
            random_state=0,
            time_limit=TIME_LIMIT,
        )
        error = 1 - fitted.evaluate(second).accuracy
        is_proven = fitted.trace[-1].status == "optimal"
        found.append((len(fitted.conditions), fitted.rule_list.error_rate, error, is_proven))
    return list(zip(*found, strict=True))


def report(results: list[Result]) -> str:
    """Return a line per table and number of rules."""
    header = ["table", "rules", "conditions", "sets", "training", "sets", "test", "sets", "proven"]
    lines = [
        [
            *(one.table, one.rules, f"{one.conditions:.0f}", f"{one.conditions_with_sets:.0f}"),
            *(f"{one.training_error:.4f}", f"{one.training_error_with_sets:.4f}"),
            *(f"{one.test_error:.4f}", f"{one.test_error_with_sets:.4f}"),
            f"{one.proven} of {2 * N_SPLITS}",
        ]
        for one in results
    ]
    return markdown([header, *lines])


if __name__ == "__main__":
    main()
