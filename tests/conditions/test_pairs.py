"""Conjunctions on one column: those counted are just those that differ on the values there are."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule import Binarizer, Condition
from samrule.conditions.pairs import column_count
from samrule.errors import ParameterError
from samrule.rules.meaning import condition_mask

N = 300


def different(conditions: list[Condition], column: Any, n_terms: int) -> set[tuple[bool, ...]]:
    """All conjunctions of at most so many conditions, by where they hold: some value at least."""
    masks = [condition_mask(one, column) for one in conditions]
    found = {
        tuple(np.logical_and.reduce(some).tolist())
        for size in range(1, n_terms + 1)
        for some in combinations(masks, size)
    }
    return {one for one in found if any(one)}


def check_exact(conditions: list[Condition], column: Any) -> None:
    found = column_count(conditions)
    singles = different(conditions, column, 1)
    assert found.n_conditions == len(conditions)
    assert len(different(conditions, column, 2)) == len(singles) + found.n_pairs
    assert different(conditions, column, 3) == different(conditions, column, 2)


@given(st.sets(st.integers(0, 12), min_size=2, max_size=5), st.data())
def test_pairs_of_ordered_columns_are_counted_exactly(cuts: set[int], data: st.DataObject) -> None:
    pairs = list(combinations(sorted(cuts), 2))
    intervals = data.draw(st.lists(st.sampled_from(pairs), unique=True))
    one_sided = [Condition("x", op, cut) for cut in sorted(cuts) for op in (">=", "<")]
    kept = data.draw(st.lists(st.sampled_from(one_sided), unique=True))
    conditions = [*kept, *(Condition("x", "within", ends) for ends in intervals)]
    others = [Condition("x", "==", 3), Condition("x", "is missing")]
    conditions += data.draw(st.lists(st.sampled_from(others), unique=True))
    if conditions:
        check_exact(conditions, pa.array([*np.arange(-1, 14, 0.5), None]))


@given(st.integers(0, 1000), st.booleans(), st.booleans())
def test_pairs_of_level_columns_are_counted_exactly(seed: int, ordered: bool, more: bool) -> None:
    rng = np.random.default_rng(seed)
    levels = rng.choice(list("abcdef"), N, p=rng.dirichlet(np.ones(6)))
    labels = rng.random(N) < np.frombuffer("".join(levels).encode("utf-32-le"), "u4") % 5 / 5
    table = pa.table({"c": [None if one == "f" else one for one in levels]})
    order = {"orders": {"c": list("abcdef")}, "intervals": more} if ordered else {"sets": True}
    found = Binarizer(min_level_share=0.02 if more else 0.2, force=["c"], **order)
    if len(set(levels) - {"f"}) > 1 and labels.any() and not labels.all():
        for column in found.fit(table, labels).by_column:
            check_exact(list(column), pa.array([*"abcdefz", None]))


def test_the_pairs_of_all_cuts_are_none_once_every_interval_is_a_condition() -> None:
    cuts = range(0, 40, 10)
    one_sided = [Condition("x", op, cut) for cut in cuts for op in (">=", "<")]
    assert column_count(one_sided).n_pairs == 6
    between = [Condition("x", "within", ends) for ends in pairwise(cuts)]
    assert column_count([*one_sided, *between]).n_pairs == 3
    every = [Condition("x", "within", ends) for ends in combinations(cuts, 2)]
    assert column_count([*one_sided, *every]).n_pairs == 0


def test_a_column_of_ten_thousand_levels_is_counted() -> None:
    levels = [f"level {n}" for n in range(10_000)]
    conditions = [Condition("x", "==", one) for one in levels]
    conditions += [Condition("x", op, levels[:5000]) for op in ("in", "not in")]
    conditions += [Condition("x", op, levels[:7000]) for op in ("in", "not in")]
    found = column_count(conditions)
    assert (found.n_conditions, found.n_pairs) == (10_004, 1)


def test_sets_that_do_not_lie_in_each_other_are_refused_where_three_say_more_than_two() -> None:
    crossed = [Condition("x", "in", list(some)) for some in ("abc", "bcd", "cda")]
    assert column_count(crossed[:2]).n_pairs == 1
    with pytest.raises(ParameterError, match="three of the conditions on 'x' say together"):
        column_count([*crossed, Condition("x", "in", list("dab"))])
