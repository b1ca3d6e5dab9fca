"""How many drawn rows are surely among a share of the table, against exact sums."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.theory import sample_support


def at_most(x: int, m: int, p: Fraction) -> Fraction:
    """Return P(X <= x) for X binomial, exactly."""
    return sum((comb(m, i) * p**i * (1 - p) ** (m - i) for i in range(x + 1)), Fraction(0))


@given(
    st.integers(1, 60),
    st.fractions(min_value=0, max_value=1, max_denominator=50),
    st.sampled_from([0.3, 0.05, 0.001]),
)
def test_fewer_rows_have_at_most_the_probability_paid_for(
    m: int, share: Fraction, delta: float
) -> None:
    t = sample_support(share, n_rows=m, delta=delta)
    assert at_most(t - 1, m, share) <= Fraction(delta)
    if share < 1 and t < m:  # And not more careful than need be, but for rounding.
        assert at_most(t, m, share) > Fraction(delta) * Fraction(999, 1000)


@pytest.mark.parametrize("m", [100, 10_000])
def test_threshold_nears_the_share_as_samples_grow(m: int) -> None:
    t = sample_support(0.1, n_rows=m, delta=0.01)
    assert 0.1 * m - 3 * (0.1 * m) ** 0.5 < t < 0.1 * m
