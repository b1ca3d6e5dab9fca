"""Weights of sets of rows, against asking every row."""

import numpy as np
import pytest

from samrule.solver.counted_rows import CountedRows
from samrule.solver.problem import checked_problem


@pytest.mark.parametrize("seed", range(40))
def test_weights_are_those_of_the_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows, n_columns, n_classes = int(rng.integers(3, 300)), int(rng.integers(1, 8)), 3
    table = rng.random((n_rows, n_columns)) < rng.random()
    codes = np.append(rng.integers(0, n_classes, n_rows - n_classes), np.arange(n_classes))
    weights = rng.integers(0, 200, n_rows) if seed % 2 else np.ones(n_rows, np.int64)
    weights[-1] = 1
    rows = CountedRows.of(checked_problem(table, codes, weights=weights))
    # Weights are divided by what they have in common.
    scale = np.gcd.reduce(weights)
    of_class = np.eye(n_classes, dtype=np.int64)[codes] * weights[:, None] // scale
    assert np.array_equal(rows.weight(rows.bits), table.astype(np.int64).T @ of_class)
    within = rng.random(n_rows) < 0.7
    packed = CountedRows.of(checked_problem(within[:, None], codes)).bits[0]
    pairs = np.einsum("ri,rj,rc->ijc", table * within[:, None], table, of_class)
    assert np.array_equal(rows.shared_weight(rows.bits, packed), pairs)
    assert np.array_equal(rows.weight_beside(rows.bits[:2], rows.bits, packed), pairs[:2])
    assert np.array_equal(rows.unpacked(packed)[:n_rows], within)
