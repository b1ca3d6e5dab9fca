"""The paired bound: against exact probabilities over all samples of tiny tables."""

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from samrule.errors import ParameterError
from samrule.solver import solve
from samrule.theory import PairedWeights, loss_lower_bound, paired_lower_bound
from tests.reference.theory_simulation import SmallTable, table_of

RATIOS = [(1, 2), (2, 3), (4, 5), (8, 9), (3, 7), (16, 17), (999, 1000), (1, 1001)]


@pytest.mark.parametrize(("right", "wrong"), RATIOS)
def test_step_and_slope_keep_both_inequalities_in_50_digits(right: int, wrong: int) -> None:
    weights = PairedWeights(right, wrong)
    with localcontext() as context:
        context.prec = 50
        step, slope = Decimal(weights.step), Decimal(weights.slope)
        assert (right * step).exp() <= 1 + slope
        assert (-wrong * step).exp() <= 1 - slope


@pytest.mark.parametrize(("right", "wrong"), RATIOS[:-1])
def test_next_to_nothing_is_given_away(right: int, wrong: int) -> None:
    step = PairedWeights(right, wrong).step
    assert math.exp(right * step) + math.exp(-wrong * step) > 2 - 1e-8


@pytest.mark.parametrize(("right", "wrong"), [(0, 1), (2, 2), (3, 2), (1, 5000)])
def test_weights_that_prove_nothing_are_refused(right: int, wrong: int) -> None:
    with pytest.raises(ParameterError, match="expected"):
        PairedWeights(right, wrong)


def all_samples(m: int, n_cells: int) -> Iterator[tuple[int, ...]]:
    """Every way to put m rows into cells."""
    if n_cells == 1:
        yield (m,)
        return
    for first in range(m + 1):
        for rest in all_samples(m - first, n_cells - 1):
            yield (first, *rest)


def bound_on(
    table: SmallTable, counts: np.ndarray, wrong: np.ndarray, weights: PairedWeights, delta: float
) -> float:
    """The bound from one sample, its search done by trying every list.

    `wrong` are the cells that the reference gets wrong.
    """
    m = int(counts.sum())
    n_wrong = round(float(counts @ wrong))
    of_rows = counts * np.where(wrong, weights.wrong, weights.right)
    price = weights.rule_price(table.regularization, n_rows=m, n_wrong=n_wrong)
    losses = of_rows @ table.wrong / of_rows.sum() + price * table.n_rules
    return paired_lower_bound(
        min(1.0, float(losses.min())),
        weights=weights,
        n_rows=m,
        n_wrong=n_wrong,
        reference_error=float(table.probabilities @ wrong),
        delta=delta,
        max_rules=int(table.n_rules.max()),
        regularization=table.regularization,
    )


def failure_probability(
    table: SmallTable, wrong: np.ndarray, weights: PairedWeights, *, m: int, delta: float
) -> float:
    """P(bound > l*), added up over all samples of m rows."""
    likely = stats.multinomial(m, table.probabilities)
    return sum(
        float(likely.pmf(counts))
        for counts in all_samples(m, len(table.probabilities))
        if bound_on(table, np.array(counts), wrong, weights, delta) > table.optimum + 1e-12
    )


TABLES = {
    "nearly tied": [0.3, 0.21, 0.2, 0.29],
    "optimum 0": [0.7, 0.0, 0.0, 0.3],
    "noise": [0.25, 0.25, 0.25, 0.25],
    "one heavy row": [0.94, 0.02, 0.02, 0.02],
}


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("alpha", [0.0, 0.03])
@pytest.mark.parametrize("kind", TABLES)
def test_the_bound_fails_no_more_often_than_promised(kind: str, alpha: float, delta: float) -> None:
    table = table_of(np.array(TABLES[kind]), d=1, k=1, regularization=alpha)
    for wrong in table.wrong.T:
        for weights in (PairedWeights(1, 2), PairedWeights(4, 5)):
            failing = failure_probability(table, wrong, weights, m=7, delta=delta)
            assert failing <= delta


