"""Weights become whole numbers, exactly where that can be; the rounding of others is known."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.solver.weights import TOTAL_WEIGHT_LIMIT, whole_weights
from tests.solver.turned_away import LABELS, TABLE, assert_turned_away


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], "2 entries"),
        ([1, -2, 3], "-2 in row 1"),
        ([1.0, math.nan, 3], "nan in row 1"),
        ([1.0, 2, math.inf], "inf in row 2"),
        ([0, 0, 0], "0 in all 3 rows"),
        ([[1], [2], [3]], "shape (3, 1)"),
        (np.array([[1], [2], [3]]), "shape (3, 1)"),
    ],
)
def test_bad_weights_are_a_value_error(weights: Any, words: str) -> None:
    assert_turned_away(ValueError, words, TABLE, LABELS, weights=weights)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (["1", "2", "3"], "dtype <U1"),
        ([1, None, 3], "dtype object"),
        (5, "5"),
        ([1j, 1, 2], "complex"),
    ],
)
def test_weights_of_another_kind_are_a_type_error(weights: Any, words: str) -> None:
    assert_turned_away(TypeError, words, TABLE, LABELS, weights=weights)


def test_unweighted_rows_count_once() -> None:
    weights = whole_weights(None, 5)
    assert (weights.counts, weights.unit, weights.total, weights.rounded_up) == (None, 1, 5, 0)


@pytest.mark.parametrize(
    ("given", "counts", "unit"),
    [
        ([1, 2, 3], [1, 2, 3], 1),
        ([10, 20, 0], [1, 2, 0], 10),
        ([4.0, 6.0], [2, 3], 2),
        ([True, False], [1, 0], 1),
        (np.array([2**40, 2**41], dtype=np.uint64), [1, 2], 2**40),
        ([2**30 - 1, 0], [1, 0], 2**30 - 1),
        ([1, 2**30 - 2], [1, 2**30 - 2], 1),
    ],
)
def test_whole_weights_are_exact(given: Any, counts: list[int], unit: int) -> None:
    weights = whole_weights(given, len(given))
    assert weights.counts is not None
    assert weights.counts.tolist() == counts
    assert weights.unit == unit
    assert weights.total == sum(counts)
    assert weights.reals is None
    assert weights.rounded_up == 0


@given(
    st.lists(st.floats(0, 1e300, allow_subnormal=False), min_size=1, max_size=40).filter(any)
    | st.lists(st.integers(0, 2**52), min_size=1, max_size=40).filter(any)
)
def test_rounding_of_real_weights_is_bounded(given: list[float]) -> None:
    weights = whole_weights(given, len(given))
    assert weights.counts is not None
    assert int(weights.counts.sum(dtype=np.int64)) < TOTAL_WEIGHT_LIMIT
    if weights.reals is None:
        return
    assert int(weights.counts.max()) <= 65535
    exact = [Fraction(weight) for weight in given]
    unit = Fraction(max(given)) / 65535
    added = sum(
        max(count * unit - weight, Fraction(0))
        for count, weight in zip(weights.counts.tolist(), exact, strict=True)
    )
    assert abs(float(added / sum(exact)) - weights.rounded_up) < 1e-12
    assert weights.rounded_up <= 0.5 * len(given) * float(unit / sum(exact)) * (1 + 1e-6)


def test_weights_too_large_to_count_are_rounded() -> None:
    weights = whole_weights([1, 2**30 - 1], 2)
    assert weights.reals is not None
    assert weights.counts is not None
    assert weights.counts.tolist() == [0, 65535]


def test_many_rows_take_smaller_units() -> None:
    weights = whole_weights(np.full(20_000, 1.5) + np.arange(20_000) % 2 * 0.1, 20_000)
    assert weights.counts is not None
    assert 2**29 < int(weights.counts.sum(dtype=np.int64)) < TOTAL_WEIGHT_LIMIT
