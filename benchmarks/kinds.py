"""Kinds of conditions: the loss on rows never seen, with and without, at the same number of rules.

Sets of levels, intervals, both, and both within a budget; errors and Brier scores. Each table is
split 70 to 30 at random, some times over, and kinds are compared split by split. The exact solver
learns from the first part, within an amount of work that is the same on every machine.

    python benchmarks/kinds.py --data-dir DIR [-o benchmarks/kinds.csv] [--only NAME ...]
        [--kinds plain sets] [--rules 4] [--first-seed 100] [--splits 20]
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cuts import TABLES, Table
from made_tables import MADE
from markdown_tables import markdown
from samrule import Binarizer, evaluate, solve
from samrule.conditions import ListsWanted
from samrule.objective import objective_of

NAMES = ("telco", "german", "adult", "bank", "compas", "credit_like")
# Measured if asked for: nothing of them is text.
NUMBERS_ONLY = ("higgs", "susy")
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"sets": False, "intervals": False, "max_conditions": None},
    "sets": {"sets": True, "intervals": False, "max_conditions": None},
    "intervals": {"sets": False, "intervals": True, "max_conditions": None},
    "both": {"sets": True, "intervals": True, "max_conditions": None},
    "both, 64": {"sets": True, "intervals": True, "max_conditions": 64},
    "in any case": {"sets": True, "intervals": True},
    "default": {},
}
OBJECTIVES = ("error", "brier")
N_RULES = (2, 3, 4)
# Of small tables more splits, for two rows more or less say nothing.
FEW_ROWS, N_SPLITS, N_SPLITS_OF_FEW_ROWS = 10_000, 5, 25
MOST_ROWS, PILOT_ROWS = 30_000, 10_000
WORK = 1.5e9


@dataclass(frozen=True)
class Result:
    """Means over the splits.

    Parameters
    ----------
    more, error_of_more
        How much greater the loss on rows never seen is than with plain conditions, and the standard
        error of that.
    """

    table: str
    objective: str
    rules: int
    kind: str
    splits: int
    conditions: float
    training_loss: float
    test_loss: float
    more: float
    error_of_more: float
    proven: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--only", nargs="+", choices=(*NAMES, *NUMBERS_ONLY), default=NAMES)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=tuple(KINDS))
    parser.add_argument("--rules", nargs="+", type=int, default=N_RULES)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--splits", type=int, help="of every table, instead of 25 and 5")
    options = parser.parse_args(arguments)
    results = []
    for name in options.only:
        rows, target = read(name, options.data_dir)
        n_splits = options.splits or n_splits_of(rows)
        seeds = range(options.first_seed, options.first_seed + n_splits)
        for result in measure(name, rows, target, seeds, kinds=options.kinds, rules=options.rules):
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


def n_splits_of(rows: pa.Table) -> int:
    return N_SPLITS_OF_FEW_ROWS if rows.num_rows <= FEW_ROWS else N_SPLITS


def measure(
    name: str,
    rows: pa.Table,
    target: str,
    seeds: Sequence[int],
    *,
    kinds: Sequence[str],
    rules: Sequence[int],
) -> Iterator[Result]:
    asked = list(product(OBJECTIVES, rules))
    found = {
        kind: np.array([figures(rows, target, KINDS[kind], seed, asked) for seed in seeds])
        for kind in kinds
    }
    for kind, of_kind in found.items():
        for place, (objective, n_rules) in enumerate(asked):
            conditions, training, test, proven = of_kind[:, place].T
            more = test - found["plain"][:, place, 2]
            yield Result(
                name,
                objective,
                n_rules,
                kind,
                len(seeds),
                conditions.mean(),
                training.mean(),
                test.mean(),
                more.mean(),
                more.std(ddof=1) / math.sqrt(len(seeds)),
                round(proven.sum()),
            )


def figures(
    rows: pa.Table,
    target: str,
    options: dict[str, Any],
    seed: int,
    asked: Sequence[tuple[str, int]],
) -> list[tuple[float, float, float, float]]:
    """Return conditions, losses on both parts and whether it is proven, by objective and rules."""
    places = np.random.default_rng(seed).permutation(rows.num_rows)
    middle = int(0.7 * len(places))
    first, second = rows.take(places[:middle]), rows.take(places[middle:])
    labels, found = first[target].to_pylist(), []
    for objective, n_rules in asked:
        # Conditions may depend on the lists asked for, as in `learn`.
        wanted = ListsWanted.of(objective_of(objective, None, ()), max_rules=n_rules)
        pilot = first.slice(0, PILOT_ROWS)
        conditions = Binarizer(**options).fit(pilot, target, lists=wanted)
        packed = conditions.pack(first)
        solution = solve(packed, labels, max_rules=n_rules, objective=objective, work_limit=WORK)
        judged = evaluate(solution.rule_list, second, target)
        test = judged.error_rate if objective == "error" else judged.scores.brier
        proven = solution.status == "optimal"
        found.append((len(conditions), solution.loss, test, proven))
    return found


def report(results: list[Result]) -> str:
    """Return a line per table, objective and number of rules: what each kind adds to the loss."""
    kinds_measured = list(dict.fromkeys(one.kind for one in results))
    header = ["table", "loss", "rules", *kinds_measured]
    by_line: dict[tuple[str, str, int], dict[str, Result]] = {}
    for one in results:
        by_line.setdefault((one.table, one.objective, one.rules), {})[one.kind] = one
    lines = [
        [*line, *(_cell(kinds[kind]) for kind in kinds_measured)] for line, kinds in by_line.items()
    ]
    first = next(iter(by_line), ("", "", 0))[1:]
    counts = [
        [name, "", "(how many)", *(f"{kinds[one].conditions:.0f}" for one in kinds_measured)]
        for (name, *rest), kinds in by_line.items()
        if tuple(rest) == first
    ]
    return markdown([header, *counts, *lines])


def _cell(one: Result) -> str:
    if one.kind == "plain":
        return f"{one.test_loss:.4f}"[1:]
    return "same" if one.error_of_more == 0 == one.more else (
        f"{1e4 * one.more:+.1f} ± {1e4 * one.error_of_more:.1f}"
    )  # fmt: skip


if __name__ == "__main__":
    main()
