"""Counts against enumeration of all prediction functions."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule.theory import (
    complexity,
    growth_upper_bound,
    log_n_rule_lists,
    n_conjunctions,
    n_rule_lists_upper_bound,
)
from tests.reference.theory_enumeration import conjunction_masks, prediction_functions

SHAPES = [
    (d, k, z, c) for d in range(1, 6) for k in range(4) for z in (1, 2) for c in (2, 3) if z <= d
]


@pytest.mark.parametrize(("d", "k", "z", "n_classes"), SHAPES)
def test_counts_are_never_below_the_number_of_prediction_functions(d, k, z, n_classes):
    masks = conjunction_masks(d, z)
    truth = len(prediction_functions(masks, 2**d, k, n_classes))
    ours = n_rule_lists_upper_bound(len(masks), max_rules=k, n_classes=n_classes)

    assert ours >= truth
    if z == 1:
        assert ours == truth
    if n_classes == 2:
        paper = growth_upper_bound(len(masks), max_rules=k)
        assert ours <= paper
        assert paper <= math.exp(complexity(d, max_rules=k, max_terms=z))


def test_stirling_formula_of_part_b_gives_the_same_count():
    # The formula as THEORY.md prints it, with Stirling numbers S(j, b) of the second kind.
    def stirling(j: int, b: int) -> int:
        return sum(
            (-1) ** (b - i) * math.comb(b, i) * i**j for i in range(b + 1)
        ) // math.factorial(b)

    for n, k, c in [(7, 5, 2), (30, 6, 3), (3, 6, 4), (1, 1, 2), (5, 0, 3)]:
        expected = c + sum(
            math.comb(n, j)
            * sum(math.factorial(b) * stirling(j, b) * c * (c - 1) ** b for b in range(1, j + 1))
            for j in range(1, k + 1)
        )
        assert n_rule_lists_upper_bound(n, max_rules=k, n_classes=c) == expected


@settings(deadline=None)
@given(
    d=st.integers(1, 10**6),
    k=st.integers(0, 20),
    z=st.integers(1, 5),
)
def test_our_count_never_exceeds_the_papers_at_any_scale(d, k, z):
    z = min(z, d)
    n = n_conjunctions(d, max_terms=z)

    assert n_rule_lists_upper_bound(n, max_rules=k) <= growth_upper_bound(n, max_rules=k)
    assert log_n_rule_lists(n, max_rules=k) <= complexity(d, max_rules=k, max_terms=z)


def test_logarithm_of_the_count_is_rounded_up():
    for n, k in [(175, 4), (n_conjunctions(10**6, max_terms=5), 20), (1, 1)]:
        with localcontext(prec=60):
            exact = Decimal(n_rule_lists_upper_bound(n, max_rules=k)).ln()
        rounded = Decimal(log_n_rule_lists(n, max_rules=k))

        assert exact <= rounded <= exact * (1 + Decimal(2) ** -45)


def test_complexity_is_rounded_up():
    for d, k, z in [(175, 4, 1), (10**6, 20, 5), (1, 1, 1), (10**400, 3, 2)]:
        with localcontext(prec=60):
            exact = k * z * ((Decimal(2 * d) / z).ln() + 1) + 2
        rounded = Decimal(complexity(d, max_rules=k, max_terms=z))

        assert exact <= rounded <= exact * (1 + Decimal(2) ** -45)
