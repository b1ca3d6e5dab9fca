"""`Conditions`: counted, applied to any rows, packed for the solver."""

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule import Binarizer, Condition, solve
from samrule.conditions.conditions import Conditions, LeftOut
from samrule.errors import ParameterError
from samrule.theory import n_conjunctions
from samrule.theory.conjunctions import Column

N = 400
YES = np.arange(N) >= 137


def test_conjunctions_are_counted_without_contradictions() -> None:
    table = pa.table({"x": np.arange(N), "c": ["a", "b"] * (N // 2)})
    found = Binarizer(cuts={"x": [100, 200]}).fit(table, YES)
    assert len(found) == 6
    assert found.n_conjunctions() == 6
    # 4 x 2 across the columns, and 100 <= x < 200; all pairs would be 15.
    assert found.n_conjunctions(2) == 6 + 8 + 1
    assert found.n_conjunctions(2) < n_conjunctions(6, max_terms=2)


@given(st.integers(0, 1000))
def test_every_conjunction_on_a_column_of_sets_is_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    levels = rng.choice(list("abcdefgh"), N, p=rng.dirichlet(np.ones(8)))
    labels = rng.random(N) < np.frombuffer("".join(levels).encode("utf-32-le"), "u4") % 7 / 7
    table = pa.table({"c": [None if one == "h" else one for one in levels]})
    found = Binarizer(sets=True, min_level_share=0.02).fit(table, labels)
    seen = {tuple(mask) for mask in found.transform(pa.table({"c": [*"abcdefghz", None]})).T}
    for n_terms in (2, 3):
        seen |= {tuple(np.logical_and(one, other)) for one in seen for other in seen}
        assert len([one for one in seen if any(one)]) <= found.n_conjunctions(n_terms)


def test_conditions_feed_the_solver() -> None:
    table = pa.table({"age": np.arange(N) % 80, "city": ["Padova", "Roma"] * (N // 2)})
    labels = np.where((np.arange(N) % 80 >= 40) & (np.arange(N) % 2 == 0), "yes", "no")
    found = Binarizer().fit(table, labels)
    solution = solve(found.transform(table), labels, names=list(found), max_terms=2)
    assert solution.rule_list.error_rate == 0
    assert all(isinstance(one, Condition) for one in found)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_dataframe_gives_the_same_conditions(frame: Callable[..., Any]) -> None:
    columns = {"age": np.arange(N) % 80, "city": ["Padova", "Roma"] * (N // 2)}
    labels = np.arange(N) % 80 >= 40
    wanted = Binarizer().fit(pa.table(columns), labels)
    table = frame({**columns, "old": labels})
    found = Binarizer().fit(table, "old")
    assert found == wanted
    np.testing.assert_array_equal(found.transform(table), wanted.transform(pa.table(columns)))
    assert found.pack(table).shape == (N, len(found))


def test_categories_of_pandas_are_texts() -> None:
    table = pd.DataFrame({"city": pd.Categorical(["Padova", "Roma"] * (N // 2))})
    found = Binarizer().fit(table, np.arange(N) % 2 == 0)
    np.testing.assert_array_equal(found.transform(table)[:, 0], np.arange(N) % 2 == 0)


def test_counts_must_be_those_of_the_conditions() -> None:
    """The size of a sample rests on them: fewer pairs than there are would ask for too few rows."""
    rows = pa.table({"x": list(range(100)), "city": ["Padova", "Roma"] * 50})
    found = Binarizer(n_thresholds=4, force=["x"]).fit(rows, ["no"] * 50 + ["yes"] * 50)
    x, city = found.counts
    for wrong in (
        (Column(x.n_conditions, math.comb(x.n_conditions, 2)), city),
        (x, replace(city, n_conditions=city.n_conditions + 1)),
        (x,),
        (city, x),
    ):
        with pytest.raises(ParameterError, match="counts are"):
            replace(found, counts=wrong)


@given(st.sets(st.integers(-5, 5), min_size=1), st.booleans())
def test_pairs_are_counted_as_they_differ(cuts: set[int], missing: bool) -> None:
    values = [*range(-6, 7), *([None] if missing else [])]
    table = pa.table({"x": values, "y": [n % 2 for n in range(len(values))]})
    found = Binarizer(cuts={"x": sorted(cuts)}).fit(table, "y")
    masks = found.transform(table)
    pairs = {(masks[:, i] & masks[:, j]).tobytes() for i in range(len(found)) for j in range(i)} - {
        column.tobytes() for column in masks.T
    }
    pairs.discard(np.zeros(len(values), dtype=bool).tobytes())
    assert found.counts[0].n_pairs == len(pairs)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1, dt.date(2020, 1, 1)),
        (dt.date(2020, 1, 1), dt.datetime(2020, 1, 2)),
        (dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, tzinfo=dt.UTC)),
        (dt.time(1), dt.time(2, tzinfo=dt.UTC)),
    ],
)
def test_a_column_is_compared_with_values_of_one_kind(low: Any, high: Any) -> None:
    conditions = (Condition("x", ">=", low), Condition("x", "<", high))
    with pytest.raises(ParameterError, match="'x' compare it with values of different kinds"):
        Conditions((conditions,), (Column(2, 1),))


def test_columns_left_out_for_the_same_reason_are_told_together():
    left_out = (LeftOut("b", "none"), LeftOut("a", "all"), LeftOut("c", "none"))
    assert Conditions((), (), left_out).columns_by_reason == {"none": ["b", "c"], "all": ["a"]}
