"""The oracle against an enumeration that remembers nothing and evaluates row by row."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.reference.brute_force import Candidate, candidates
from tests.reference.random_tables import SmallTable, best_lists_of, small_table


@pytest.mark.parametrize("seed", range(60))
def test_oracle_agrees_with_plain_enumeration(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    table = small_table(rng)
    while table.rows.shape[1] > 4 or table.max_rules > 3:
        table = small_table(rng)
    found = best_lists_of(table)
    for max_rules, (cost, rules) in enumerate(found):
        expected_cost, _, expected_rules = min(every_list(table, max_rules))
        assert cost == expected_cost
        assert rules == [tuple(terms) for _, terms in expected_rules]


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
                wrong = sum(sum(of_class) - max(of_class) for of_class in weight)
                yield wrong + n_rules * table.rule_cost, n_rules, rules


def decided_weights(table: SmallTable, rules: list[Candidate]) -> list[list[int]]:
    """Weight per class of the rows each rule is first to match, the default last."""
    weights = [[0] * table.n_classes for _ in range(len(rules) + 1)]
    for row, code, weight in zip(table.rows, table.codes, table.whole_weights, strict=True):
        matching = (i for i, terms in enumerate(rules) if all(row[j] for j in terms))
        weights[next(matching, len(rules))][code] += weight
    return weights
