"""VC dimension bounds against shattered tables and brute force."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule.theory import vc_lower_bound, vc_lower_bound_as_printed, vc_upper_bound
from tests.reference.theory_enumeration import (
    conjunction_masks,
    label_matrix,
    prediction_functions,
)


def _block_table(a: int, k: int) -> np.ndarray:
    """A3's table: k diagonal blocks, each with all non-zero binary columns of height a."""
    block = np.array([column for column in product((0, 1), repeat=a) if any(column)]).T
    return np.kron(np.eye(k, dtype=int), block)


def _labellings_by_lists(table: np.ndarray, k: int) -> set[tuple[int, ...]]:
    """Every labelling that a list of at most k one-term rules gives to the rows of the table."""
    n_rows = len(table)
    masks = [sum(0b11 << (2 * row) for row in range(n_rows) if column[row]) for column in table.T]
    functions = prediction_functions(masks, n_rows, k, 2)
    return {tuple(labels) for labels in label_matrix(functions, n_rows)}


@pytest.mark.parametrize(("a", "k"), [(1, 1), (2, 2), (3, 2), (2, 3)])
def test_block_table_is_shattered(a, k):
    table = _block_table(a, k)

    assert table.shape == (a * k, (2**a - 1) * k)
    assert _labellings_by_lists(table, k) == set(product((0, 1), repeat=a * k))


@pytest.mark.parametrize(("a", "k"), [(1, 1), (2, 2), (3, 2), (2, 3)])
def test_block_table_with_an_all_zero_row_is_shattered_too(a, k):
    table = np.vstack([_block_table(a, k), np.zeros((1, (2**a - 1) * k), dtype=int)])

    assert vc_lower_bound((2**a - 1) * k, max_rules=k) == len(table)
    assert _labellings_by_lists(table, k) == set(product((0, 1), repeat=a * k + 1))


def _vc_dimension(d: int, k: int, z: int) -> int:
    """By brute force: the largest set of the 2^d possible rows with all labellings."""
    functions = prediction_functions(conjunction_masks(d, z), 2**d, k, 2)
    labels = label_matrix(functions, 2**d)
    return max(
        size
        for size in range(1, 2**d + 1)
        if any(_is_shattered(labels[:, rows]) for rows in combinations(range(2**d), size))
    )


def _is_shattered(labels: np.ndarray) -> bool:
    size = labels.shape[1]
    return len(labels) >= 2**size and len(np.unique(labels @ (1 << np.arange(size)))) == 2**size


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("z", [1, 2])
def test_bounds_enclose_the_true_vc_dimension(d, k, z):
    z = min(z, d)
    truth = _vc_dimension(d, k, z)

    assert vc_lower_bound(d, max_rules=k, max_terms=z) <= truth
    assert truth <= vc_upper_bound(d, max_rules=k, max_terms=z)


def _shared_slot_table(k: int, z: int, a: int, q: int) -> np.ndarray:
    """The table of the proof for any z: k groups of z q rows, a slots of 2^q columns."""
    groups = list(combinations(range(a), z))[:k]
    subsets = list(product((0, 1), repeat=q))
    rows = [(group, slot, t) for group in groups for slot in group for t in range(q)]
    columns = [(slot, subset) for slot in range(a) for subset in subsets]
    return np.array(
        [
            [slot in group and (slot != own or subset[t]) for slot, subset in columns]
            for group, own, t in rows
        ],
        dtype=int,
    )


@pytest.mark.parametrize(("k", "z", "a", "q"), [(1, 2, 2, 2), (2, 2, 3, 1), (3, 2, 4, 1)])
def test_table_of_the_proof_for_longer_rules_is_shattered(k, z, a, q):
    table = _shared_slot_table(k, z, a, q)
    pairs = combinations(range(table.shape[1]), z)
    conjunctions = np.array([table[:, list(pair)].all(axis=1) for pair in pairs]).T
    distinct = np.unique(conjunctions, axis=1)

    assert vc_lower_bound(table.shape[1], max_rules=k, max_terms=z) >= k * z * q
    assert len(_labellings_by_lists(distinct, k)) == 2 ** (k * z * q)


def test_longer_rules_shatter_more_rows():
    # a = ceil(2 sqrt 2) = 3 slots of 2^4 columns: 2 * 2 * 4 rows; one-term blocks reach 10.
    assert vc_lower_bound(48, max_rules=2, max_terms=2) == 16
    assert vc_lower_bound(48, max_rules=2) == 10


def test_printed_lower_bound_exceeds_the_truth_for_nine_conditions():
    # One-term lists with labels are halfspaces: no more than d + 1 = 10 rows are shattered.
    assert vc_lower_bound_as_printed(9, max_rules=24) == 11
    assert vc_lower_bound(9, max_rules=24) == 10


@settings(deadline=None)
@given(d=st.integers(1, 10**6), k=st.integers(0, 11))
def test_proved_lower_bound_implies_the_printed_one_up_to_eleven_rules(d, k):
    assert vc_lower_bound(d, max_rules=k) >= vc_lower_bound_as_printed(d, max_rules=k)


@settings(deadline=None)
@given(d=st.integers(1, 10**6), k=st.integers(0, 40), z=st.integers(1, 6))
def test_lower_bound_never_exceeds_upper_bound(d, k, z):
    z = min(z, d)
    lower = vc_lower_bound(d, max_rules=k, max_terms=z)

    assert 1 <= lower <= vc_upper_bound(d, max_rules=k, max_terms=z)


def test_floors_are_exact_at_powers_of_two():
    assert vc_upper_bound(2**19, max_rules=20) == 20 * 20 + 2
    assert vc_upper_bound(2**19 - 1, max_rules=20) == 20 * 20 + 1
    assert vc_lower_bound_as_printed(7, max_rules=1) == 3
    assert vc_lower_bound_as_printed(6, max_rules=1) == 2
