"""The best way to divide levels in two lies between neighbours in their order."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.conditions.levels import level_order


def impurity(weights: np.ndarray) -> float:
    total = weights.sum()
    return float(total - (weights**2).sum() / total) if total else 0.0


def divided(class_weights: np.ndarray, chosen: list[int]) -> float:
    inside = class_weights[chosen].sum(axis=0)
    return impurity(inside) + impurity(class_weights.sum(axis=0) - inside)


@given(st.integers(0, 10_000), st.integers(2, 7))
def test_of_two_classes_no_division_is_better(seed: int, n_levels: int) -> None:
    class_weights = np.random.default_rng(seed).integers(1, 30, (n_levels, 2)).astype(float)
    order = level_order(class_weights).tolist()
    by_order = min(divided(class_weights, order[:cut]) for cut in range(1, n_levels))
    best = min(
        divided(class_weights, list(chosen))
        for size in range(1, n_levels)
        for chosen in combinations(range(n_levels), size)
    )
    assert by_order == pytest.approx(best)


def test_several_classes_are_ordered_along_what_divides_them_most() -> None:
    class_weights = np.array([[9.0, 1, 5], [1, 9, 5], [8, 2, 5], [2, 8, 6]])
    order = level_order(class_weights).tolist()
    assert order in ([0, 2, 3, 1], [1, 3, 2, 0])


def test_other_levels_are_beyond_the_end_they_are_nearer_to() -> None:
    class_weights = np.array([[9.0, 1.0], [5, 5], [1, 9]])
    assert level_order(class_weights, np.array([0.0, 2.0])).tolist() == [0, 1, 2]
    assert level_order(class_weights, np.array([2.0, 0.0])).tolist() == [2, 1, 0]