def coin_failures(m: int, delta: float, *, allowed: float) -> float:
    """P(bound > l*), where the only list of the class and the reference disagree on every row.

    The bound is as far below what the sample says as `allowed` times what it should be.
    """
    only_list, reference = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    table = SmallTable(np.array([0.51, 0.49]), only_list[:, None], np.array([0]), 0.0)
    weights = PairedWeights(3, 4)
    # c is as it should be.
    assert weights.slope == pytest.approx(math.sqrt(2 * math.log(1 / delta) / m), rel=0.1)
    failing = 0.0
    for errors in range(m + 1):
        counts = np.array([m - errors, errors])
        bound = bound_on(table, counts, reference, weights, delta)
        seen = 0.51 + (2 * errors - m) / m
        if seen - allowed * (seen - bound) > table.optimum:
            failing += float(stats.binom.pmf(errors, m, 0.49))
    return failing


def test_a_bound_that_stays_half_as_far_below_fails() -> None:
    """The check can fail: with half the deviation the bound is above the optimum too often."""
    assert 0 < coin_failures(75, 0.05, allowed=1.0) <= 0.05
    assert coin_failures(75, 0.05, allowed=0.5) > 0.05


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_search_by_the_solver_gives_the_bound_of_all_lists_tried(data: st.DataObject) -> None:
    """End to end: rows, a reference, `solve` with its weights and price, and the bound."""
    seed = data.draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    alpha = data.draw(st.sampled_from([0.0, 0.01, 0.1]))
    weights = PairedWeights(*data.draw(st.sampled_from(RATIOS[:4])))
    table = table_of(rng.dirichlet(np.ones(8)), d=2, k=2, regularization=alpha)
    counts = rng.multinomial(60, table.probabilities)
    wrong = table.wrong[:, rng.integers(table.wrong.shape[1])]
    cells = np.repeat(np.arange(8), counts)
    columns = np.stack([(cells >> place & 1).astype(bool) for place in range(2)], axis=1)
    is_wrong = wrong[cells] > 0
    n_wrong = int(is_wrong.sum())
    found = solve(
        columns,
        cells // 4,
        classes=(0, 1),
        max_rules=2,
        regularization=weights.rule_price(alpha, n_rows=60, n_wrong=n_wrong),
        weights=np.where(is_wrong, weights.wrong, weights.right),
    )
    bound = paired_lower_bound(
        found.lower_bound,
        weights=weights,
        n_rows=60,
        n_wrong=n_wrong,
        reference_error=float(table.probabilities @ wrong),
        delta=0.05,
        max_rules=2,
        regularization=alpha,
    )
    assert bound == pytest.approx(bound_on(table, counts, wrong, weights, 0.05), abs=1e-9)


common = {"n_rows": 4000, "n_wrong": 680, "reference_error": 0.17, "max_rules": 4}


@given(low=st.floats(0, 1), high=st.floats(0, 1), delta=st.floats(1e-9, 0.9))
def test_more_loss_on_the_sample_never_proves_less(low: float, high: float, delta: float) -> None:
    low, high = sorted((low, high))
    asked = {**common, "weights": PairedWeights(8, 9), "delta": delta}
    assert paired_lower_bound(low, **asked) <= paired_lower_bound(high, **asked)


@given(loss=st.floats(0, 1), delta=st.floats(1e-9, 0.4))
def test_more_confidence_never_proves_more(loss: float, delta: float) -> None:
    asked = {**common, "weights": PairedWeights(8, 9)}
    surer = paired_lower_bound(loss, delta=delta, **asked)
    assert surer <= paired_lower_bound(loss, delta=2 * delta, **asked)


def test_it_is_sharper_than_the_plain_bound_where_lists_hardly_disagree() -> None:
    """The sample's best list is the reference itself."""
    weights = PairedWeights(8, 9)
    least = 9 * 680 / weights.total(4000, 680)
    paired = paired_lower_bound(least, weights=weights, delta=0.05, regularization=0, **common)
    plain = loss_lower_bound(0.17, n_rows=4000, delta=0.05, max_rules=4, regularization=0)
    assert plain + 0.003 < paired


def test_a_useless_sample_proves_nothing() -> None:
    weights = PairedWeights(4, 5)
    assert paired_lower_bound(0.0, weights=weights, delta=1e-300, **common) == 0
