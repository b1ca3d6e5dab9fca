"""Clopper-Pearson limits against exact fractions and scipy."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from samrule.theory import (
    binomial_lower_limit,
    binomial_tail,
    binomial_upper_limit,
    kl_lower,
    kl_upper,
)


def _exact_tail(c: int, q: Fraction, m: int, *, upper: bool) -> Fraction:
    counts = range(c, m + 1) if upper else range(c + 1)
    return sum(math.comb(m, i) * q**i * (1 - q) ** (m - i) for i in counts)


@settings(deadline=None)
@given(data=st.data(), m=st.integers(1, 60), delta=st.floats(1e-9, 0.5))
def test_limits_lean_outwards_and_by_less_than_1e_12(data, m, delta):
    c = data.draw(st.integers(0, m))
    step = Fraction(1, 10**12)
    upper = Fraction(binomial_upper_limit(c, n_rows=m, delta=delta))
    lower = Fraction(binomial_lower_limit(c, n_rows=m, delta=delta))

    assert upper == 1 or _exact_tail(c, upper, m, upper=False) <= Fraction(delta)
    assert lower == 0 or _exact_tail(c, lower, m, upper=True) <= Fraction(delta)
    assert c == m or _exact_tail(c, upper - step, m, upper=False) >= Fraction(delta)
    assert c == 0 or _exact_tail(c, lower + step, m, upper=True) >= Fraction(delta)


@settings(deadline=None)
@given(data=st.data(), m=st.integers(2, 80), upper=st.booleans())
def test_tail_bounds_enclose_the_exact_tail(data, m, upper):
    c = data.draw(st.integers(1, m - 1))
    towards_mean = data.draw(st.floats(1e-6, 1.0))
    q = c / m * towards_mean if upper else 1 - (1 - c / m) * towards_mean
    if not 0 < q < 1:
        return
    low, high = binomial_tail(c, q, n_rows=m, upper=upper)
    exact = _exact_tail(c, Fraction(q), m, upper=upper)

    assert Fraction(low) <= exact <= Fraction(high)


@pytest.mark.parametrize("m", [10**4, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("part", ["1", "m // 10", "m // 2", "m - 1"])
def test_limits_on_large_samples_have_the_tail_they_promise(m, part):
    c = {"1": 1, "m // 10": m // 10, "m // 2": m // 2, "m - 1": m - 1}[part]
    delta = 0.01
    upper = binomial_upper_limit(c, n_rows=m, delta=delta)
    lower = binomial_lower_limit(c, n_rows=m, delta=delta)
    tolerance = 1e-6  # scipy's tails at 10^12 rows

    assert stats.binom.cdf(c, m, upper) <= delta * (1 + tolerance)
    assert stats.binom.cdf(c, m, upper - 1e-12) >= delta * (1 - tolerance)
    assert stats.binom.sf(c - 1, m, lower) <= delta * (1 + tolerance)
    assert stats.binom.sf(c - 1, m, lower + 1e-12) >= delta * (1 - tolerance)


def test_no_errors_and_only_errors_have_closed_forms():
    for m in (1, 100, 10**12):
        assert binomial_upper_limit(0, n_rows=m, delta=0.05) == pytest.approx(
            -math.expm1(math.log(0.05) / m), rel=1e-14
        )
        assert binomial_lower_limit(m, n_rows=m, delta=0.05) == pytest.approx(0.05 ** (1 / m))
        assert binomial_lower_limit(0, n_rows=m, delta=0.05) == 0
        assert binomial_upper_limit(m, n_rows=m, delta=0.05) == 1


@settings(deadline=None)
@given(data=st.data(), m=st.integers(1, 3000), delta=st.floats(1e-6, 0.5))
def test_exact_limits_are_never_wider_than_kl_limits(data, m, delta):
    c = data.draw(st.integers(0, m))
    b = math.log(1 / delta) / m

    assert binomial_upper_limit(c, n_rows=m, delta=delta) <= kl_upper(c / m, b) + 1e-12
    assert binomial_lower_limit(c, n_rows=m, delta=delta) >= kl_lower(c / m, b) - 1e-12
