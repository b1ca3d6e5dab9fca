"""A rule list grown one rule at a time, as CART grows a tree: purest split first, no looking back.

At each step the condition whose split of the rows left over has the least Gini impurity becomes
the next rule; it decides the rows it matches by their majority and the list goes on with the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baselines.bitsets import Bitsets


@dataclass(frozen=True)
class GreedyList:
    """The conditions in order, and the rows that the list misclassifies."""

    rules: tuple[int, ...]
    n_errors: int


def greedy_rule_list(conditions: np.ndarray, labels: np.ndarray, max_rules: int) -> GreedyList:
    """Return the list of at most `max_rules` conditions; it ends where no split helps."""
    bits = Bitsets.pack(conditions, labels)
    left, rules, n_errors = bits.everything, (), 0
    while len(rules) < max_rules:
        best = purest_split(bits, left)
        if best is None:
            break
        n_errors += min(bits.counts(left & bits.conditions[best]))
        left = left & ~bits.conditions[best]
        rules = (*rules, best)
    return GreedyList(rules, n_errors + min(bits.counts(left)))


def purest_split(bits: Bitsets, left: np.ndarray) -> int | None:
    """Return the condition that splits `left` with least impurity, None if none lowers it."""
    matched = bits.conditions & left
    n = np.bitwise_count(matched).sum(axis=1, dtype=np.int64)
    p = np.bitwise_count(matched & bits.positive).sum(axis=1, dtype=np.int64)
    negative, positive = bits.counts(left)
    total = impurity(n, p) + impurity(negative + positive - n, positive - p)
    best = int(np.argmin(total))
    before = float(impurity(np.array(negative + positive), np.array(positive)))
    return best if total[best] < before * (1 - 1e-12) else None


def impurity(n: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the Gini impurity of groups of `n` rows, `p` of them positive, times their size."""
    return 2 * p * (n - p) / np.maximum(n, 1)
