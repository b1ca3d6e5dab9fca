"""The native core called directly: what Python would have turned away is refused, never a crash."""

from typing import Any

import numpy as np
import pytest

from samrule import _core

NAN, INFINITY = float("nan"), float("inf")
ROWS = np.random.default_rng(0).integers(0, 2, (64, 5)).astype(np.uint8)
LABELS = ROWS[:, 0].astype(np.int32)


def table(n_classes: int = 2) -> _core.Table:
    return _core.Table(ROWS, LABELS, n_classes)


def solved(of: _core.Table, **changed: Any) -> _core.Outcome:
    asked: dict[str, Any] = {
        "max_rules": 2,
        "max_terms": 1,
        "rule_cost": 0.1,
        "min_support": 0,
        "tolerance": 0.0,
        "time_limit": 60.0,
        "work_limit": None,
        "memory_limit": 1 << 26,
        "threads": 1,
        "kernels": "",
        "disabled_bounds": [],
        "progress": None,
    }
    return _core.solve(of, **{**asked, **changed})


@pytest.mark.parametrize("n_classes", [0, -1, 2**20 + 1, 2**31 - 1])
@pytest.mark.parametrize("n_rows", [0, 64])
def test_a_number_of_classes_out_of_range_is_refused(n_rows: int, n_classes: int) -> None:
    with pytest.raises(ValueError, match="number of classes"):
        _core.Table(ROWS[:n_rows], LABELS[:n_rows], n_classes)
    with pytest.raises(ValueError, match="number of classes"):
        _core.Table.from_bits(np.zeros((1, 1), np.uint64)[:, :n_rows], n_rows, LABELS, n_classes)


def test_no_rows_give_no_rules() -> None:
    empty = _core.Table(ROWS[:0], LABELS[:0], 2)
    assert solved(empty).rules == []
    assert empty.count([]) == [[0, 0]]


def test_rows_that_weigh_too_much_are_refused() -> None:
    with pytest.raises(ValueError, match=r"2\*\*30"):
        _core.Table(ROWS, LABELS, 2, np.full(64, 2**24, np.uint32))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rule_cost", NAN),
        ("rule_cost", -1.0),
        ("rule_cost", -INFINITY),
        ("time_limit", NAN),
        ("time_limit", -1.0),
        ("max_rules", -1),
        ("max_rules", 2**31 - 1),
        ("max_terms", 0),
        ("max_terms", 2**31 - 1),
        ("min_support", -5),
        ("tolerance", -0.1),
        ("tolerance", 1.1),
        ("tolerance", float("nan")),
        ("memory_limit", -1),
    ],
)
def test_a_parameter_out_of_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        solved(table(), **{name: value})


@pytest.mark.parametrize("rule_cost", [INFINITY, 1e308, 1e300])
def test_a_rule_may_cost_more_than_any_row(rule_cost: float) -> None:
    assert solved(table(), rule_cost=rule_cost).rules == []


@pytest.mark.parametrize("first_bit", [1, 2**40, 2**63, 2**64 - 64, 2**64 - 8])
def test_validity_bits_past_the_end_are_refused(first_bit: int) -> None:
    cuts = np.array([3], np.int64)
    codes = np.array([1], np.uint8)
    with pytest.raises(ValueError, match="validity bit"):
        _core.pack_values(
            np.arange(64), np.full(8, 255, np.uint8), first_bit, cuts, cuts[:0], codes, codes,
            np.zeros((1, 1), np.uint64),
        )  # fmt: skip


@pytest.mark.parametrize(
    ("sums", "worth", "starts"), [((1, 2), 2, (1, 1)), ((4, 2), 3, (1, 4)), ((4, 2), 2, (1, 5))]
)
def test_room_for_segments_must_fit(
    sums: tuple[int, int], worth: int, starts: tuple[int, int]
) -> None:
    room = np.zeros(worth), np.zeros(starts, np.int32)
    with pytest.raises(ValueError, match=r"no values|a row of starts"):
        _core.best_segments(np.zeros(sums), 0.0, 0.0, *room)


@pytest.mark.parametrize("cuts", [[0], [2, 2], [3, 2], [4], [-1]])
def test_cuts_that_cut_nothing_are_refused(cuts: list[int]) -> None:
    with pytest.raises(ValueError, match="cut"):
        _core.polish_cuts(np.zeros((5, 2)), 0.0, 0.0, np.array(cuts))
