"""The bound for calibrated shares: against exact probabilities, and the lemmas it rests on."""

import math
from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from samrule.theory import calibrated_lower, kl_lower
from samrule.theory.calibrated import LARGEST_EXPONENT

scores = st.floats(0, 0.25)
budgets = st.floats(-16, 2).map(math.exp)


def exact_mgf(t: Decimal, v: Decimal) -> Decimal:
    """E exp(t (y - q)^2) in a group of mean loss v = q (1 - q)."""
    q = (1 - (1 - 4 * v).sqrt()) / 2
    return q * (t * (1 - q) ** 2).exp() + (1 - q) * (t * q**2).exp()


@pytest.mark.parametrize("t", [0.01, 0.5, 1.0, 2.0, 3.0, 4.0, LARGEST_EXPONENT])
def test_moments_are_concave_in_the_mean_of_a_group(t: float) -> None:
    with localcontext() as context:
        context.prec = 50
        step = Decimal("0.25") / 400
        values = [exact_mgf(Decimal(t), step * place) for place in range(401)]
        second = [a - 2 * b + c for a, b, c in zip(values, values[1:], values[2:], strict=False)]
    assert max(second) <= Decimal("1e-40")


def test_moments_are_not_concave_beyond_the_largest_exponent() -> None:
    with localcontext() as context:
        context.prec = 50
        t, step = Decimal(LARGEST_EXPONENT + 0.01), Decimal("1e-6")
        a, b, c = (exact_mgf(t, Decimal("0.25") - step * place) for place in (0, 1, 2))
    assert a - 2 * b + c > 0


def failure_probability(
    shares: tuple[float, float], weight: float, n_rows: int, delta: float
) -> float:
    """P(bound > L) of a list of two groups, over the number of rows in each and their classes."""
    budget = math.log(1 / delta) / n_rows
    true = weight * shares[0] * (1 - shares[0]) + (1 - weight) * shares[1] * (1 - shares[1])
    failing = 0.0
    for in_first in range(n_rows + 1):
        sizes = (in_first, n_rows - in_first)
        here = stats.binom.pmf(in_first, n_rows, weight)
        for ones in product(range(sizes[0] + 1), range(sizes[1] + 1)):
            score = sum(
                one * (1 - q) ** 2 + (size - one) * q**2
                for one, size, q in zip(ones, sizes, shares, strict=True)
            )
            if calibrated_lower(score / n_rows, budget) > true:
                likely = np.prod(
                    [
                        stats.binom.pmf(one, size, q)
                        for one, size, q in zip(ones, sizes, shares, strict=True)
                    ]
                )
                failing += here * likely
    return failing


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize(
    ("shares", "weight"), [((0.1, 0.5), 0.5), ((0.02, 0.3), 0.9), ((0.0, 0.5), 0.7)]
)
def test_the_bound_fails_no_more_often_than_promised(
    shares: tuple[float, float], weight: float, delta: float
) -> None:
    failing = failure_probability(shares, weight, 16, delta)
    assert failing <= delta


def test_it_does_fail_sometimes() -> None:
    """A bound that never failed would prove too little, and this test nothing."""
    assert failure_probability((0.1, 0.5), 0.5, 16, 0.5) > 0.05


@settings(deadline=None)
@given(score=scores, b=budgets)
def test_it_is_a_lower_bound_no_worse_than_that_for_any_loss(score: float, b: float) -> None:
    bound = calibrated_lower(score, b)
    assert kl_lower(score, b) <= bound <= score


@settings(deadline=None)
@given(score=st.floats(0.05, 0.25), b=st.floats(-12, -5).map(math.exp))
def test_it_is_sharper_where_samples_are_large(score: float, b: float) -> None:
    assert calibrated_lower(score, b) > kl_lower(score, b)


@settings(deadline=None)
@given(score=scores, other=scores, b=budgets)
def test_a_higher_score_never_gives_a_lower_bound(score: float, other: float, b: float) -> None:
    low, high = sorted((score, other))
    assert calibrated_lower(low, b) <= calibrated_lower(high, b) + 1e-15
