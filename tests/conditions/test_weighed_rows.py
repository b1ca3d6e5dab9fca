"""Sets of rows weigh what their rows do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule import _core
from samrule.conditions.weighed_rows import WeighedRows, as_bits


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(1, 1000))
def test_sets_share_the_weight_of_the_rows_in_both(seed: int, n_rows: int, heaviest: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, heaviest + 1, n_rows)
    sets, others = (rng.random((n, n_rows)) < 0.5 for n in rng.integers(0, 5, 2))
    rows = WeighedRows.of(weights.astype(float))
    expected = (sets[:, None] & others) @ weights
    assert rows.shared(as_bits(sets), as_bits(others)).tolist() == expected.tolist()
    assert rows.weight(as_bits(sets)).tolist() == (sets @ weights).tolist()


def test_real_weights_are_whole_ones_in_proportion() -> None:
    rows = WeighedRows.of(np.array([0.25, 0.5, 1.25]))
    assert rows.weights.tolist() == [2**27, 2**28, 5 * 2**27]
    assert rows.weight(as_bits(np.array([[True, False, True]]))).tolist() == [6 * 2**27]


def test_sets_of_different_rows_are_refused() -> None:
    one, two = np.zeros((1, 1), np.uint64), np.zeros((1, 2), np.uint64)
    with pytest.raises(ValueError, match="one count per pair of sets"):
        _core.add_shared_counts(one, two, 1, np.zeros((1, 1), np.int64))
    with pytest.raises(ValueError, match="one count per pair of sets"):
        _core.add_shared_counts(one, one, 1, np.zeros((2, 1), np.int64))
