"""Trees ask for the conditions that a plain count of all rows, tree by tree, would."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samrule import _core
from samrule.conditions.boosted_trees import asked_by_trees
from samrule.conditions.packed import packed_conditions
from samrule.rules import Condition

_ALL_WRONG = 2**20


def packed(holds: NDArray[np.bool_]) -> NDArray[np.uint64]:
    conditions = [Condition(f"x{k}", "==", True) for k in range(len(holds))]
    table = pa.table({one.column: mask for one, mask in zip(conditions, holds, strict=True)})
    return packed_conditions([(one,) for one in conditions], table).bits


def grown(
    holds: NDArray[np.bool_], codes: NDArray[np.int64], weights: NDArray[np.int64]
) -> Iterator[list[int]]:
    """Yield what one tree after the other asks for, every sum made anew."""
    n_classes = int(codes.max()) + 1
    shares = np.array([weights[codes == c].sum() / weights.sum() for c in range(n_classes)])
    is_class = codes == np.arange(n_classes)[:, None]
    wrong = np.rint(_ALL_WRONG * (is_class - shares[:, None])).astype(np.int64)
    while True:
        sizes = (weights * np.abs(wrong)).sum(axis=1)
        worst = np.argsort(-sizes, kind="stable")[: min(n_classes - 1, 4)]
        values = np.vstack([weights, weights * wrong[worst]])
        leaves, asked = [np.ones(len(codes), dtype=np.bool_)], []
        for _ in range(3):
            best = [best_split(holds, leaf, values) for leaf in leaves]
            place = int(np.argmax([gain for gain, _ in best]))
            gain, condition = best[place]
            if gain < 1e-6 * _ALL_WRONG**2 * weights.sum():
                break
            asked.append(condition)
            leaf = leaves.pop(place)
            parts = [leaf & holds[condition], leaf & ~holds[condition]]
            leaves += sorted(parts, key=np.count_nonzero)
        yield asked
        for leaf in leaves:
            total = values[:, leaf].sum(axis=1)
            steps = np.rint(0.5 * (total[1:] / max(total[0], 1))).astype(np.int64)
            wrong[np.ix_(worst, np.flatnonzero(leaf))] -= steps[:, None]


def best_split(
    holds: NDArray[np.bool_], leaf: NDArray[np.bool_], values: NDArray[np.int64]
) -> tuple[float, int]:
    """Return the most that a condition gains on the rows of a leaf, and the first that does."""
    best = (0.0, 0)
    total = values[:, leaf].sum(axis=1)
    for condition, where in enumerate(holds):
        inside = values[:, leaf & where].sum(axis=1)
        outside = total - inside
        if min(inside[0], outside[0]) < 0.0005 * values[0].sum():
            continue
        gain = explained(inside) + explained(outside) - explained(total)
        best = max(best, (gain, condition), key=lambda one: one[0])
    return best


def explained(sums: NDArray[np.int64]) -> float:
    return float(sum(float(one) * float(one) for one in sums[1:]) / max(int(sums[0]), 1))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_trees_are_those_of_a_plain_count(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(2, 200))
    holds = rng.random((12, n_rows)) < rng.random((12, 1))
    codes = rng.integers(0, n_classes, n_rows)
    weights = rng.integers(1, 5, n_rows)
    columns = np.sort(rng.integers(0, 4, 12)).astype(np.int32)
    trees = _core.BoostedTrees(
        packed(holds), n_rows, columns, codes.astype(np.int32), int(codes.max()) + 1, weights
    )
    for tree in islice(grown(holds, codes, weights), 8):
        assert trees.grow() == tree


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_a_row_that_weighs_two_is_two_rows(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    holds = rng.random((30, 200)) < rng.random((30, 1))
    codes = rng.integers(0, n_classes, 200)
    times = rng.integers(1, 4, 200)
    columns = [0] * 10 + [1] * 2 + [2] * 18
    weighed = asked_by_trees(packed(holds), columns, codes, times)
    again, ones = packed(np.repeat(holds, times, axis=1)), np.ones(times.sum(), np.int64)
    repeated = asked_by_trees(again, columns, np.repeat(codes, times), ones)
    assert list(islice(weighed, 15)) == list(islice(repeated, 15))


def test_trees_end_when_there_is_nothing_left_to_learn() -> None:
    bits, ones = packed(np.array([[True, True, False, False]])), np.ones(4, np.int64)
    assert list(asked_by_trees(bits, [0], np.array([1, 1, 0, 0]), ones)) == [0]
    assert list(asked_by_trees(bits, [0], np.zeros(4, dtype=np.int64), ones)) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_rows": 65}, "one bit per row"),
        ({"columns": np.zeros(2, np.int32)}, "a column per condition"),
        ({"labels": np.zeros(3, np.int32)}, "a class and weight per row"),
        ({"labels": np.array([0, 1, 2, 0], np.int32)}, "label code out of range"),
        ({"weights": np.array([1, 1, 1, -1])}, "weights out of range"),
        ({"weights": np.array([2**31, 1, 0, 0])}, "weights out of range"),
        ({"weights": np.zeros(4, np.int64)}, "rows weigh nothing"),
    ],
)
def test_the_native_code_refuses_what_does_not_fit(change: dict, said: str) -> None:
    given = {
        "bits": np.array([[5]], np.uint64),
        "n_rows": 4,
        "columns": np.zeros(1, np.int32),
        "labels": np.array([0, 1, 0, 1], np.int32),
        "n_classes": 2,
        "weights": np.ones(4, np.int64),
    }
    with pytest.raises(ValueError, match=said):
        _core.BoostedTrees(**{**given, **change})
