"""Where to cut columns: the least loss any rule list reaches on conditions of each scheme.

Cuts are learned on 10,000 pilot rows; then the exact solver finds the best list on the table.
The loss is in-sample on purpose: it says what the conditions allow, not what a sample teaches.

    python benchmarks/cuts.py --data-dir DIR [-o benchmarks/cuts.csv] [--only NAME]
"""

from __future__ import annotations

import argparse
import csv
import heapq
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa

from markdown_tables import markdown
from samrule import Binarizer, open_table, solve
from samrule.conditions import binarizer
from samrule.conditions.cuts import quantile_cuts, segment_cuts

N_PILOT = 10_000
N_SEEDS = 3
# Tables with more rows than these are sampled, without replacement.
MOST_ROWS, SAMPLED_ROWS = 50_000, 20_000
TIME_LIMIT = 120.0


@dataclass(frozen=True)
class Table:
    """A file, what is predicted, what gives it away, and how many rules."""

    file: str
    target: str
    exclude: tuple[str, ...] = ()
    max_rules: int = 4


TABLES = {
    "adult": Table("adult", "income"),
    "bank": Table("bank", "y"),
    "higgs": Table("higgs_46242", "label", max_rules=3),
    "susy": Table("susy_30000", "label", max_rules=3),
    "ijcnn1": Table("ijcnn1", "label"),
    "compas": Table("compas", "two_year_recid", ("is_recid", "decile_score", "score_text")),
    "telco": Table("telco_churn", "Churn"),
    "german": Table("german_credit", "credit_risk"),
    "flights": Table("flights_3000000", "delayed15", ("delay_minutes",)),
    "kddcup99": Table("kddcup99_10pct", "label", ("attack_type",)),
    "kddcup99, attack types": Table("kddcup99_10pct", "attack_type", ("label",)),
    "compas, 3 scores": Table("compas", "score_text", ("decile_score",)),
    "adult, 7 statuses": Table("adult", "marital-status", ("relationship",)),
}


@dataclass(frozen=True)
class Result:
    """Means over the seeds; `worst` is the largest loss, `proven` whether all are optima."""

    table: str
    rows: int
    classes: int
    rules: int
    scheme: str
    thresholds: int
    conditions: float
    loss: float
    worst: float
    seconds: float
    proven: bool


def tree_cuts(class_weights: np.ndarray, n_cuts: int, *, min_share: float = 0.002) -> list[int]:
    """Return the cuts of a small classification tree on the column alone: the greedy way.

    The tree grows leaf by leaf, always where Gini impurity falls most.
    """
    sums = np.vstack([np.zeros(class_weights.shape[1]), np.cumsum(class_weights, axis=0)])
    least = min_share * float(sums[-1].sum())
    cuts: list[int] = []
    leaves: list[tuple[float, int, int, int]] = []

    def add_leaf(start: int, end: int) -> None:
        left, right = sums[start + 1 : end] - sums[start], sums[end] - sums[start + 1 : end]
        gains = purity(left) + purity(right) - purity((sums[end] - sums[start])[None])
        gains[(left.sum(axis=1) < least) | (right.sum(axis=1) < least)] = -np.inf
        if len(gains) and gains.max() > 1e-9:
            best = int(np.argmax(gains))
            heapq.heappush(leaves, (-float(gains[best]), start, start + 1 + best, end))

    add_leaf(0, len(class_weights))
    while leaves and len(cuts) < n_cuts:
        _, start, cut, end = heapq.heappop(leaves)
        cuts.append(cut)
        add_leaf(start, cut)
        add_leaf(cut, end)
    return sorted(cuts)


def purity(weights: np.ndarray) -> np.ndarray:
    """Return the weight minus its Gini impurity, per row."""
    return (weights**2).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-300)


