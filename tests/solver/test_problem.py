"""What the solver accepts, what it makes of it, and how it turns bad tables away."""

import math
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from samrule.rules import Condition
from samrule.solver.problem import checked_problem
from tests.solver.turned_away import LABELS, TABLE, assert_turned_away


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
    assert np.array_equal(checked_problem(given, LABELS).conditions, TABLE)


def test_bool_and_bytes_are_not_copied() -> None:
    for table in (TABLE, TABLE.astype(bool), np.asfortranarray(TABLE), TABLE[::-1, ::-1]):
        assert np.shares_memory(checked_problem(table, LABELS).conditions, table)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_sparse_tables_of_every_kind_are_read_alike(kind: str, family: str) -> None:
    given = getattr(scipy.sparse, f"{kind}_{family}")(TABLE)
    assert np.array_equal(checked_problem(given, LABELS).conditions, TABLE)


def test_sparse_input_is_left_as_it_was() -> None:
    given = scipy.sparse.coo_array(([1, 1, -1], ([0, 1, 1], [0, 1, 1])), (3, 2)).tocsc()
    unsorted = scipy.sparse.csc_array(
        (np.array([1, 0, 1]), np.array([2, 2, 0]), np.array([0, 3, 3])), shape=(3, 2)
    )
    assert checked_problem(unsorted, LABELS).conditions.tolist() == [[1, 0], [0, 0], [1, 0]]
    assert unsorted.data.tolist() == [1, 0, 1]
    assert checked_problem(given, LABELS).conditions.tolist() == [[1, 0], [0, 0], [0, 0]]


def test_columnless_table_is_fine() -> None:
    assert checked_problem(np.zeros((3, 0), dtype=bool), LABELS).conditions.shape == (3, 0)


def test_names_default_to_column_numbers() -> None:
    problem = checked_problem(TABLE, LABELS)
    assert [str(problem.condition(column)) for column in range(2)] == ["x0", "x1"]


def test_names_may_be_conditions_or_text_from_anywhere() -> None:
    old = Condition("age", ">=", 40)
    assert checked_problem(TABLE, LABELS, names=[old, "smoker"]).names == (
        old,
        Condition("smoker", "==", True),
    )
    assert str(checked_problem(TABLE, LABELS, names=pd.Index(["a", "b"])).condition(1)) == "b"
