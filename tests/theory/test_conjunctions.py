"""Conjunctions counted from columns, against enumeration on every row a column can take."""

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule.errors import ParameterError
from samrule.theory import Column, n_conjunctions, n_conjunctions_of_columns

MISSING = None


def _condition_sets(kind: str, size: int, missing: bool) -> tuple[list[frozenset], list]:
    """Each condition as the set of cell values that satisfy it, and all values of the column."""
    if kind == "categorical":
        values = list(range(size))
        conditions = [frozenset({v}) for v in values]
    else:
        values = list(range(size + 1))  # one value in each interval between thresholds
        conditions = [frozenset(v for v in values if v >= t) for t in range(1, size + 1)]
        conditions += [frozenset(v for v in values if v < t) for t in range(1, size + 1)]
    if missing:
        conditions.append(frozenset({MISSING}))
    return conditions, [*values, MISSING]


def _distinct_conjunctions(columns: list[tuple[str, int, bool]], z: int) -> int:
    """Distinct satisfiable conjunctions, by the set of rows each one covers."""
    parts = [_condition_sets(*column) for column in columns]
    rows = list(product(*(values for _, values in parts)))
    conditions = [
        frozenset(row for row in rows if row[i] in allowed)
        for i, (allowed_sets, _) in enumerate(parts)
        for allowed in allowed_sets
    ]
    covers = {
        frozenset.intersection(*chosen)
        for length in range(1, z + 1)
        for chosen in combinations(conditions, length)
    }
    return len(covers - {frozenset()})


def _column(kind: str, size: int, missing: bool) -> Column:
    make = Column.categorical if kind == "categorical" else Column.numeric
    return make(size, missing=missing)


columns_strategy = st.lists(
    st.tuples(st.sampled_from(["categorical", "numeric"]), st.integers(1, 3), st.booleans()),
    min_size=1,
    max_size=2,
)


@settings(max_examples=60, deadline=None)
@given(columns=columns_strategy, z=st.integers(1, 3))
def test_count_from_columns_is_the_number_of_distinct_conjunctions(columns, z):
    counted = n_conjunctions_of_columns([_column(*c) for c in columns], max_terms=z)

    assert counted == _distinct_conjunctions(columns, z)


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=8), z=st.integers(1, 4))
def test_structure_never_adds_conjunctions(sizes, z):
    columns = [Column.numeric(size) for size in sizes]
    d = sum(column.n_conditions for column in columns)
    z = min(z, d)

    assert n_conjunctions_of_columns(columns, max_terms=z) <= n_conjunctions(d, max_terms=z)


def test_unstructured_binary_columns_give_the_plain_count():
    columns = [Column.binary()] * 30
    for z in (1, 2, 5):
        assert n_conjunctions_of_columns(columns, max_terms=z) == n_conjunctions(30, max_terms=z)


def test_a_million_conditions_are_counted_exactly():
    d = 10**6
    by_hand = d + d * (d - 1) // 2 + d * (d - 1) * (d - 2) // 6

    assert n_conjunctions(d, max_terms=3) == by_hand
    assert n_conjunctions(d, max_terms=5) % 10**6 == 450_000  # exact to the last digit


def test_more_pairs_than_conditions_allow_are_refused():
    with pytest.raises(ParameterError, match="n_pairs is 4; expected a whole number from 0 to 3"):
        Column(3, n_pairs=4)
