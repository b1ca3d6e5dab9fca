"""Progressive schedules: fixed point, growing sizes, and never more than delta."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule.errors import ParameterError
from samrule.theory import (
    PairedWeights,
    Schedule,
    Shares,
    Stage,
    planned_schedule,
    progressive_schedule,
    sample_size,
)

ADULT = {"max_rules": 4, "epsilon": 0.5, "theta": 0.025}


def test_adult_has_eight_stages_and_the_last_size_of_theory_part_d():
    paper = progressive_schedule(175, method="paper", **ADULT)
    tight = progressive_schedule(175, **ADULT)

    assert len(paper.stages) == len(tight.stages) == 8
    assert paper.a_priori_rows == 37883
    assert tight.a_priori_rows == pytest.approx(23400, rel=0.01)


@settings(deadline=None, max_examples=50)
@given(
    delta=st.floats(1e-9, 0.99),
    first=st.integers(1, 3000),
    growth=st.floats(1.2, 10),
    ratio=st.sampled_from([0.0, 0.5, 4.0]),
    epsilon=st.floats(0.1, 1),
)
def test_shares_never_exceed_delta_and_sizes_grow(delta, first, growth, ratio, epsilon):
    schedule = progressive_schedule(
        50, max_rules=3, epsilon=epsilon, theta=0.05, delta=delta, first_rows=first,
        growth=growth, validation_ratio=ratio,
    )  # fmt: skip
    sizes = [stage.train_rows for stage in schedule.stages]

    assert schedule.exact_total <= Fraction(delta)
    assert schedule.exact_total >= Fraction(delta) * Fraction(999_999, 1_000_000)
    assert sizes == sorted(set(sizes))
    assert sizes[0] == first or len(sizes) == 1
    assert all(stage.validation_rows >= ratio * stage.train_rows for stage in schedule.stages)


@pytest.mark.parametrize("ratio", [0.0, 4.0])
def test_last_stage_is_large_enough_for_its_own_share_of_delta(ratio):
    schedule = progressive_schedule(175, validation_ratio=ratio, **ADULT)
    last = schedule.stages[-1]
    at_its_share = sample_size(175, method="tight", delta=last.shares.a_priori_delta, **ADULT)

    assert last.train_rows == at_its_share
    assert last.shares.uniform > 0
    assert all(stage.shares.uniform == 0 for stage in schedule.stages[:-1])


def test_validation_leaves_the_a_priori_argument_two_thirds_of_the_last_share():
    schedule = progressive_schedule(175, validation_ratio=4.0, **ADULT)
    last, n_stages = schedule.stages[-1].shares, len(schedule.stages)

    assert last.a_priori_delta == pytest.approx(2 / 3 * 0.05 / n_stages)
    assert last.exact_total <= Fraction(0.05) / n_stages


def test_number_of_stages_agrees_with_the_size_it_leads_to():
    schedule = progressive_schedule(175, growth=1.5, **ADULT)
    sizes = [stage.train_rows for stage in schedule.stages]
    steps = [late / early for early, late in pairwise(sizes)]

    assert all(1.5**0.9 < step < 1.5**1.1 for step in steps)


def test_a_first_stage_beyond_the_a_priori_size_is_the_only_one():
    schedule = progressive_schedule(175, first_rows=10**6, **ADULT)

    assert [stage.train_rows for stage in schedule.stages] == [
        sample_size(175, method="tight", **ADULT)
    ]


def test_overspending_is_refused_to_the_last_bit():
    # 0.1 + 0.2 is more than 0.3 in exact arithmetic of the three floats.
    stages = (Stage(10, 0, Shares(0.1)), Stage(20, 0, Shares(0.2)))
    with pytest.raises(ParameterError, match=r"the stages spend 0\.3; expected at most"):
        Schedule(stages, delta=0.3)


def test_sizes_that_do_not_grow_are_refused():
    with pytest.raises(ParameterError, match=r"the stages have \[20, 10\] rows"):
        Schedule((Stage(20, 0, Shares(0.01)), Stage(10, 0, Shares(0.01))), delta=0.05)


@pytest.mark.parametrize(
    ("name", "value"),
    [("first_rows", 0), ("growth", 1.0), ("validation_ratio", -1.0), ("delta", 0.0)],
)
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=f"{name} is {value}; expected"):
        progressive_schedule(175, **ADULT, **{name: value})


@settings(deadline=None, max_examples=30)
@given(
    delta=st.floats(1e-9, 0.99),
    first=st.integers(1, 30_000),
    n_planned=st.integers(1, 4),
    most_rows=st.integers(0, 200_000),
)
def test_planned_shares_never_exceed_delta_and_stages_out_of_reach_hold_none(
    delta, first, n_planned, most_rows
):
    weights = PairedWeights(8, 9)
    planned = [(first * 2**place, weights) for place in range(n_planned)]
    schedule = planned_schedule(
        50, planned=planned, most_rows=most_rows, max_rules=3, epsilon=0.3, theta=0.05, delta=delta
    )
    if schedule is None:
        assert first > most_rows
        return
    assert schedule.exact_total <= Fraction(delta)
    assert all(stage.train_rows <= most_rows for stage in schedule.stages)
    *early, last = schedule.stages
    assert all(stage.weights == weights for stage in early)
    # What is searched plainly at the end is large enough for its own share of delta.
    if schedule.a_priori_rows is not None:
        asked = {"max_rules": 3, "epsilon": 0.3, "theta": 0.05}
        needed = sample_size(50, method="tight", delta=last.shares.a_priori_delta, **asked)
        assert last.train_rows == needed
        assert last.weights is None


def test_most_of_delta_goes_to_the_stage_that_should_do():
    planned = [(1000, None), (2000, None), (4000, None)]
    few = planned_schedule(175, planned=planned, most_rows=1500, **ADULT)
    all_ = planned_schedule(175, planned=planned, most_rows=10**6, **ADULT)

    assert [stage.shares.total for stage in few.stages] == [0.05]
    shares = [stage.shares.total for stage in all_.stages]
    assert shares == pytest.approx([0.03, 0.02 / 3, 0.02 / 3, 0.02 / 3])
