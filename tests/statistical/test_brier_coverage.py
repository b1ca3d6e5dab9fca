"""Certificates of Brier losses, simulated: how often is the lower bound above the optimum?

As in `test_coverage.py`: each check allows as many failures as a promise that is *just* kept
exceeds with probability 1e-6. A bound that is weakened on purpose fails the same check.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
import pytest

from samrule.theory import calibrated_lower, certify, loss_lower_bound
from samrule.theory.rounding import log_inverse
from tests.reference.theory_simulation import most_failures

FALSE_ALARM = 1e-6
REPETITIONS = [300, pytest.param(4000, marks=pytest.mark.slow)]
MAX_RULES, ALPHA = 2, 1e-3

cached_lower_bound = lru_cache(maxsize=None)(loss_lower_bound)


@dataclass(frozen=True)
class Cells:
    """A table: how probable each row of d conditions is, and its share of class 1."""

    probability: np.ndarray
    positive: np.ndarray

    def draw(self, rng: np.random.Generator, m: int, repetitions: int) -> np.ndarray:
        """Rows by repetition, class and cell."""
        joint = np.stack([self.probability * (1 - self.positive), self.probability * self.positive])
        return rng.multinomial(m, joint.ravel(), size=repetitions).reshape(repetitions, 2, -1)

    def least_losses(self, weights: np.ndarray) -> np.ndarray:
        """Least Brier loss of any list, for each weight by class and cell: shares are refitted."""
        found = []
        for groups in all_lists(len(self.probability)):
            of_class = weights @ groups.T  # (repetitions, 2, groups)
            total = of_class.sum(axis=1)
            with np.errstate(invalid="ignore"):
                cost = np.nan_to_num(of_class[:, 0] * of_class[:, 1] / total).sum(axis=1)
            found.append(cost / total.sum(axis=1) + ALPHA * (len(groups) - 1))
        return np.min(found, axis=0)

    @property
    def optimum(self) -> float:
        joint = np.stack([self.probability * (1 - self.positive), self.probability * self.positive])
        return float(self.least_losses(joint[None])[0])


@lru_cache
def all_lists(n_cells: int) -> list[np.ndarray]:
    """Which cells each rule decides, the default last, of every list of up to MAX_RULES rules."""
    d = n_cells.bit_length() - 1
    cells = np.arange(n_cells)
    lists = []
    for length in range(MAX_RULES + 1):
        for rules in permutations(range(d), length):
            left, groups = np.ones(n_cells, dtype=bool), []
            for one in rules:
                matched = (cells >> one & 1).astype(bool)
                groups.append(left & matched)
                left = left & ~matched
            lists.append(np.array([*groups, left], dtype=float))
    return lists


def table(kind: str) -> Cells:
    rng = np.random.default_rng(0)
    spread = {"one group": 0.0, "rare": 0.0, "mixed": 0.25, "pure and coins": 0.5}[kind]
    middle = {"one group": 0.3, "rare": 0.01, "mixed": 0.3, "pure and coins": 0.5}[kind]
    probability = rng.dirichlet(np.full(16, 2.0))
    signs = np.where(np.arange(16) & 1, 1.0, np.where(np.arange(16) & 2, -1.0, 0.0))
    return Cells(probability, np.clip(middle + spread * signs, 0, 1))


KINDS = ["one group", "rare", "mixed", "pure and coins"]


def failures(kind: str, m: int, delta: float, repetitions: int, seed: int = 1) -> int:
    cells = table(kind)
    rng = np.random.default_rng([seed, m, repetitions])
    least = cells.least_losses(cells.draw(rng, m, repetitions))
    optimum = cells.optimum + 1e-12
    asked = {"n_rows": m, "delta": delta, "max_rules": MAX_RULES, "regularization": ALPHA}
    bounds = [
        cached_lower_bound(float(one), loss_name="Brier loss", **asked)
        for one in np.round(least, 12)
    ]
    return int(np.sum(np.array(bounds) > optimum))


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("m", [100, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_lower_bound_is_above_the_optimum_no_more_often_than_allowed(kind, m, delta, repetitions):
    assert failures(kind, m, delta, repetitions) <= most_failures(repetitions, delta, FALSE_ALARM)


def test_a_bound_on_a_quarter_of_the_evidence_fails() -> None:
    """The check can fail: with a quarter of the exponent the bound is above too often."""
    cells, m, delta, repetitions = table("one group"), 1000, 0.05, 1000
    rng = np.random.default_rng(2)
    positives = cells.draw(rng, m, repetitions)[:, 1].sum(axis=1)
    q = float(cells.positive[0])
    scores = (positives * (1 - q) ** 2 + (m - positives) * q**2) / m
    budget = log_inverse(delta) / m
    kept = [calibrated_lower(float(one), budget) > q * (1 - q) for one in scores]
    weak = [calibrated_lower(float(one), budget / 4) > q * (1 - q) for one in scores]
    allowed = most_failures(repetitions, delta, FALSE_ALARM)
    assert sum(kept) <= delta * repetitions < allowed < sum(weak)


def test_certificates_with_a_scan_are_wrong_only_if_the_lower_bound_is() -> None:
    cells, m, repetitions = table("mixed"), 400, 200
    rng = np.random.default_rng(3)
    wrong = 0
    for least in cells.least_losses(cells.draw(rng, m, repetitions)):
        found = certify(
            epsilon=0.1,
            theta=0.05,
            max_rules=MAX_RULES,
            regularization=ALPHA,
            n_rules=2,
            train_rows=m,
            sample_lower_bound=float(least),
            table_loss=1.2 * cells.optimum,  # Not near enough: it must not be certified.
            loss_name="Brier loss",
        )
        wrong += found.holds
    assert wrong <= most_failures(repetitions, 0.05, FALSE_ALARM)
