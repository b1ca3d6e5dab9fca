"""Sample sizes: the paper's check values, minimality, and the tight size against its definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule.errors import ParameterError, ParameterTypeError
from samrule.theory import (
    kl_sample,
    kl_upper,
    log_n_rule_lists,
    sample_size,
    sample_size_closed_form,
)
from samrule.theory.sample_size import _checked_problem
from tests.reference.theory_decimal import paper_condition_holds

# THEORY.md A6 (delta = 0.05, one term): d, k, epsilon, theta, m^.
CHECK_VALUES = [
    (124, 4, 1.0, 0.025, 10291),
    (175, 4, 0.5, 0.025, 32497),
    (175, 4, 0.25, 0.01, 270240),
    (69, 8, 0.5, 0.025, 47367),
    (100, 5, 1.0, 0.01, 29242),
]
# PAPER.md, "with d counted right" (theta 0.025, epsilon 0.5): d, k, m^.
TABLE_1 = [(123, 4, 31417), (174, 4, 32479), (151, 4, 32046), (117, 5, 36169), (68, 8, 47282)]

questions = st.fixed_dictionaries(
    {
        "n_conditions": st.integers(5, 10**6),
        "max_rules": st.integers(0, 20),
        "epsilon": st.floats(0.05, 1),
        "theta": st.floats(0.001, 1),
        "delta": st.floats(1e-6, 0.9),
    }
)


@pytest.mark.parametrize(("d", "k", "epsilon", "theta", "expected"), CHECK_VALUES)
def test_paper_size_is_the_check_value_and_minimal(d, k, epsilon, theta, expected):
    m = sample_size(d, max_rules=k, epsilon=epsilon, theta=theta)
    exact = {"d": d, "k": k, "z": 1, "epsilon": epsilon, "theta": theta, "delta": 0.05}

    assert m == expected
    assert paper_condition_holds(m, **exact)
    assert not paper_condition_holds(m - 1, **exact)


@pytest.mark.parametrize(("d", "k", "expected"), TABLE_1)
def test_paper_size_of_the_data_sets_with_conditions_counted_right(d, k, expected):
    assert sample_size(d, max_rules=k, epsilon=0.5, theta=0.025) == expected


@settings(deadline=None)
@given(asked=questions, z=st.integers(1, 5))
def test_paper_size_is_minimal_everywhere(asked, z):
    m = sample_size(max_terms=z, **asked)
    exact = {"d": asked["n_conditions"], "k": asked["max_rules"], "z": z}
    exact |= {name: asked[name] for name in ("epsilon", "theta", "delta")}

    assert paper_condition_holds(m, **exact)
    assert m == 1 or not paper_condition_holds(m - 1, **exact)


@settings(deadline=None)
@given(asked=questions, z=st.integers(1, 5))
def test_closed_form_is_an_upper_bound(asked, z):
    assert sample_size_closed_form(max_terms=z, **asked) >= sample_size(max_terms=z, **asked)


@pytest.mark.parametrize(("d", "k", "epsilon", "theta", "paper"), CHECK_VALUES)
def test_tight_size_is_at_most_three_quarters_of_the_papers(d, k, epsilon, theta, paper):
    tight = sample_size(d, max_rules=k, epsilon=epsilon, theta=theta, method="tight")

    assert tight <= 0.75 * paper


def _worst_margin(m, *, asked, optima):
    """min over v of v + epsilon max(v, theta) - h(v), exactly as THEORY.md part C defines h."""
    k, c, alpha = (asked[name] for name in ("max_rules", "n_classes", "regularization"))
    single = math.log(2 / asked["delta"])
    uniform = log_n_rule_lists(asked["n_conditions"], max_rules=k, n_classes=c) + single
    prices = [alpha * j for j in range(k + 1)]

    def sample_loss(v: float) -> float:
        return max(kl_sample(min(1, v - a), single / m) + a for a in prices if a <= v)

    def loss(v: float) -> float:
        x = sample_loss(v)
        return max(kl_upper(min(1, x - a), uniform / m) + a for a in prices if a <= x)

    return min(v + asked["epsilon"] * max(v, asked["theta"]) - loss(v) for v in optima)


NAMES = (
    "n_conditions", "max_rules", "epsilon", "theta", "delta", "n_classes", "regularization",
)  # fmt: skip
CASES = [
    dict(zip(NAMES, case, strict=True))
    for case in [
        (175, 4, 0.5, 0.025, 0.05, 2, 1e-4),
        (100, 5, 1.0, 0.01, 0.05, 2, 1e-4),
        (10, 2, 0.1, 0.1, 0.2, 2, 0.0),
        (20, 3, 0.5, 0.05, 0.05, 4, 0.01),
        (20, 3, 0.5, 0.3, 0.05, 2, 0.05),
        (20, 3, 1.0, 0.6, 0.05, 3, 0.02),
        (20, 3, 0.5, 0.01, 0.05, 2, 0.02),
    ]
]


@pytest.mark.parametrize("asked", CASES)
def test_tight_size_covers_every_possible_optimum(asked):
    m = sample_size(method="tight", **asked)
    last = 1 - 1 / asked["n_classes"]
    optima = np.unique([*np.linspace(0, last, 300), min(asked["theta"], last)])

    assert _worst_margin(m, asked=asked, optima=optima) >= -1e-12


@pytest.mark.parametrize("asked", CASES[:4])
def test_tight_size_is_minimal_where_theta_is_the_worst_optimum(asked):
    m = sample_size(method="tight", **asked)

    assert _worst_margin(m - 1, asked=asked, optima=[asked["theta"]]) < 0


def test_convexity_and_the_grid_settle_the_same_sizes():
    for d, k, epsilon, theta in [(175, 4, 0.5, 0.025), (124, 4, 1.0, 0.025), (30, 2, 0.25, 0.1)]:
        problem = _checked_problem(
            n_conditions=d, max_rules=k, max_terms=1, epsilon=epsilon, theta=theta, delta=0.05,
            n_classes=2, regularization=1e-4, n_conjunctions=None,
        )  # fmt: skip
        m = sample_size(d, max_rules=k, epsilon=epsilon, theta=theta, method="tight")

        assert problem._theta_is_worst(m)
        assert problem._grid_settles(m + 1 + m // 10_000)
        assert not problem._grid_settles(m - 1)


@settings(deadline=None, max_examples=12)
@given(asked=questions, n_classes=st.integers(2, 5), alpha=st.sampled_from([0.0, 1e-4, 0.01]))
def test_tight_size_is_never_larger_than_the_papers(asked, n_classes, alpha):
    asked = asked | {"n_classes": n_classes, "regularization": alpha}

    assert 1 <= sample_size(method="tight", **asked) <= sample_size(**asked)


@settings(deadline=None, max_examples=40)
@given(
    growing=st.sampled_from(["epsilon", "theta", "delta"]),
    method=st.sampled_from(["paper", "tight"]),
    low=st.floats(0.05, 0.3),
    factor=st.floats(1.01, 3),
)
def test_size_falls_as_epsilon_theta_or_delta_grows(growing, method, low, factor):
    asked = {"max_rules": 4, "epsilon": 0.5, "theta": 0.1, "delta": 0.05, "method": method}
    larger, smaller = (
        sample_size(100, **(asked | {growing: value})) for value in (low, low * factor)
    )

    assert smaller <= larger


@pytest.mark.parametrize("method", ["paper", "tight"])
def test_more_classes_need_more_rows(method):
    three, four, ten = (
        sample_size(100, max_rules=4, epsilon=0.5, theta=0.05, n_classes=c, method=method)
        for c in (3, 4, 10)
    )

    assert three < four < ten


def test_fewer_conjunctions_need_fewer_rows_in_the_tight_size_only():
    asked = {"max_rules": 4, "max_terms": 2, "epsilon": 0.5, "theta": 0.05}

    assert sample_size(100, method="tight", n_conjunctions=500, **asked) < sample_size(
        100, method="tight", **asked
    )
    assert sample_size(100, n_conjunctions=500, **asked) == sample_size(100, **asked)


def test_a_million_conditions_and_twenty_rules_of_five_terms_are_sized():
    asked = {"max_rules": 20, "max_terms": 5, "epsilon": 0.5, "theta": 0.01}

    assert 0 < sample_size(10**6, method="tight", **asked) < sample_size(10**6, **asked)


GOOD = {"n_conditions": 10, "max_rules": 2, "max_terms": 1, "epsilon": 0.5, "theta": 0.1}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epsilon", 0.0, r"epsilon is 0.0; expected a number, above 0 and at most 1"),
        ("epsilon", 1.5, r"epsilon is 1.5; expected a number, above 0 and at most 1"),
        ("epsilon", math.nan, r"epsilon is nan; expected a number, above 0 and at most 1"),
        ("theta", -0.1, r"theta is -0.1; expected a number, above 0 and at most 1"),
        ("theta", math.inf, r"theta is inf; expected a number, above 0 and at most 1"),
        ("delta", 0.0, r"delta is 0.0; expected a number, above 0 and below 1"),
        ("delta", 1.0, r"delta is 1.0; expected a number, above 0 and below 1"),
        ("max_rules", -1, "max_rules is -1; expected a whole number from 0 to 1,000"),
        ("max_terms", 0, "max_terms is 0; expected a whole number, at least 1"),
        ("max_terms", 11, "max_terms is 11; expected a whole number from 1 to 10, the number"),
        ("n_conditions", 0, "n_conditions is 0; expected a whole number, at least 1"),
        ("max_rules", 2.5, r"max_rules is 2.5 \(float\); expected a whole number from 0 to 1,000"),
        ("max_rules", math.nan, r"max_rules is nan \(float\); expected a whole number from 0"),
        ("n_classes", 1, "n_classes is 1; expected a whole number, at least 2"),
        (
            "regularization",
            -1e-4,
            r"regularization is -0.0001; expected a finite number, at least 0",
        ),
        ("n_conjunctions", 11, "n_conjunctions is 11; expected a whole number from 1 to 10"),
        ("method", "best", "method is 'best'; expected 'paper' or 'tight'"),
    ],
)
def test_bad_values_are_refused_with_value_and_range(name, value, message):
    with pytest.raises(ParameterError, match=message) as caught:
        sample_size(**(GOOD | {name: value}))
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("value", ["4", None, True, 2.5, [4]])
def test_values_of_the_wrong_type_are_refused(value):
    with pytest.raises(
        ParameterTypeError, match=r"max_rules is .*; expected a whole number"
    ) as caught:
        sample_size(**(GOOD | {"max_rules": value}))
    assert isinstance(caught.value, TypeError)


def test_accuracies_beyond_counting_are_refused():
    with pytest.raises(ParameterError, match=r"expected epsilon \* theta of at least 1e-100"):
        sample_size(10, max_rules=2, epsilon=1e-200, theta=1e-200)


def test_astronomical_sizes_are_still_numbers():
    asked = {"epsilon": 1e-30, "theta": 1e-60}
    paper = sample_size(10, max_rules=2, **asked)

    assert paper_condition_holds(paper, d=10, k=2, z=1, delta=0.05, **asked)
    assert 10**120 < sample_size(10, max_rules=2, method="tight", **asked) <= paper


def test_a_paper_size_for_a_thousand_rules_counts_no_lists():
    assert sample_size(10**6, max_rules=1000, epsilon=1, theta=1) > 80_000


def test_whole_floats_are_refused_with_the_integer_to_pass():
    with pytest.raises(ParameterError, match=r"Hint: pass max_rules=4\."):
        sample_size(**(GOOD | {"max_rules": 4.0}))


def test_numpy_numbers_are_welcome():
    m = sample_size(np.int64(100), max_rules=np.int32(5), epsilon=np.float64(1), theta=0.01)

    assert m == 29242
    assert type(m) is int
