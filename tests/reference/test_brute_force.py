"""The oracle against an enumeration that remembers nothing and evaluates row by row."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.reference.brute_force import Candidate, candidates
from tests.reference.group_prices import brier_price, error_price, matrix_price, mixed_price
from tests.reference.random_tables import (
    SmallTable,
    best_lists_of,
    random_objective,
    small_table,
)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("minimized", ["errors", "another loss"])
def test_oracle_agrees_with_plain_enumeration(seed: int, minimized: str) -> None:
    rng = np.random.default_rng([1, seed])
    table = small_table(rng)
    while table.rows.shape[1] > 4 or table.max_rules > 3:
        table = small_table(rng)
    if minimized != "errors":
        table = replace(table, objective=random_objective(rng, table.n_classes))
    found = best_lists_of(table)
    for max_rules, (cost, rules) in enumerate(found):
        expected_cost, _, expected_rules = min(every_list(table, max_rules))
        assert cost == expected_cost
        assert rules == [tuple(terms) for _, terms in expected_rules]


def test_prices_of_a_group_are_those_worked_out_by_hand() -> None:
    assert error_price([3, 1]) == 1
    assert brier_price([3, 1]) == Fraction(3, 4)  # Three rows (1/4)^2, one (3/4)^2.
    assert brier_price([1, 1, 2]) == Fraction(5, 4)
    assert brier_price([0, 0]) == 0
    ten_times = matrix_price([[Fraction(0), Fraction(1, 10)], [Fraction(1), Fraction(0)]])
    assert ten_times([3, 1]) == Fraction(3, 10)  # Better to be wrong in the three.
    assert mixed_price(error_price, brier_price, Fraction(1, 4))([3, 1]) == Fraction(15, 16)


def test_candidates_come_with_fewer_terms_first() -> None:
    assert candidates(3, 2) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]


def every_list(
    table: SmallTable, max_rules: int
) -> Iterator[tuple[Fraction, int, tuple[tuple[int, Candidate], ...]]]:
    choices = list(enumerate(candidates(table.rows.shape[1], table.max_terms)))
    for n_rules in range(max_rules + 1):
        for rules in product(choices, repeat=n_rules):
            weight = decided_weights(table, [terms for _, terms in rules])
            if all(sum(of_class) >= table.min_weight for of_class in weight[:-1]):
                cost = sum((cost_row_by_row(table, of_class) for of_class in weight), Fraction(0))
                yield cost + n_rules * table.rule_cost, n_rules, rules


def cost_row_by_row(table: SmallTable, of_class: list[int]) -> Fraction:
    """What a group costs if its rows are predicted one by one, each as is best for all."""
    total, classes = sum(of_class), range(table.n_classes)
    if total == 0:
        return Fraction(0)
    share = Fraction(table.objective.brier_share)
    costs = table.objective.costs or [[str(int(a != b)) for b in classes] for a in classes]
    said = min(
        classes, key=lambda c: sum(of_class[true] * Fraction(costs[true][c]) for true in classes)
    )
    shares = [Fraction(weight, total) for weight in of_class]
    return sum(
        (
            of_class[true]
            * (
                (1 - share) * Fraction(costs[true][said])
                + share * sum((shares[c] - (c == true)) ** 2 for c in classes) / 2
            )
            for true in classes
        ),
        Fraction(0),
    )


def decided_weights(table: SmallTable, rules: list[Candidate]) -> list[list[int]]:
    """Weight per class of the rows each rule is first to match, the default last."""
    weights = [[0] * table.n_classes for _ in range(len(rules) + 1)]
    for row, code, weight in zip(table.rows, table.codes, table.whole_weights, strict=True):
        matching = (i for i, terms in enumerate(rules) if all(row[j] for j in terms))
        weights[next(matching, len(rules))][code] += weight
    return weights
