"""Small random tables that are nasty on purpose: ties, repeated, constant and opposite columns."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tests.reference.brute_force import Candidate, best_lists
from tests.reference.group_prices import (
    GroupPrice,
    brier_price,
    error_price,
    matrix_price,
    mixed_price,
)

ALPHAS = ("0", "0.0001", "0.01", "0.03", "0.05", "0.1")
MIN_SUPPORTS = ("0", "0", "0", "0.1", "0.2", "0.35")


@dataclass(frozen=True)
class Objective:
    """What a list is to minimize: errors or what a matrix says they cost, and the Brier score."""

    costs: tuple[tuple[str, ...], ...] | None = None
    brier_share: str = "0"

    @property
    def price(self) -> GroupPrice:
        share = Fraction(self.brier_share)
        rest = error_price
        if self.costs is not None:
            rest = matrix_price([[Fraction(one) for one in row] for row in self.costs])
        return rest if share == 0 else mixed_price(rest, brier_price, share)


@dataclass(frozen=True)
class SmallTable:
    """A table and what to ask of it; shares are kept as written, to be read exactly."""

    rows: NDArray[np.uint8]
    codes: NDArray[np.int64]
    weights: NDArray[np.int64] | None
    n_classes: int
    max_rules: int
    max_terms: int
    alpha: str
    min_support: str
    objective: Objective = field(default_factory=Objective)

    @property
    def whole_weights(self) -> list[int]:
        return [1] * len(self.codes) if self.weights is None else self.weights.tolist()

    @property
    def total(self) -> int:
        return sum(self.whole_weights)

    @property
    def rule_cost(self) -> Fraction:
        return Fraction(self.alpha) * self.total

    @property
    def min_weight(self) -> int:
        return ceil(Fraction(self.min_support) * self.total)


def best_lists_of(table: SmallTable) -> list[tuple[Fraction, list[Candidate]]]:
    """What the oracle says of a table: cost and rules of the best list with 0, 1, ... rules."""
    return best_lists(
        table.rows.tolist(),
        table.codes.tolist(),
        table.whole_weights,
        n_classes=table.n_classes,
        max_rules=table.max_rules,
        max_terms=table.max_terms,
        rule_cost=table.rule_cost,
        min_weight=table.min_weight,
        price=table.objective.price,
    )


def random_objective(rng: np.random.Generator, n_classes: int) -> Objective:
    """Return the Brier score, a cost matrix, or both; in one matrix of four being right costs."""
    kind = rng.integers(4)
    costs = None
    if kind != 0:
        parts = rng.integers(0, 5, (n_classes, n_classes)) * rng.integers(0, 2, (1, n_classes))
        parts = np.maximum(parts, rng.integers(0, 2, (n_classes, n_classes)))
        if rng.random() < 0.75:
            np.fill_diagonal(parts, 0)
        costs = tuple(tuple(f"{part}/4" for part in row) for row in parts.tolist())
    shares = {0: ("1",), 1: ("0",), 2: ("1/4", "1/2", "3/4"), 3: ("0", "1/2")}
    return Objective(costs, str(rng.choice(shares[int(kind)])))


def noisy_table(rng: np.random.Generator) -> SmallTable:
    """Labels of a hidden rule list, many of them turned around: the search has to look far.

    Too large for brute force; two searches that share no bound can be compared on it.
    """
    n_rows, n_columns = int(rng.integers(40, 250)), int(rng.integers(5, 11))
    rows = (rng.random((n_rows, n_columns)) < rng.uniform(0.2, 0.8, n_columns)).astype(np.uint8)
    codes = hidden_list_labels(rng, rows, n_rules=int(rng.integers(1, 5)))
    max_rules, max_terms = rng.choice([(3, 3), (4, 3), (4, 2), (4, 1), (5, 2), (5, 1)])
    return SmallTable(
        rows=rows,
        codes=codes,
        weights=rng.integers(1, 6, n_rows) if rng.random() < 0.2 else None,
        n_classes=2,
        max_rules=int(max_rules),
        max_terms=int(max_terms),
        alpha=str(rng.choice(["0", "0.0001", "0.005", "0.02"])),
        min_support="0",
    )


def hidden_list_labels(
    rng: np.random.Generator, rows: NDArray[np.uint8], *, n_rules: int
) -> NDArray[np.int64]:
    """Return labels of a random rule list, some of them turned around, both classes among them."""
    n_rows, n_columns = rows.shape
    codes = np.full(n_rows, rng.integers(2))
    for _ in range(n_rules):
        terms = rng.choice(n_columns, int(rng.integers(1, 4)))
        codes[rows[:, terms].all(axis=1)] = rng.integers(2)
    flipped = rng.random(n_rows) < rng.uniform(0, 0.4)
    codes = np.where(flipped, 1 - codes, codes)
    codes[:2] = 0, 1
    return codes


def small_table(rng: np.random.Generator) -> SmallTable:
    n_classes = int(rng.choice([2, 2, 2, 3, 4]))
    n_rows = int(rng.integers(n_classes, 25))
    n_columns = int(rng.integers(1, 9))
    rows = (rng.random((n_rows, n_columns)) < rng.uniform(0.2, 0.8)).astype(np.uint8)
    for column in range(n_columns):
        other = rows[:, rng.integers(n_columns)]
        rows[:, column] = {0: other, 1: 1 - other, 2: 0, 3: 1}.get(
            int(rng.integers(24)), rows[:, column]
        )
    max_terms = int(rng.choice([1, 1, 2, 2, 3]))
    return SmallTable(
        rows=rows,
        codes=_codes(rng, n_rows, n_classes),
        weights=_weights(rng, n_rows),
        n_classes=n_classes,
        max_rules=int(rng.choice([0, 1, 2, 3, 3, 4, 4, 5, 5])),
        max_terms=max_terms,
        alpha=str(rng.choice(ALPHAS)),
        min_support=str(rng.choice(MIN_SUPPORTS)),
    )


def _codes(rng: np.random.Generator, n_rows: int, n_classes: int) -> NDArray[np.int64]:
    codes = rng.integers(0, n_classes, n_rows)
    codes[rng.permutation(n_rows)[:n_classes]] = np.arange(n_classes)  # Every class appears.
    return codes


def _weights(rng: np.random.Generator, n_rows: int) -> NDArray[np.int64] | None:
    kind = rng.integers(3)
    if kind == 0:
        return None
    weights = rng.integers(0, 4 if kind == 1 else 1000, n_rows)
    weights[rng.integers(n_rows)] += 1  # Not all zero.
    return weights
