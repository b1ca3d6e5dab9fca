"""A draw that is right passes, one that is not is seen."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from samrule.theory import is_plausible_draw, kl_lower, kl_upper


@given(
    rate=st.floats(0, 1),
    n_rows=st.integers(1, 10_000),
    log_n_lists=st.floats(0, 50),
    delta=st.sampled_from([0.05, 1e-9]),
)
def test_it_is_kl_upper_and_kl_lower_at_half_of_delta_each(rate, n_rows, log_n_lists, delta):
    asked = {"n_rows": n_rows, "log_n_lists": log_n_lists, "delta": delta}
    budget = (log_n_lists + math.log(2 / delta)) / n_rows
    for limit, end in ((kl_lower(rate, budget), 0.0), (kl_upper(rate, budget), 1.0)):
        # The limits are rounded outwards by up to 1e-12: a hundredth of the way on or back is more.
        inside, outside = limit + (rate - limit) * 0.01, limit + (end - limit) * 0.01
        if abs(inside - limit) > 1e-9:
            assert is_plausible_draw(rate, inside, **asked)
        if abs(outside - limit) > 1e-9:
            assert not is_plausible_draw(rate, outside, **asked)


@pytest.mark.parametrize("table_rate", [0.0, 0.001, 0.1, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("n_rows", [1, 20, 500])
@pytest.mark.parametrize("delta", [0.05, 1e-9])
def test_a_right_draw_fails_with_probability_at_most_delta(table_rate, n_rows, delta):
    """Exactly, by adding up the binomial probabilities of all counts that raise the alarm."""
    counts = np.arange(n_rows + 1)
    alarms = [
        not is_plausible_draw(
            count / n_rows, table_rate, n_rows=n_rows, log_n_lists=0.0, delta=delta
        )
        for count in counts.tolist()
    ]
    assert binom.pmf(counts[alarms], n_rows, table_rate).sum() <= delta


def test_a_class_drawn_too_seldom_is_seen_in_the_first_rows():
    asked = {"n_rows": 500, "log_n_lists": math.log(2), "delta": 1e-9}
    assert not is_plausible_draw(0.34, 0.5, **asked)
    assert is_plausible_draw(0.45, 0.5, **asked)
