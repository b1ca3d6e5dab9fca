"""Where columns are cut, and how cuts are written."""

import itertools
import math
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from samrule.cuts import quantile_cuts, separator, tree_cuts

COUNTS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), min_size=2, max_size=7
)


def impurity(rows: np.ndarray) -> float:
    total = rows.sum()
    return 0.0 if total == 0 else float(total - (rows.sum(axis=0) ** 2).sum() / total)


@given(COUNTS)
def test_first_cut_is_the_best_of_all(counts: list[tuple[int, ...]]) -> None:
    weights = np.array(counts, dtype=float)
    losses = [
        impurity(weights[:place]) + impurity(weights[place:]) for place in range(1, len(weights))
    ]
    found = tree_cuts(weights, 1, min_share=0)
    if found:
        assert losses[found[0] - 1] == pytest.approx(min(losses))
    else:
        assert min(losses) == pytest.approx(impurity(weights))


@given(COUNTS, st.integers(1, 6))
def test_more_cuts_keep_the_earlier_ones(counts: list[tuple[int, ...]], n_cuts: int) -> None:
    weights = np.array(counts, dtype=float)
    fewer, more = tree_cuts(weights, n_cuts), tree_cuts(weights, n_cuts + 1)
    assert set(fewer) <= set(more)
    assert len(more) <= n_cuts + 1
    assert all(0 < place < len(weights) for place in more)


def test_classes_that_do_not_change_need_no_cut() -> None:
    assert tree_cuts(np.array([[3.0, 1.0], [6.0, 2.0], [9.0, 3.0]]), 4) == []


def test_tiny_leaves_are_not_made() -> None:
    weights = np.array([[1.0, 0.0], [0.0, 999.0]])
    assert tree_cuts(weights, 1, min_share=0.01) == []
    assert tree_cuts(weights, 1, min_share=0.0005) == [1]


@given(st.lists(st.integers(1, 50), min_size=2, max_size=30), st.integers(1, 8))
def test_quantile_cuts_spread_what_can_be_spread(counts: list[int], n_cuts: int) -> None:
    weights = np.array(counts, dtype=float)
    found = quantile_cuts(weights, n_cuts)
    assert found == sorted(set(found))
    assert 1 <= len(found) <= n_cuts
    parts = np.split(weights, found)
    assert all(len(part) for part in parts)


def test_a_value_with_more_than_its_share_stands_alone() -> None:
    found = quantile_cuts(np.array([1.0, 1, 1, 92, 1, 1, 1, 1, 1]), 4)
    assert {3, 4} <= set(found)


ORDERED = [
    st.integers(-(10**20), 10**20),
    st.integers(-100, 100),
    st.floats(allow_nan=False),
    st.floats(-1, 1),
    st.decimals(-1000, 1000, places=4),
    st.dates(),
    st.datetimes(),
    st.times(),
]


@pytest.mark.parametrize("values", ORDERED)
def test_separator_is_above_the_lower_and_at_most_the_upper(values: st.SearchStrategy) -> None:
    @given(values, values)
    def check(one: object, other: object) -> None:
        assume(one != other)
        low, high = sorted([one, other])  # type: ignore[type-var]
        found = separator(low, high)
        assert low < found <= high
        assert type(found) is type(high)

    check()


@given(st.integers(0, 2000), st.integers(1, 2000))
def test_no_shorter_whole_number_separates(low: int, step: int) -> None:
    """A number is as short as its digits without the zeros at its end."""

    def length(number: int) -> int:
        return len(str(number).rstrip("0"))

    found = separator(low, low + step)
    most = min((length(number) for number in range(low + 1, low + step + 1)), default=length(found))
    zeros = max(_zeros(number) for number in range(low + 1, low + step + 1))
    assert _zeros(found) == zeros or length(found) == most


def _zeros(number: int) -> int:
    return len(str(number)) - len(str(number).rstrip("0"))


@given(st.floats(1e-5, 1e5), st.floats(1e-5, 1e5))
def test_no_decimal_with_fewer_places_separates(one: float, other: float) -> None:
    assume(one != other)
    low, high = sorted([one, other])
    found = separator(low, high)
    places = max(0, -int(Decimal(repr(found)).normalize().as_tuple().exponent))
    for fewer in itertools.islice(range(places), 30):
        unit = Fraction(1, 10**fewer)
        assert math.floor(Fraction(high) / unit) == math.floor(Fraction(low) / unit)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (39, 40, 40),
        (7262, 7298, 7280),
        (99, 101, 100),
        (-3, 5, 0),
        (0.1, 0.2, 0.2),
        (0.1, 0.30000000000000004, 0.2),
        (-math.inf, 3.0, 2.0),
        (2.5, math.inf, 4.0),
        (-math.inf, math.inf, 0.0),
        (1e308, math.inf, math.inf),
        (Decimal("1.05"), Decimal("1.10"), Decimal("1.1")),
        (2**63, 2**63 + 1, 2**63 + 1),
        (date(2020, 5, 3), date(2021, 2, 1), date(2021, 1, 1)),
        (date(2021, 2, 11), date(2021, 3, 20), date(2021, 3, 1)),
        (date(2021, 3, 1), date(2021, 3, 2), date(2021, 3, 2)),
        (datetime(2021, 3, 1, 9, 1), datetime(2021, 3, 1, 11, 30), datetime(2021, 3, 1, 11)),
        (time(9, 10), time(9, 50, 12), time(9, 50)),
    ],
)
def test_separators_are_what_a_person_would_write(low, high, expected) -> None:
    assert separator(low, high) == expected