def mixed_cuts(class_weights: np.ndarray, n_cuts: int) -> list[int]:
    """Return half of the cuts from a tree, and quantiles for the rest."""
    half = tree_cuts(class_weights, n_cuts // 2)
    rest = quantile_cuts(class_weights.sum(axis=1), n_cuts - n_cuts // 2)
    return sorted({*half, *rest})


# Ways to cut that were tried in place of the supervised scheme's own, and lost.
CANDIDATES: dict[str, Callable[..., list[int]]] = {
    "no spread": partial(segment_cuts, spread=0),
    "tree": tree_cuts,
    "tree+quantile": mixed_cuts,
}
SCHEMES: dict[str, tuple[int, ...]] = {
    "supervised": (4, 8, 12, 16),
    "quantile": (4, 8, 12, 16),
    **dict.fromkeys(CANDIDATES, (8, 12)),
    "paper": (4,),
}


def results(name: str, data_dir: Path) -> Iterator[Result]:
    """Yield the results of one table, scheme by scheme."""
    table = TABLES[name]
    source = open_table(
        data_dir / f"{table.file}.parquet", table.target, exclude=list(table.exclude)
    )
    pilots = [source.draw(N_PILOT, random_state=seed) for seed in range(N_SEEDS)]
    if source.n_rows > MOST_ROWS:
        rows = source.draw(SAMPLED_ROWS, random_state=N_SEEDS, replace=False).table
    else:
        rows = pa.Table.from_batches(list(source.scan()))
    labels = rows[table.target].to_numpy()
    for scheme, numbers in SCHEMES.items():
        for n_thresholds in numbers:
            found = []
            for pilot in pilots:
                conditions = fitted(scheme, n_thresholds, pilot, table.target)
                answers = conditions.transform(rows)
                start = time.perf_counter()
                solution = solve(answers, labels, max_rules=table.max_rules, time_limit=TIME_LIMIT)
                seconds = time.perf_counter() - start
                found.append((len(conditions), solution.loss, seconds, solution.status))
            losses = [loss for _, loss, _, _ in found]
            yield Result(
                table=name,
                rows=rows.num_rows,
                classes=len(set(labels.tolist())),
                rules=table.max_rules,
                scheme=scheme,
                thresholds=n_thresholds,
                conditions=round(float(np.mean([one[0] for one in found])), 1),
                loss=round(float(np.mean(losses)), 6),
                worst=round(max(losses), 6),
                seconds=round(float(np.mean([one[2] for one in found])), 2),
                proven=all(one[3] == "optimal" for one in found),
            )


def fitted(scheme: str, n_thresholds: int, pilot: object, target: str) -> binarizer.Conditions:
    """Return the conditions; a candidate takes the place of the supervised scheme's cuts."""
    if scheme in CANDIDATES:
        with mock.patch.object(binarizer, "segment_cuts", CANDIDATES[scheme]):
            return Binarizer(
                n_thresholds=n_thresholds, sets=False, intervals=False, max_conditions=None
            ).fit(pilot, target)
    return Binarizer(scheme, n_thresholds, sets=False, intervals=False, max_conditions=None).fit(
        pilot, target
    )


def table_of_losses(found: list[Result]) -> str:
    """Return the mean losses, a row per table, the best of each in bold."""
    shown = [(scheme, n) for scheme, numbers in SCHEMES.items() for n in numbers]
    losses = {(one.table, one.scheme, one.thresholds): one for one in found}
    heads = [f"{scheme} {n}" if scheme != "paper" else scheme for scheme, n in shown]
    lines = [["table", *heads]]
    for name in dict.fromkeys(one.table for one in found):
        row = [losses[name, scheme, n].loss for scheme, n in shown]
        cells = [f"**{loss:.4f}**" if loss == min(row) else f"{loss:.4f}" for loss in row]
        lines.append([name, *cells])
    above = {
        key: [losses[name, *key].loss / best_loss(found, name) - 1 for name in names(found)]
        for key in shown
    }
    means, most = [np.mean(above[key]) for key in shown], [max(above[key]) for key in shown]
    lines.append(["above the best, mean", *(f"{one:.1%}" for one in means)])
    lines.append(["above the best, most", *(f"{one:.1%}" for one in most)])
    return markdown(lines)


def names(found: list[Result]) -> list[str]:
    """Return the tables, in order."""
    return list(dict.fromkeys(one.table for one in found))


def best_loss(found: list[Result], name: str) -> float:
    """Return the least mean loss any scheme reaches on a table."""
    return min(one.loss for one in found if one.table == name)


def main() -> None:
    """Measure, write the CSV as it goes, and print the Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, default=Path("cuts.csv"))
    parser.add_argument("--only", action="append", choices=list(TABLES), metavar="NAME")
    arguments = parser.parse_args()
    found: list[Result] = []
    with arguments.output.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Result)])
        writer.writeheader()
        for name in arguments.only or TABLES:
            for result in results(name, arguments.data_dir):
                found.append(result)
                writer.writerow(asdict(result))
                file.flush()
                print(result, file=sys.stderr)
    print(table_of_losses(found))


if __name__ == "__main__":
    main()
