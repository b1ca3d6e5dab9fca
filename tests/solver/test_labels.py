"""Labels of every kind become codes and classes; what cannot is told."""

import datetime
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.solver.labels import encode_labels
from tests.solver.turned_away import TABLE, assert_turned_away


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["a", "b"], "2 entries"),
        (["a", "a", "a"], "one class, 'a'"),
        (np.array([True, True, True]), "one class, True"),
        (np.array([7, 7, 7]), "one class, 7"),
        (["a", None, "b"], "None in row 1 (1 missing in all)"),
        ([0.0, math.nan, math.nan], "nan in row 1 (2 missing in all)"),
        (np.array([0.0, 1.0, math.nan]), "nan in row 2 (1 missing in all)"),
        (np.array(["a", "b", math.nan], dtype=object), "nan in row 2"),
        (np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[D]"), "NaT"),
        (pd.Series(["a", None, "b"]), "in row 1 (1 missing in all)"),
        (pd.Series([1, None, 2], dtype="Int64"), "in row 1 (1 missing in all)"),
        (pl.Series(["a", None, "b"]), "None in row 1"),
        (np.array([["a"], ["b"], ["a"]]), "shape (3, 1)"),
        (np.ma.masked_equal([1, 2, 3], 2), "1 masked"),
    ],
)
def test_bad_labels_are_a_value_error(labels: Any, words: str) -> None:
    assert_turned_away(ValueError, words, TABLE, labels)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ("aba", "'aba'"),
        (None, "None"),
        (5, "5"),
        ((x for x in "aba"), "generator"),
        ({"a": 1, "b": 2, "c": 3}, "dict"),
        (["a", ["b"], "a"], "['b'] (list) in row 1"),
    ],
)
def test_labels_of_another_kind_are_a_type_error(labels: Any, words: str) -> None:
    assert_turned_away(TypeError, words, TABLE, labels)


@pytest.mark.parametrize(
    ("labels", "classes", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        ([True, False, True], (False, True), [1, 0, 1]),
        ([2.5, -1.0, 2.5], (-1.0, 2.5), [1, 0, 1]),
        ([(2, "x"), (1, "y"), (2, "x")], ((1, "y"), (2, "x")), [1, 0, 1]),
        (["b", 1, "b"], ("b", 1), [0, 1, 0]),
        ([1, "1", 1], (1, "1"), [0, 1, 0]),
        (np.array([True, False, True]), (False, True), [1, 0, 1]),
        (np.array([-100, 100, -100], dtype=np.int8), (-100, 100), [0, 1, 0]),
        (np.array([0, 2**63, 0], dtype=np.uint64), (0, 2**63), [0, 1, 0]),
        (np.array([2**63 + 1, 2**63, 2**63], dtype=np.uint64), (2**63, 2**63 + 1), [1, 0, 0]),
        (np.array([-(2**63), 2**63 - 1, 0]), (-(2**63), 0, 2**63 - 1), [0, 2, 1]),
        (np.array([5, 9, 5]), (5, 9), [0, 1, 0]),
        (np.array([1.0, 0.0, -0.0]), (0.0, 1.0), [1, 0, 0]),
        (np.array([1e300, math.inf, 1e300]), (1e300, math.inf), [0, 1, 0]),
        (np.array(["b", "a", "b"]), ("a", "b"), [1, 0, 1]),
        (np.array([b"b", b"a", b"b"]), (b"a", b"b"), [1, 0, 1]),
        (np.array(["b", 1, "b"], dtype=object), ("b", 1), [0, 1, 0]),
        (pd.Series(["b", "a", "b"]), ("a", "b"), [1, 0, 1]),
        (pd.Series(["b", "a", "b"], dtype="category"), ("a", "b"), [1, 0, 1]),
        (pd.Series([1, 0, 1], dtype="Int64"), (0, 1), [1, 0, 1]),
        (pd.Series([1, 0, 1], index=[7, 8, 9]), (0, 1), [1, 0, 1]),
        (pl.Series(["b", "a", "b"]), ("a", "b"), [1, 0, 1]),
        (pl.Series([1, 0, 1]), (0, 1), [1, 0, 1]),
        (pl.Series([True, False, True]), (False, True), [1, 0, 1]),
    ],
)
def test_labels_of_many_kinds(labels: Any, classes: tuple, codes: list) -> None:
    found_codes, found_classes = encode_labels(labels)
    assert found_classes == classes
    assert [type(one) for one in found_classes] == [type(one) for one in classes]
    assert found_codes.dtype == np.int32
    assert found_codes.tolist() == codes


def test_dates_can_be_labels() -> None:
    days = np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[ns]")
    assert encode_labels(days)[1] == (days[1], days[0])
    day = datetime.date(2020, 1, 1)
    assert encode_labels([day, day + datetime.timedelta(1)])[1][0] == day


@given(st.lists(st.integers(-5, 70_000), min_size=2, max_size=30).filter(lambda x: len(set(x)) > 1))
def test_all_ways_to_encode_whole_numbers_agree(labels: list[int]) -> None:
    expected_codes, expected_classes = encode_labels(labels)
    for dtype in (np.int32, np.int64, np.float64):
        codes, classes = encode_labels(np.array(labels, dtype=dtype))
        assert codes.tolist() == expected_codes.tolist()
        assert classes == expected_classes
