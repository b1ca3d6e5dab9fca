"""A budget of conditions over all columns, spent where pilot rows say that they matter.

More conditions cost a larger sample and a longer search. Most are nearly the same as a neighbour:
what a condition is worth is how far it tells the classes apart, and how little others do so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samrule.conditions.pilot import Pilot
from samrule.rules import Condition, Operator
from samrule.rules.meaning import condition_mask

# Rows that are looked at, at most: correlations need no more.
_MOST_ROWS = 10_000


def within_budget(
    by_column: Sequence[tuple[Condition, ...]], pilot: Pilot, max_conditions: int
) -> list[tuple[Condition, ...]]:
    """Return the conditions that are worth most, column by column; some columns may have none.

    A condition and its opposite, ``>= t`` and ``< t``, go together. One after the other the pair is
    taken whose gain x (1 - c) is greatest: the gain is that of Gini impurity when rows are divided
    by it (without classes, how evenly it divides them), and c its greatest correlation with one
    taken before, of whichever column.
    """
    groups = [group for conditions in by_column for group in _groups(conditions)]
    answers = _answers(groups, pilot)
    gains = _gains(answers, pilot)
    alike = np.zeros(len(groups))
    n_left, kept = max_conditions, set()
    fits = np.array([len(group) for group in groups])
    while (fits <= n_left).any():
        worth = np.where(fits <= n_left, gains * (1 - alike), -1.0)
        best = int(worth.argmax())
        kept.update(groups[best])
        n_left -= len(groups[best])
        fits[best] = max_conditions + 1  # It is taken.
        alike = np.maximum(alike, answers.correlations(best))
    return [tuple(one for one in conditions if one in kept) for conditions in by_column]


def _groups(conditions: Sequence[Condition]) -> list[list[Condition]]:
    """Return conditions with their opposites, if those are there."""
    groups: dict[object, list[Condition]] = {}
    for one in conditions:
        groups.setdefault((_KINDS.get(Operator(one.op), one.op), one.values), []).append(one)
    return list(groups.values())


_KINDS = {Operator.LESS: Operator.AT_LEAST, Operator.NOT_IN: Operator.IN,
          Operator.NOT_EQUAL: Operator.EQUAL}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Answers:
    """What conditions (rows) answer on some pilot rows (columns), and how much these weigh."""

    holds: NDArray[np.bool_]
    standard: NDArray[np.float64]
    weights: NDArray[np.float64]
    rows: NDArray[np.int64]

    def correlations(self, number: int) -> NDArray[np.float64]:
        """Return how far each condition says the same as one of them, or the opposite."""
        found = np.abs(self.standard @ self.standard[number])
        return np.asarray(np.minimum(found, 1.0))


def _answers(groups: Sequence[Sequence[Condition]], pilot: Pilot) -> _Answers:
    n_rows = min(pilot.n_rows, _MOST_ROWS)
    rows = np.linspace(0, pilot.n_rows - 1, n_rows).astype(np.int64)
    weights = pilot.weights[rows] / pilot.weights[rows].sum()
    holds = np.array([_mask(group[0], pilot)[rows] for group in groups])
    share = holds @ weights
    spread = np.sqrt(np.maximum(share * (1 - share), 1e-12))
    standard = (holds - share[:, None]) / spread[:, None] * np.sqrt(weights)
    return _Answers(holds, standard, weights, rows)


def _mask(condition: Condition, pilot: Pilot) -> NDArray[np.bool_]:
    return condition_mask(condition, pilot.column(condition.column))


def _gains(answers: _Answers, pilot: Pilot) -> NDArray[np.float64]:
    share = answers.holds @ answers.weights
    if pilot.codes is None:
        return np.asarray(share * (1 - share))
    codes = pilot.codes[answers.rows]
    of_class = np.array([answers.weights * (codes == one) for one in range(pilot.n_classes)])
    inside = answers.holds @ of_class.T
    outside = of_class.sum(axis=1) - inside
    return np.asarray(_purity(inside, share) + _purity(outside, 1 - share)
                      - (of_class.sum(axis=1) ** 2).sum())  # fmt: skip


def _purity(of_class: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((of_class**2).sum(axis=1) / np.maximum(share, 1e-12))
