"""Which conditions matter together: those that small trees ask for, grown one after the other.

A condition may say little by itself and much about the rows that others leave, and of two that say
the same one is enough. Trees that are each grown on what those before got wrong see both. (To guess
the conditions of an exact search so is the idea of McTavish et al., AAAI 2022.)

Only whole numbers are added up, below 2^53, so sums are exact and every machine takes the same
conditions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

_N_SPLITS, _MOST_TREES = 3, 60
# The share of what a tree would correct that it does; the rest is left to those after it.
_RATE = 0.5
# The share of all weight that each side of a split must hold.
_LEAST_SHARE = 0.0005
# A tree looks at the classes that are known worst, at most so many.
_MOST_CLASSES = 4
# A row that is all wrong, in whole numbers; real weights add up to about the other.
_ALL_WRONG, _TOTAL = 2.0**20, 2.0**30
# What a split must gain, per row: next to nothing.
_LEAST_GAIN = 1e-6 * _ALL_WRONG**2

_Floats = NDArray[np.float64]
_Places = NDArray[np.intp]


def asked_by_trees(
    holds: Sequence[NDArray[np.bool_]], codes: NDArray[np.int64], weights: _Floats
) -> Iterator[int]:
    """Yield numbers of conditions in the order in which trees first ask for them.

    Parameters
    ----------
    holds
        Where the conditions of each column hold: conditions x rows.
    codes, weights
        Class and weight of each row. A row that weighs 2 is the same as two rows.

    Examples
    --------
    Who buys is old and does not wait; the second condition says what the first does.

    >>> old, waits = np.repeat([False, True], 20), np.tile([False, True], 20)
    >>> buys = (old & ~waits).astype(np.int64)
    >>> list(asked_by_trees([np.array([old, old]), np.array([waits])], buys, np.ones(40)))
    [0, 2]
    """
    cells = _cells(holds)
    answers = np.concatenate(holds)
    whole = _whole(weights)
    total = whole.sum()
    is_class = codes == np.arange(codes.max(initial=0) + 1)[:, None]
    # Of two classes one tells all.
    n_looked_at = min(len(is_class) - 1, _MOST_CLASSES)
    guessed = np.repeat((is_class @ whole / total)[:, None], len(codes), axis=1)
    asked: set[int] = set()
    for _ in range(_MOST_TREES):
        wrong = whole * np.rint(_ALL_WRONG * (is_class - guessed))
        worst = np.argsort(-np.abs(wrong).sum(axis=1), kind="stable")[:n_looked_at]
        rows = _Rows(np.vstack([whole, wrong[worst]]), cells)
        leaves = [rows.leaf(np.arange(len(codes)))]
        for _ in range(_N_SPLITS):
            leaf = max(leaves, key=lambda one: one.gain)
            if leaf.gain < _LEAST_GAIN * total:
                break
            if leaf.condition not in asked:
                asked.add(leaf.condition)
                yield leaf.condition
            leaves.remove(leaf)
            leaves += rows.parts(leaf, answers[leaf.condition])
        if len(leaves) == 1:
            return
        for leaf in leaves:
            weight, residuals = leaf.total[0], leaf.total[1:]
            correction = residuals[:, None] / (weight * _ALL_WRONG)
            guessed[np.ix_(worst, leaf.rows)] += _RATE * correction


def _whole(weights: _Floats) -> _Floats:
    """Return weights in whole numbers: as they are, if they are whole."""
    if (weights == np.rint(weights)).all() and weights.sum() <= _TOTAL:
        return weights
    return np.asarray(np.rint(weights * (_TOTAL / weights.sum())))


@dataclass(frozen=True, slots=True)
class _Cells:
    """Rows by what all conditions of a column answer: rows of a cell agree in all of them.

    Parameters
    ----------
    of_rows
        The cell of each row among those of a column, by column.
    ends
        Where the cells of each column begin and end among those of all columns.
    hold
        Where conditions hold: conditions x cells of all columns.
    """

    of_rows: Sequence[_Places]
    ends: Sequence[tuple[int, int]]
    hold: _Floats


def _cells(holds: Sequence[NDArray[np.bool_]]) -> _Cells:
    of_rows: list[_Places] = []
    answers: list[NDArray[np.bool_]] = []
    for of_column in holds:
        packed = np.ascontiguousarray(np.packbits(of_column, axis=0).T)
        key = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        of_rows.append(cell.ravel())
        answers.append(of_column[:, first].T)
    ends = list(pairwise(accumulate(map(len, answers), initial=0)))
    return _Cells(of_rows, ends, _diagonal(answers))


def _diagonal(blocks: Sequence[NDArray[np.bool_]]) -> _Floats:
    """Return blocks of cells x conditions side by side, as conditions x cells."""
    n_cells, n_conditions = np.sum([block.shape for block in blocks], axis=0)
    found = np.zeros((n_conditions, n_cells))
    cell = condition = 0
    for block in blocks:
        height, width = block.shape
        found[condition : condition + width, cell : cell + height] = block.T
        cell, condition = cell + height, condition + width
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Leaf:
    """Rows of a tree, and the condition that tells best what is wrong about them.

    Parameters
    ----------
    rows
        Their places.
    cells
        Their weight and what is wrong about them, by class, in each cell.
    total
        The same of all of them.
    condition, gain
        The condition that takes most off the squared residuals, and how much.
    """

    rows: _Places
    cells: _Floats
    total: _Floats
    condition: int
    gain: float


@dataclass(frozen=True, slots=True)
class _Rows:
    """What a tree is grown on: weight of each row and what is wrong about it, by class."""

    values: _Floats
    cells: _Cells

    def leaf(self, rows: _Places, in_cells: _Floats | None = None) -> _Leaf:
        """Return some rows as a leaf; what their cells hold is counted if it is not known."""
        if in_cells is None:
            in_cells = self._counted(rows)
        inside = self.cells.hold @ in_cells
        total = self.values[:, rows].sum(axis=1)
        outside = total - inside
        least = _LEAST_SHARE * self.values[0].sum()
        divides = (inside[:, 0] >= least) & (outside[:, 0] >= least)
        gains = _explained(inside) + _explained(outside) - _explained(total)
        best = int(np.where(divides, gains, 0.0).argmax())
        return _Leaf(rows, in_cells, total, best, float(gains[best]) if divides[best] else 0.0)

    def parts(self, leaf: _Leaf, holds: NDArray[np.bool_]) -> tuple[_Leaf, _Leaf]:
        """Return the rows where a condition holds, and those where it does not."""
        asked = holds[leaf.rows]
        few, many = leaf.rows[asked], leaf.rows[~asked]
        if len(few) > len(many):
            few, many = many, few
        part = self.leaf(few)
        return part, self.leaf(many, leaf.cells - part.cells)

    def _counted(self, rows: _Places) -> _Floats:
        found = np.zeros((len(self.values), self.cells.hold.shape[1]))
        values = self.values[:, rows]
        for of_rows, (start, end) in zip(self.cells.of_rows, self.cells.ends, strict=True):
            places = of_rows[rows]
            for one, counted in zip(values, found, strict=True):
                counted[start:end] = np.bincount(places, one, end - start)
        return found.T


def _explained(sums: _Floats) -> _Floats:
    """Return what the mean residuals of some rows take off their squared residuals."""
    return np.asarray((sums[..., 1:] ** 2).sum(axis=-1) / np.maximum(sums[..., 0], 1.0))
