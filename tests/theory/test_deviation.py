"""Deviation bounds against 60-digit arithmetic and exact binomial tails."""

import math
from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from samrule.errors import ParameterError
from samrule.theory import (
    kl,
    kl_lower,
    kl_sample,
    kl_sample_lower,
    kl_upper,
    loss_upper_bound_paper,
    sample_loss_upper_bound_as_printed,
    sample_loss_upper_bound_paper,
)
from tests.reference.theory_decimal import exact_kl

rates = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-12, 1 - 1e-12, 0.5])
inner_rates = st.floats(1e-12, 1 - 1e-12)
# From one row and a tiny delta to 10^12 rows and a generous one.
budgets = st.floats(-28, 6).map(math.exp)


@settings(deadline=None)
@given(p=rates, q=inner_rates, nearness=st.integers(0, 14))
def test_kl_agrees_with_sixty_digits_even_where_the_rates_nearly_agree(p, q, nearness):
    q = p + (q - p) * 10.0**-nearness
    if not 0 < q < 1:
        return
    exact = exact_kl(Decimal(p), Decimal(q))

    assert abs(Decimal(kl(p, q)) - exact) <= Decimal("2.3e-14") * exact


@settings(deadline=None)
@given(p=rates, b=budgets)
@example(p=0.0, b=1e-12)
@example(p=1.0, b=1e-12)
@example(p=0.5, b=4e-12)
@example(p=5e-324, b=1.0)
def test_kl_inversions_lean_outwards_and_by_less_than_1e_12(p, b):
    """An outward step of 1e-12 leaves the set that kl <= b, an inward one enters it."""
    step = Decimal("1e-12")
    for invert, towards, in_q in [
        (kl_upper, 1, True),
        (kl_lower, 0, True),
        (kl_sample, 1, False),
        (kl_sample_lower, 0, False),
    ]:
        if p in (0, 1) and not in_q:
            continue  # kl(x, p) is infinite for x != p; see the closed forms below
        result, sign = Decimal(invert(p, b)), 1 if towards else -1
        at_end = result == towards
        assert sign * (result - Decimal(p)) >= 0
        assert at_end or _exact(p, result, in_q) >= Decimal(b)
        inward = result - sign * step
        if sign * (inward - Decimal(p)) > 0:
            assert _exact(p, inward, in_q) <= Decimal(b)


def _exact(p: float, x: Decimal, in_q: bool) -> Decimal:
    """kl(p, x) or kl(x, p), infinite where the second argument excludes the first."""
    with localcontext(prec=60):
        first, second = (Decimal(p), x) if in_q else (x, Decimal(p))
        if second in (0, 1):
            return Decimal(0) if first == second else Decimal("Infinity")
        return exact_kl(first, second)


@settings(deadline=None)
@given(p=st.floats(0, 0.9), b=st.floats(-28, -4).map(math.exp))
def test_the_inversions_undo_each_other(p, b):
    assert kl_lower(kl_sample(p, b), b) == pytest.approx(p, rel=1e-9, abs=1e-12)
    assert kl_sample_lower(kl_upper(p, b), b) == pytest.approx(p, rel=1e-9, abs=1e-12)


def test_perfect_rates_have_closed_forms():
    for m in (1, 51, 10**12):
        b = math.log(20) / m
        assert kl_upper(0.0, b) == pytest.approx(-math.expm1(-b), abs=1e-12)
        assert kl_lower(1.0, b) == pytest.approx(math.exp(-b), abs=1e-12)
        assert (kl_sample(0.0, b), kl_sample_lower(1.0, b)) == (0.0, 1.0)
        assert (kl_upper(1.0, b), kl_lower(0.0, b)) == (1.0, 0.0)


GRID = list(product((1, 2, 5, 20, 100, 1000), (0.001, 0.01, 0.1, 0.3, 0.5, 0.9), (0.2, 0.05, 1e-3)))


@pytest.mark.parametrize(("m", "q", "delta"), GRID)
def test_kl_deviations_are_never_violated_by_exact_binomial_tails(m, q, delta):
    errors = np.arange(m + 1)
    mass = stats.binom.pmf(errors, m, q)
    b = math.log(1 / delta) / m
    too_high = errors / m > kl_sample(q, b)
    too_low = np.array([kl_upper(c / m, b) < q for c in errors])

    assert mass[too_high].sum() <= delta
    assert mass[too_low].sum() <= delta


def test_kl_deviations_spend_at_least_an_eighth_of_delta_on_1000_rows():
    # Reported in docs/theory/deviation.md: the exact violation probability as a part of delta.
    m, parts = 1000, []
    for q, delta in product((0.01, 0.1, 0.3), (0.2, 0.05)):
        limit = kl_sample(q, math.log(1 / delta) / m)
        parts.append(stats.binom.sf(math.floor(m * limit), m, q) / delta)

    assert 1 / 8 < min(parts) <= max(parts) < 1


@pytest.mark.parametrize("m", [200, 5000])
@pytest.mark.parametrize("q", [0.0, 0.002, 0.05, 0.3])
def test_paper_deviations_are_never_violated_by_exact_binomial_tails(m, q):
    delta, theta = 0.05, 0.06
    errors = np.arange(m + 1)
    mass = stats.binom.pmf(errors, m, q)
    upper = np.array(
        [loss_upper_bound_paper(c / m, n_rows=m, complexity=0.0, delta=delta) for c in errors]
    )
    limit = sample_loss_upper_bound_paper(q, n_rows=m, theta=theta, delta=delta)

    assert mass[upper < q].sum() <= delta / 2
    assert mass[errors / m > limit].sum() <= delta / 2


def test_the_printed_deviation_fails_for_a_near_perfect_optimum():
    # m g = 0.07 (A5): one error exceeds the bound, and has probability .068 > .05.
    m, q, delta = 1000, 0.07 / 1000, 0.05
    limit = sample_loss_upper_bound_as_printed(q, n_rows=m, delta=delta)

    assert limit < 1 / m
    assert stats.binom.sf(0, m, q) == pytest.approx(0.068, abs=5e-4)


def test_the_corrected_deviation_refuses_too_few_rows():
    with pytest.raises(ParameterError, match=r"n_rows \* theta is 2.5; expected at least 3 ln"):
        sample_loss_upper_bound_paper(0.0, n_rows=100, theta=0.025, delta=0.05)


@settings(deadline=None)
@given(p=st.floats(0.001, 0.5), b=st.floats(1e-6, 0.1))
def test_kl_is_never_looser_than_the_papers_chernoff_form(p, b):
    assert kl_upper(p, b) <= p + math.sqrt(2 * p * b) + 2 * b + 1e-12
