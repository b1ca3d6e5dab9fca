"""The paired bound, simulated: how often is it above the optimum, on tables made to mislead?

As in `test_coverage.py`: each check allows as many failures as a promise that is *just* kept
exceeds with probability 1e-6. The ordinary run repeats 300 times, `-m slow` 10,000 times.
"""

from functools import lru_cache

import numpy as np
import pytest

from samrule.theory import PairedWeights, paired_lower_bound
from tests.reference.theory_simulation import SmallTable, most_failures, noisy_table, table_of

FALSE_ALARM = 1e-6
REPETITIONS = [300, pytest.param(10_000, marks=pytest.mark.slow)]

cached_bound = lru_cache(maxsize=None)(paired_lower_bound)


def three_classes() -> SmallTable:
    """Lists without rules and one rule on one condition, for classes 0, 1 and 2."""
    probabilities = np.array([0.2, 0.12, 0.1, 0.1, 0.3, 0.18])  # (class, condition)
    classes, condition = np.repeat([0, 1, 2], 2), np.tile([0, 1], 3)
    wrong, n_rules = [], []
    for default in range(3):
        for matched in range(3):
            predicted = np.where(condition == 1, matched, default)
            wrong.append(predicted != classes)
            n_rules.append(int(matched != default))
    return SmallTable(probabilities, np.array(wrong, float).T, np.array(n_rules), 1e-3)


def nearly_tied() -> SmallTable:
    """One condition on a fifth of the rows, where ignoring it costs next to nothing."""
    by_label_and_row = [[0.775, 0.0999], [0.025, 0.1001]]
    return table_of(np.array(by_label_and_row).ravel(), d=1, k=1, regularization=0.0)


def one_heavy_row() -> SmallTable:
    """Rows drawn by weight, where one of them has half of it."""
    probabilities = np.array([0.5, 0.2, 0.03, 0.1, 0.02, 0.04, 0.1, 0.01])
    return table_of(probabilities, d=2, k=2, regularization=1e-3)


TABLES = {
    "nearly tied": nearly_tied,
    "optimum 0": lambda: noisy_table(0.0, seed=1),
    "a tenth wrong": lambda: noisy_table(0.1, seed=1),
    "one heavy row": one_heavy_row,
    "three classes": three_classes,
}


def failures(
    table: SmallTable,
    wrong: np.ndarray,
    weights: PairedWeights,
    *,
    m: int,
    delta: float,
    repetitions: int,
    allowed: float = 1.0,
) -> int:
    """Samples of m rows on which the bound is above the optimum.

    `wrong` are the cells that the reference gets wrong. The bound is as far below the least loss
    that the sample suggests as `allowed` times what it should be.
    """
    rng = np.random.default_rng([m, repetitions])
    counts = table.draw(rng, m, repetitions)
    n_wrong = np.rint(counts @ wrong).astype(int)
    of_rows = counts * np.where(wrong, weights.wrong, weights.right)
    prices = [
        weights.rule_price(table.regularization, n_rows=m, n_wrong=int(one)) for one in n_wrong
    ]
    losses = of_rows @ table.wrong / of_rows.sum(axis=1, keepdims=True)
    losses += np.array(prices)[:, None] * table.n_rules
    bounds = [
        cached_bound(
            min(1.0, float(least)),
            weights=weights,
            n_rows=m,
            n_wrong=int(errors),
            reference_error=float(table.probabilities @ wrong),
            delta=delta,
            max_rules=int(table.n_rules.max()),
            regularization=table.regularization,
        )
        for least, errors in zip(losses.min(axis=1), n_wrong, strict=True)
    ]
    known = table.probabilities @ wrong
    seen = known + table.sample_losses(counts).min(axis=1) - n_wrong / m
    return int(np.sum(seen - allowed * (seen - np.array(bounds)) > table.optimum + 1e-12))


# c for few rows, for many, and far too large for any.
WEIGHTS = [PairedWeights(4, 5), PairedWeights(16, 17), PairedWeights(1, 3)]


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("which", ["best", "second", "worst"])
@pytest.mark.parametrize("kind", TABLES)
def test_bound_is_above_the_optimum_no_more_often_than_allowed(kind, which, delta, repetitions):
    table = TABLES[kind]()
    wrong = table.wrong[:, np.argsort(table.losses)[{"best": 0, "second": 1, "worst": -1}[which]]]
    limit = most_failures(repetitions, delta, FALSE_ALARM)
    for weights in WEIGHTS:
        found = failures(table, wrong, weights, m=400, delta=delta, repetitions=repetitions)
        assert found <= limit


def test_a_bound_that_stays_half_as_far_below_fails() -> None:
    """The check can fail: a list and a reference that disagree everywhere, c as it should be."""
    only_list, reference = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    table = SmallTable(np.array([0.51, 0.49]), only_list[:, None], np.array([0]), 0.0)
    asked = {"m": 130, "delta": 0.05, "repetitions": 4000}
    kept = failures(table, reference, PairedWeights(4, 5), **asked)
    weak = failures(table, reference, PairedWeights(4, 5), **asked, allowed=0.5)
    assert 0 < kept <= 200 < most_failures(4000, 0.05, FALSE_ALARM) < weak
