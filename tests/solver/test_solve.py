"""What `solve` promises: the loss, the list, weights, orders, and errors for bad parameters."""

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import samrule
from samrule import Condition, Solution, Status, solve
from samrule.errors import ParameterError, SamruleError
from tests.reference.by_weight import by_weight

Table = tuple[NDArray[np.uint8], NDArray[np.int64]]


def noisy_table(seed: int = 0, n_rows: int = 400, n_columns: int = 12) -> Table:
    """A hidden list of three rules under 10 % noise."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (n_rows, n_columns), dtype=np.uint8)
    labels = np.where(rows[:, 3] == 1, 1, np.where(rows[:, 0] == 1, 0, rows[:, 1]))
    return rows, np.where(rng.random(n_rows) < 0.1, 1 - labels, labels)


def same(one: Solution, other: Solution) -> bool:
    return (by_weight(one.rule_list), one.loss, one.path) == (
        by_weight(other.rule_list),
        other.loss,
        other.path,
    )


def rule_of(row: Any, rule_list: Any) -> int:
    """The number of the first rule that matches; columns are named x0, x1, ..."""
    return next(
        number
        for number, rule in enumerate(rule_list)
        if all(row[int(one.column[1:])] == 1 for one in rule.conditions)
    )


def loss_by_hand(solution: Solution, rows: Any, labels: Any, weights: Any, alpha: float) -> float:
    """The loss from its definition: walk every row through the printed list."""
    wrong = 0.0
    for row, label, weight in zip(rows, labels, weights, strict=True):
        for rule in solution.rule_list:
            if all(row[int(condition.column[1:])] for condition in rule.conditions):
                wrong += weight * (rule.prediction != label)
                break
    return wrong / sum(weights) + alpha * solution.rule_list.n_rules


def test_hidden_list_is_found_and_proven() -> None:
    rows, labels = noisy_table(n_rows=2000)
    solution = solve(rows, labels, max_rules=3)
    assert str(solution.rule_list) == "if x3 then 1\nelse if x0 then 0\nelse if x1 then 1\nelse 0"
    assert solution.status is Status.OPTIMAL
    assert solution.status == "optimal"
    assert solution.gap == 0
    assert solution.lower_bound == solution.loss
    assert len(solution.path) == 4
    assert solution.path[3] == solution.loss
    assert list(solution.path) == sorted(solution.path, reverse=True)
    assert solution.n_nodes >= 0
    assert 0 < solution.seconds < 60


def test_loss_is_that_of_the_printed_list() -> None:
    rows, labels = noisy_table()
    for alpha in (0, 0.001, 0.02):
        solution = solve(rows, labels, max_terms=2, max_rules=2, regularization=alpha)
        expected = loss_by_hand(solution, rows, labels, np.ones(len(labels)), alpha)
        assert solution.loss == pytest.approx(expected, abs=1e-12)


def test_class_counts_are_of_the_rows_each_rule_decides() -> None:
    rows = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0], [0, 0], [0, 0]], dtype=bool)
    solution = solve(rows, list("aabbaaa"), max_rules=2, names=["sun", "rain"])
    assert str(solution.rule_list) == "if sun then a\nelse if rain then b\nelse a"
    assert [rule.class_counts for rule in solution.rule_list] == [(2, 0), (0, 2), (3, 0)]
    assert all(isinstance(count, int) for rule in solution.rule_list for count in rule.class_counts)


def test_ties_go_to_the_first_class_and_the_first_column() -> None:
    rows = np.array([[1, 1], [1, 1], [0, 0], [0, 0]], dtype=bool)
    solution = solve(rows, ["b", "b", "a", "a"])
    assert str(solution.rule_list) == "if x0 then b\nelse a"
    assert str(solve(rows, ["b", "a", "a", "b"]).rule_list) == "always a"


def test_max_rules_zero_and_no_columns_give_the_default() -> None:
    rows, labels = noisy_table()
    for solution in (solve(rows, labels, max_rules=0), solve(rows[:, :0], labels)):
        assert solution.rule_list.n_rules == 0
        assert solution.loss == min(np.bincount(labels)) / len(labels)
        assert solution.status is Status.OPTIMAL


def test_one_row_per_class_and_single_column() -> None:
    solution = solve(np.array([[1], [0]]), [0, 1])
    assert str(solution.rule_list) == "if x0 then 0\nelse 1"


def test_more_rules_than_anyone_needs_change_nothing() -> None:
    rows, labels = noisy_table(n_columns=4, n_rows=60)
    few, many = (solve(rows, labels, max_rules=n, max_terms=n) for n in (4, 12))
    assert many.loss <= few.loss
    assert many.status is Status.OPTIMAL


def test_many_classes() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (900, 10), dtype=np.uint8)
    labels = np.where(rows[:, 0] == 1, 17, np.where(rows[:, 1] == 1, 5, rng.integers(0, 30, 900)))
    solution = solve(rows, labels, max_rules=2)
    assert [rule.prediction for rule in solution.rule_list.rules] == [17, 5]


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        np.ascontiguousarray,
        lambda rows: rows.astype(bool),
        lambda rows: rows.astype(np.float64),
        lambda rows: rows.astype(np.int16, order="F"),
        lambda rows: np.repeat(np.repeat(rows, 2, axis=0), 3, axis=1)[::2, ::3],
        lambda rows: rows[::-1][::-1],
        lambda rows: rows[::-1, ::-1].copy()[::-1, ::-1],
        lambda rows: np.asfortranarray(rows)[::-1].copy(order="F")[::-1],
        lambda rows: rows.tolist(),
        scipy.sparse.csr_array,
        scipy.sparse.csc_matrix,
        scipy.sparse.coo_array,
        lambda rows: pd.DataFrame(rows.astype(bool)),
        lambda rows: pl.DataFrame(rows.astype(bool)),
    ],
)
@pytest.mark.parametrize("shape", [(400, 12), (67, 9)])
def test_every_layout_gives_the_same_list(convert: Any, shape: tuple[int, int]) -> None:
    rows, labels = noisy_table(1, *shape)
    assert same(solve(convert(rows), labels), solve(rows, labels))


def test_read_only_arrays_are_fine() -> None:
    rows, labels = noisy_table()
    for array in (rows, labels):
        array.flags.writeable = False
    assert solve(rows, labels).status is Status.OPTIMAL


def test_other_labels_give_the_same_list_in_other_words() -> None:
    rows, labels = noisy_table()
    as_numbers = solve(rows, labels)
    as_text = solve(rows, np.array(["no", "yes"])[labels])
    assert as_text.loss == as_numbers.loss
    words = {0: "no", 1: "yes"}
    assert [rule.prediction for rule in as_text.rule_list] == [
        words[rule.prediction]
        for rule in as_numbers.rule_list  # type: ignore[index]
    ]


def test_names_appear_in_the_list() -> None:
    rows = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    names = [Condition("age", ">=", 40), "smoker"]
    assert str(solve(rows, [1, 1, 0, 0], names=names).rule_list) == "if age >= 40 then 1\nelse 0"


def test_doubled_rows_are_weight_two() -> None:
    rows, labels = noisy_table()
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(labels))
    repeated = solve(np.repeat(rows, weights, axis=0), np.repeat(labels, weights))
    assert same(solve(rows, labels, weights=weights), repeated)
    tens = solve(rows, labels, weights=weights * 10.0)
    assert tens.loss == repeated.loss
    assert by_weight(tens.rule_list).support == 10 * repeated.rule_list.support


def test_weight_zero_removes_rows() -> None:
    rows, labels = noisy_table()
    kept = np.arange(len(labels)) % 3 > 0
    assert same(solve(rows, labels, weights=kept), solve(rows[kept], labels[kept]))


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_gap_covers_the_rounding_of_real_weights(seed: int) -> None:
    """Compare with the optimum in exact weights that real ones stand for."""
    rng = np.random.default_rng(seed)
    rows, labels = noisy_table(seed, n_rows=40, n_columns=5)
    real = rng.gamma(0.1, 1, len(labels)) + 1e-9
    solution = solve(rows, labels, weights=real, max_rules=2, regularization=0.01)
    finer = np.rint(real / real.sum() * 2**29)  # Far finer than 16 bits, and exact.
    best = solve(rows, labels, weights=finer, max_rules=2, regularization=0.01)
    assert solution.lower_bound <= best.loss + 1e-6
    assert solution.loss >= best.loss - 1e-6
    assert 0 <= solution.gap < 0.001
    expected = loss_by_hand(solution, rows, labels, real, 0.01)
    assert solution.loss == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("whole", [True, False])
def test_rows_are_counted_as_rows_whatever_they_weigh(whole: bool) -> None:
    rows, labels = noisy_table()
    weights = np.random.default_rng(0).random(len(labels)) * 1000
    weights = np.rint(weights) if whole else weights
    found = solve(rows, labels, weights=weights).rule_list
    decided = np.array([rule_of(row, found) for row in rows])
    for number, rule in enumerate(found):
        mine = decided == number
        assert rule.class_counts == tuple(np.bincount(labels[mine], minlength=2).tolist())
        assert all(isinstance(count, int) for count in rule.class_counts)
        assert rule.weighted_counts == pytest.approx(
            np.bincount(labels[mine], weights[mine], minlength=2)
        )
    right = [rule.class_counts[rule.prediction] for rule in found]
    assert found.error_rate == (len(labels) - sum(right)) / len(labels)


def test_the_loss_is_that_of_the_weights() -> None:
    rows, labels = noisy_table()
    weights = np.random.default_rng(0).random(len(labels)) * 1000
    solution = solve(rows, labels, weights=weights)
    found = solution.rule_list
    assert sum(sum(rule.weighted_counts) for rule in found) == pytest.approx(weights.sum())
    assert found.weighted_error_rate + 1e-4 * found.n_rules == pytest.approx(solution.loss)


def test_min_support_is_kept_and_read_as_written() -> None:
    rows, labels = noisy_table(n_rows=10)
    # Below 1 a share, from 1 on rows.
    for share, n_rows in ((0.1, 1), (0.3, 3), (0.7, 7), (1, 1), (4, 4), (10, 10), (11, 11)):
        solution = solve(rows, labels, min_support=share, regularization=0)
        assert all(rule.support >= n_rows for rule in solution.rule_list.rules)
    # Three rows of ten are 0.3 of them, though 0.3 * 10 in doubles may say otherwise.
    column = np.array([[1]] * 3 + [[0]] * 7)
    assert solve(column, [1] * 3 + [0] * 7, min_support=0.3).rule_list.n_rules == 1
    assert solve(column, [1] * 3 + [0] * 7, min_support=0.31).rule_list.n_rules == 0


def test_same_list_for_any_number_of_threads_and_kernels() -> None:
    rows, labels = noisy_table(n_rows=3000, n_columns=40)
    solutions = [solve(rows, labels, max_rules=4, threads=threads) for threads in (1, 2, 5)]
    assert all(same(solution, solutions[0]) for solution in solutions)


def test_parameters_may_be_numpy_numbers() -> None:
    rows, labels = noisy_table()
    solution = solve(
        rows,
        labels,
        max_rules=np.int64(2),
        max_terms=np.int8(1),
        regularization=np.float32(0.5),
        min_support=np.float64(0),
    )
    assert solution.rule_list.n_rules == 0


@pytest.mark.parametrize(
    ("keywords", "expected", "words"),
    [
        ({"max_rules": -1}, ValueError, "max_rules is -1"),
        ({"max_rules": 2.0}, TypeError, "max_rules is 2.0 (float)"),
        ({"max_rules": True}, TypeError, "max_rules is True (bool)"),
        ({"max_rules": None}, TypeError, "max_rules is None"),
        ({"max_rules": "4"}, TypeError, "max_rules is '4'"),
        ({"max_rules": 10**12}, ValueError, "max_rules is 1000000000000"),
        ({"max_terms": 0}, ValueError, "max_terms is 0"),
        ({"max_terms": 1.5}, TypeError, "max_terms is 1.5"),
        ({"regularization": -0.1}, ValueError, "regularization is -0.1"),
        ({"regularization": math.nan}, ValueError, "regularization is nan"),
        ({"regularization": math.inf}, ValueError, "regularization is inf"),
        ({"regularization": "0.1"}, ValueError, "regularization is '0.1'"),
        ({"regularization": True}, TypeError, "regularization is True"),
        ({"min_support": -0.1}, ValueError, "min_support is -0.1"),
        ({"min_support": 1.1}, ValueError, "min_support is 1.1"),
        ({"min_support": math.nan}, ValueError, "min_support is nan"),
        ({"tolerance": -0.1}, ValueError, "tolerance is -0.1"),
        ({"tolerance": 1.5}, ValueError, "tolerance is 1.5"),
        ({"tolerance": "1 %"}, TypeError, "tolerance is '1 %'"),
        ({"time_limit": 0}, ValueError, "time_limit is 0"),
        ({"time_limit": -1}, ValueError, "time_limit is -1"),
        ({"time_limit": math.nan}, ValueError, "time_limit is nan"),
        ({"time_limit": "1"}, TypeError, "time_limit is '1'"),
        ({"work_limit": 0}, ValueError, "work_limit is 0"),
        ({"work_limit": math.nan}, ValueError, "work_limit is nan"),
        ({"work_limit": "1e9"}, TypeError, "work_limit is '1e9'"),
        ({"memory_limit": 0}, ValueError, "memory_limit is 0"),
        ({"memory_limit": 1000}, ValueError, "memory_limit is 1000;"),
        ({"memory_limit": 1e9}, TypeError, "memory_limit is 1000000000.0"),
        ({"threads": 0}, ValueError, "threads is 0"),
        ({"threads": 1.0}, TypeError, "threads is 1.0"),
        ({"threads": 10**9}, ValueError, "threads is 1000000000"),
        ({"progress": 3}, TypeError, "progress is 3"),
        ({"names": ["x"]}, ValueError, "names has 1"),
        ({"weights": [1]}, ValueError, "weights has 1"),
    ],
)
def test_bad_parameter_says_what_and_what_to_do(
    keywords: dict[str, Any], expected: type[Exception], words: str
) -> None:
    rows, labels = noisy_table()
    with pytest.raises(SamruleError) as caught:
        solve(rows, labels, **keywords)
    assert isinstance(caught.value, expected)
    assert words in caught.value.message
    assert "\nHint: " in str(caught.value)


def test_other_bytes_than_zero_and_one_are_found_while_packing() -> None:
    for order in ("C", "F"):
        rows, labels = noisy_table()
        rows = np.array(rows, order=order)  # type: ignore[call-overload]
        rows[399, 11] = 3
        with pytest.raises(ValueError, match="value 3 in row 399, column 11; expected only 0"):
            solve(rows, labels)


def test_unknown_kernels_are_refused_with_those_there_are(monkeypatch: Any) -> None:
    rows, labels = noisy_table()
    monkeypatch.setenv("SAMRULE_FORCE_KERNELS", "abacus")
    with pytest.raises(ParameterError, match="'abacus'; this machine can run: scalar"):
        solve(rows, labels)


def test_kernels_can_be_forced(monkeypatch: Any) -> None:
    rows, labels = noisy_table()
    automatic = solve(rows, labels)
    for kernels in samrule._core.kernel_names():
        monkeypatch.setenv("SAMRULE_FORCE_KERNELS", kernels)
        assert same(solve(rows, labels), automatic)


def test_results_are_immutable_and_print() -> None:
    rows, labels = noisy_table()
    solution = solve(rows, labels)
    with pytest.raises(AttributeError):
        solution.loss = 0.0  # type: ignore[misc]
    assert "status=<Status.OPTIMAL" in repr(solution)


def test_interpreter_ends_cleanly_after_solving() -> None:
    """Nanobind reports leaked objects on exit; there must be nothing to say."""
    program = (
        "import numpy as np, samrule\n"
        "print(samrule.solve(np.eye(4), [0, 1, 0, 1], progress=lambda p: None).status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert (done.stdout, done.stderr) == ("optimal\n", "")


@pytest.mark.parametrize("regularization", [1.0, 2.0, 1e300, 1e308])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4], [0.5, 0.25, 1e-9, 3.0], [1e308] * 4])
def test_rules_that_cost_more_than_all_rows_are_never_used(regularization, weights):
    solution = solve(
        np.eye(4), [0, 1, 0, 1], regularization=regularization, weights=weights, max_rules=1000
    )
    assert solution.rule_list.n_rules == 0
    assert solution.status is Status.OPTIMAL
    assert solution.lower_bound <= solution.loss <= 0.5


@pytest.mark.parametrize("weights", [None, "whole", "real"])
def test_a_relative_price_is_a_share_of_the_loss_without_rules(weights: str | None) -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.integers(0, 2, (200, 4)), rng.random(200) < 0.2
    given = {None: None, "whole": rng.integers(1, 5, 200), "real": rng.random(200)}[weights]
    share = np.average(labels, weights=given)
    relative = solve(rows, labels, weights=given, regularization="0.05 relative")
    absolute = solve(rows, labels, weights=given, regularization=float(0.05 * share))
    assert relative.rule_list == absolute.rule_list
    assert relative.loss == pytest.approx(absolute.loss, rel=1e-12)
    assert relative.path[0] == pytest.approx(share, abs=1e-4)
