"""What the solver accepts, what it makes of it, and how it turns bad tables away."""

import datetime
import math
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from samrule.errors import SamruleError
from samrule.rules import Condition
from samrule.solver.problem import (
    TOTAL_WEIGHT_LIMIT,
    check_zero_one,
    encode_labels,
    problem,
    whole_weights,
)

TABLE = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.uint8)
LABELS = ["a", "b", "a"]


def assert_turned_away(
    expected: type[Exception], words: str, *arguments: Any, **keywords: Any
) -> None:
    with pytest.raises(SamruleError) as caught:
        check_zero_one(problem(*arguments, **keywords).conditions)
    assert isinstance(caught.value, expected)
    assert words in caught.value.message
    assert "expected" in caught.value.message or "every row" in caught.value.message
    assert "\nHint: " in str(caught.value)


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (np.array([1, 0, 1]), "shape (3,)"),
        (np.zeros((3, 2, 1)), "shape (3, 2, 1)"),
        (np.array(1), "shape ()"),
        (np.zeros((0, 2), dtype=np.uint8), "zero rows"),
        (np.array([[1, 0], [0, 2], [1, 1]], dtype=np.uint8), "2 in row 1, column 1"),
        (np.array([[1, 0], [0, -1], [1, 1]]), "-1 in row 1, column 1"),
        (np.array([[1, 0], [0, 1], [0.5, 1]]), "0.5 in row 2, column 0"),
        (np.array([[1, 0], [0, math.nan], [1, 1]]), "nan in row 1, column 1"),
        (np.array([[1, 0], [0, math.inf], [1, 1]]), "inf in row 1, column 1"),
        (np.asfortranarray([[1, 0], [0, 7], [1, 1]]), "7 in row 1, column 1"),
        ([[1, 0], [0, 3], [1, 1]], "3 in row 1, column 1"),
        (scipy.sparse.csr_array([[1, 0], [0, 5], [1, 1]]), "5 in row 1, column 1"),
        (scipy.sparse.csr_matrix([[1, 0], [0, math.nan], [1, 1]]), "nan in row 1, column 1"),
        (scipy.sparse.coo_array((np.ones(3), ([0, 0, 1], [1, 1, 0])), (3, 2)), "2.0 in row 0"),
        ([[1, 0], [0], [1, 1]], "different lengths"),
        (np.ma.masked_equal([[1, 0], [0, 9], [1, 1]], 9), "1 masked"),
    ],
)
def test_bad_conditions_are_a_value_error(conditions: Any, words: str) -> None:
    assert_turned_away(ValueError, words, conditions, LABELS)


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (np.array([["1", "0"]] * 3), "dtype <U1"),
        (np.array([[1, 0]] * 3, dtype=object), "dtype object"),
        (np.array([[1, 0]] * 3, dtype=complex), "dtype complex128"),
        (np.array([["2020-01-01"]] * 3, dtype="datetime64[D]"), "dtype datetime64[D]"),
    ],
)
def test_conditions_of_another_kind_are_a_type_error(conditions: Any, words: str) -> None:
    assert_turned_away(TypeError, words, conditions, LABELS)


def test_too_many_rows_are_turned_away_before_any_work() -> None:
    n_rows = 2**31 + 1
    conditions = np.broadcast_to(np.zeros((1, 3), dtype=np.float64), (n_rows, 3))
    labels = np.broadcast_to(np.int64(0), n_rows)
    worked = time.process_time()
    assert_turned_away(ValueError, "2,147,483,649 rows", conditions, labels)
    assert time.process_time() - worked < 1  # A look at every row would take many.


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


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["only"], "1 entries"),
        (["same", "same"], "'same'"),
        (["same", Condition("same", "==", True)], "'same'"),
        (["a\0b", "x"], r"'a\x00b'"),
    ],
)
def test_bad_names_are_a_value_error(names: Any, words: str) -> None:
    assert_turned_away(ValueError, words, TABLE, LABELS, names=names)


@pytest.mark.parametrize(("names", "words"), [("ab", "'ab'"), (5, "5"), ([1, 2], "1 (int)")])
def test_names_of_another_kind_are_a_type_error(names: Any, words: str) -> None:
    assert_turned_away(TypeError, words, TABLE, LABELS, names=names)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.int64, np.uint32, np.float32, float])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_dtype_and_order_holding_zero_and_one_is_read_alike(dtype: Any, order: str) -> None:
    given = np.array(TABLE, dtype=dtype, order=order)  # type: ignore[call-overload]
    assert np.array_equal(problem(given, LABELS).conditions, TABLE)


def test_bool_and_bytes_are_not_copied() -> None:
    for table in (TABLE, TABLE.astype(bool), np.asfortranarray(TABLE), TABLE[::-1, ::-1]):
        assert np.shares_memory(problem(table, LABELS).conditions, table)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_sparse_tables_of_every_kind_are_read_alike(kind: str, family: str) -> None:
    given = getattr(scipy.sparse, f"{kind}_{family}")(TABLE)
    assert np.array_equal(problem(given, LABELS).conditions, TABLE)


def test_sparse_input_is_left_as_it_was() -> None:
    given = scipy.sparse.coo_array(([1, 1, -1], ([0, 1, 1], [0, 1, 1])), (3, 2)).tocsc()
    unsorted = scipy.sparse.csc_array(
        (np.array([1, 0, 1]), np.array([2, 2, 0]), np.array([0, 3, 3])), shape=(3, 2)
    )
    assert problem(unsorted, LABELS).conditions.tolist() == [[1, 0], [0, 0], [1, 0]]
    assert unsorted.data.tolist() == [1, 0, 1]
    assert problem(given, LABELS).conditions.tolist() == [[1, 0], [0, 0], [0, 0]]


def test_columnless_table_is_fine() -> None:
    assert problem(np.zeros((3, 0), dtype=bool), LABELS).conditions.shape == (3, 0)


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


def test_names_default_to_column_numbers() -> None:
    asked = problem(TABLE, LABELS)
    assert [str(asked.condition(column)) for column in range(2)] == ["x0", "x1"]


def test_names_may_be_conditions_or_text_from_anywhere() -> None:
    old = Condition("age", ">=", 40)
    assert problem(TABLE, LABELS, names=[old, "smoker"]).names == (
        old,
        Condition("smoker", "==", True),
    )
    assert str(problem(TABLE, LABELS, names=pd.Index(["a", "b"])).condition(1)) == "b"
