"""Rows until a list is certified: by a bound valid at every number of rows, or by a planned stage.

For a list of error rate at most tau, the product over rows of

    1 + bet x [(the list errs) - tau - (the reference errs) + (the reference's error rate)]

is a nonnegative supermartingale, so with probability at least 1 - delta it stays below 1 / delta
for ever (Ville). The list for which it is least is that of one weighted search; once even that is
above 1 / delta, no list has an error rate of at most tau. Here tau is what the certificate needs.
Searches are made only where the product is large for every list met so far. Rows may repeat;
planned runs are `learn` as it is.

    python benchmarks/anytime.py --data-dir DIR --only adult bank --seeds 10
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count, product
from math import log, log1p
from pathlib import Path
from statistics import mean
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa

from markdown_tables import markdown
from samrule import Binarizer, learn, open_table, solve
from samrule.conditions import Conditions
from samrule.rules.meaning import deciding_rules
from training_rows import NAMES, table_of

PILOT_ROWS, MORE_IN_MEMORY, MOST_ROWS = 10_000, 20_000, 120_000
DELTA, REGULARIZATION, MAX_RULES, THETA = 0.05, 1e-4, 4, 0.05
BETS = (0.1, 0.2)
PLAIN = Binarizer(sets=False, intervals=False, max_conditions=None)
COUNTED = ("rows", "searches", "CPU s")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=["adult", "bank"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.1, 0.05])
    options = parser.parse_args(arguments)
    header = ["table", "epsilon", "seeds", "planned: rows", "searches", "CPU s"]
    lines = [[*header, *(f"bet {bet:g}: {what}" for bet in BETS for what in COUNTED)]]
    for name, epsilon in product(options.only, options.epsilons):
        rows = table_of(name, options.data_dir)
        found = []
        for seed in range(options.seeds):
            run = Run.started(rows, epsilon, seed)
            by_bet = [run.needed_with(bet) for bet in BETS]
            found.append([*planned(rows, epsilon, seed), *chain(*by_bet)])
            print(name, epsilon, seed, *(f"{one:.5g}" for one in found[-1]), flush=True)
        means = [f"{mean(some):,.4g}" for some in zip(*found, strict=True)]
        lines.append([name, f"{epsilon:g}", str(options.seeds), *means])
    print(markdown(lines))


def planned(rows: pa.Table, epsilon: float, seed: int) -> tuple[int, int, float]:
    """Return training rows, searches for a proof and CPU seconds of a run as it is.

    Where the whole table was searched, all rows are training rows. Searches of pilot rows, of their
    parts and of all rows in memory are left out: both ways have them.
    """
    asked = {"max_rules": MAX_RULES, "epsilon": epsilon, "theta": THETA, "delta": DELTA}
    started = process_time()
    fitted = learn(
        rows,
        rows.column_names[-1],
        strategy="progressive",
        binarizer=PLAIN,
        random_state=seed,
        threads=1,
        **asked,
    )
    n_stages = len(fitted.trace) - 2
    return fitted.certificate.train_rows, n_stages, process_time() - started


@dataclass(frozen=True)
class Known:
    """A list: on which of the table's rows it errs, and how many rules it has."""

    errs: np.ndarray
    n_rules: int

    @property
    def loss(self) -> float:
        """Its loss on the table."""
        return float(self.errs.mean()) + REGULARIZATION * self.n_rules


@dataclass(frozen=True)
class Run:
    """A table, lists known beforehand, the loss that no list may be proven to have, rows to come.

    The first list is the reference. Rows are places in the table, in the order of the draw.
    """

    rows: pa.Table
    conditions: Conditions
    lists: tuple[Known, ...]
    needed: float
    drawn: np.ndarray

    @classmethod
    def started(cls, rows: pa.Table, epsilon: float, seed: int) -> Run:
        """Draw rows; search pilot rows, and all that a run has in memory."""
        rng = np.random.default_rng(seed)
        pilot, drawn = (rng.integers(0, len(rows), size) for size in (PILOT_ROWS, MOST_ROWS))
        conditions = PLAIN.fit(open_table(rows.take(pilot), rows.column_names[-1]))
        in_memory = np.concatenate([pilot, drawn[:MORE_IN_MEMORY]])
        effort = {"regularization": REGULARIZATION, "work_limit": 1e8, "tolerance": 0.005}
        lists = tuple(best_list(rows, conditions, some, **effort) for some in (pilot, in_memory))
        loss = min(one.loss for one in lists)
        # No list may have this loss or less: then loss <= l + epsilon max(l, theta).
        needed = min(loss / (1 + epsilon), loss - epsilon * THETA)
        return cls(rows, conditions, lists, needed, drawn)

    def needed_with(self, bet: float) -> tuple[int, int, float]:
        """Return how many rows, searches and CPU seconds make the product large for every list."""
        started = process_time()
        products = [self.log_product(one, bet) for one in self.lists]
        n_rows = 0
        for n_searches in count():
            # Searched only where the product is large for every list met so far.
            is_large = np.minimum.reduce(products)[n_rows:] >= log(1 / DELTA)
            if not is_large.any():
                return MOST_ROWS, n_searches, process_time() - started
            n_rows += int(np.argmax(is_large)) + 1
            worst = self.log_product(self.list_of_least_product(n_rows, bet), bet)
            if worst[n_rows - 1] >= log(1 / DELTA):
                return n_rows, n_searches + 1, process_time() - started
            products.append(worst)
        raise AssertionError

    def log_product(self, one: Known, bet: float) -> np.ndarray:
        """Return the logarithm of a list's product after each row."""
        tau = self.needed - REGULARIZATION * one.n_rules
        reference = self.lists[0].errs
        gains = one.errs[self.drawn] - tau - reference[self.drawn] + reference.mean()
        return np.cumsum(np.log1p(bet * gains))

    def list_of_least_product(self, n_rows: int, bet: float) -> Known:
        """Find it by a search in which errors weigh what they add to the logarithm."""
        places, reference = self.drawn[:n_rows], self.lists[0].errs
        slack = reference.mean() - self.needed
        by_reference = [
            log1p(bet * (1 - errs + slack)) - log1p(bet * (slack - errs)) for errs in (0, 1)
        ]
        weights = np.array(by_reference)[reference[places].astype(int)]
        # A rule lowers tau, which adds about so much to every row's logarithm.
        price = bet * REGULARIZATION * n_rows / weights.sum()
        return best_list(self.rows, self.conditions, places, weights=weights, regularization=price)


def best_list(rows: pa.Table, conditions: Conditions, places: np.ndarray, **how: Any) -> Known:
    """Return the best list of some of the table's rows."""
    target, drawn = rows.column_names[-1], rows.take(places)
    solution = solve(
        conditions.pack(drawn), drawn[target].to_pylist(), max_rules=MAX_RULES, threads=1, **how
    )
    found = solution.rule_list
    predicted = np.array([rule.prediction for rule in found])[deciding_rules(found, rows)]
    return Known(predicted != rows[target].to_numpy(), found.n_rules)


if __name__ == "__main__":
    main()
