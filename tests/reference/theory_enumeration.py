"""All rule lists by enumeration: slow, obviously right, and small enough to trust.

A prediction function on the 2^d possible rows is one 64-bit number: two bits per row for its label,
so d <= 5 and up to four classes fit. A set of functions is a sorted array of such numbers.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

BITS_PER_ROW = 2


def conjunction_masks(d: int, z: int) -> list[int]:
    """For each conjunction of 1 to z of d conditions, both bits of every row that satisfies it."""
    return [
        sum(0b11 << (BITS_PER_ROW * row) for row in range(2**d) if _satisfies(row, terms))
        for terms in _conjunctions(d, z)
    ]


def prediction_functions(masks: list[int], n_rows: int, k: int, n_classes: int) -> np.ndarray:
    """Every function that a list of at most k rules with these masks expresses, each once.

    A list is its first rule put in front of a shorter list.
    """
    labels = [
        sum(label << (BITS_PER_ROW * row) for row in range(n_rows)) for label in range(n_classes)
    ]
    functions = np.array(labels, dtype=np.uint64)
    for _ in range(k):
        with_first_rule = [
            (functions & np.uint64(~mask & (2**64 - 1))) | np.uint64(label & mask)
            for mask in masks
            for label in labels
        ]
        functions = np.unique(np.concatenate([functions, *with_first_rule]))
    return functions


def label_matrix(functions: np.ndarray, n_rows: int) -> np.ndarray:
    """Labels predicted by each function (row) on each possible row (column)."""
    shifts = np.arange(n_rows, dtype=np.uint64) * np.uint64(BITS_PER_ROW)
    return ((functions[:, None] >> shifts) & np.uint64(3)).astype(np.int64)


def _conjunctions(d: int, z: int) -> Iterator[tuple[int, ...]]:
    return (terms for i in range(1, z + 1) for terms in combinations(range(d), i))


def _satisfies(row: int, terms: tuple[int, ...]) -> bool:
    return all(row >> term & 1 for term in terms)
