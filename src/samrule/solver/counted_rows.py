"""How much weight of each class sets of rows hold: rows are bits, weights are planes of bits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samrule import _core
from samrule.solver.problem import PackedConditions, Problem

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The rows of a problem as bitsets.

    Parameters
    ----------
    bits
        A row of words per condition.
    planes
        Class x plane x words: which rows of a class have this bit in their weight.
    everything
        All rows that weigh anything.
    """

    bits: Words
    planes: Words
    everything: Words

    @classmethod
    def of(cls, problem: Problem) -> "CountedRows":
        """Return the rows of a problem.

        >>> from samrule.solver.problem import checked_problem
        >>> table = np.array([[1, 0], [1, 1], [0, 1]], dtype=bool)
        >>> rows = CountedRows.of(checked_problem(table, [0, 1, 1], weights=[1, 2, 4]))
        >>> rows.weight(rows.bits).tolist()  # Of class 0 and of class 1 in each column.
        [[1, 2], [0, 6]]
        """
        codes = problem.codes
        given = problem.weights.counts
        weights = np.ones(len(codes), np.uint32) if given is None else given
        n_planes = max(1, int(weights.max(initial=1)).bit_length())
        planes = np.stack(
            [
                _packed(
                    np.stack([(codes == one) & (weights >> b & 1 == 1) for b in range(n_planes)])
                )
                for one in range(len(problem.classes))
            ]
        )
        return cls(_bits(problem), planes, _packed((weights > 0)[None])[0])

    def weight(self, sets: Words) -> Counts:
        """Return set x class: the weight of each class in each set of rows."""
        found = np.zeros((len(sets), len(self.planes)), np.int64)
        for one, planes in enumerate(self.planes):
            for b, plane in enumerate(planes):
                held = np.bitwise_count(sets & plane).sum(axis=1, dtype=np.int64)
                found[:, one] += held << b
        return found

    def shared_weight(self, sets: Words, within: Words) -> Counts:
        """Return set x set x class: the weight of each class in two sets at once, `within` some."""
        words = np.flatnonzero(within)
        sets, within = np.ascontiguousarray(sets[:, words]), within[words]
        found = np.zeros((len(self.planes), len(sets), len(sets)), np.int64)
        for counts, planes in zip(found, self.planes, strict=True):
            for b, plane in enumerate(planes[:, words]):
                _core.add_pair_counts(sets, plane & within, 1 << b, counts)
        return np.moveaxis(found, 0, -1)

    def weight_beside(self, few: Words, sets: Words, within: Words) -> Counts:
        """Return few x set x class: the same for a few sets beside many."""
        words = np.flatnonzero(within)
        sets = np.ascontiguousarray(sets[:, words])
        planes = self.planes[..., words] & within[words]
        found = np.zeros((len(few), len(sets), len(planes)), np.int64)
        for counts, one in zip(found, few[:, words], strict=True):
            for of_class, own in enumerate(planes & one):
                for b, plane in enumerate(own):
                    held = np.flatnonzero(plane)
                    counted = np.bitwise_count(sets[:, held] & plane[held])
                    counts[:, of_class] += counted.sum(axis=1, dtype=np.int64) << b
        return found

    def conjunction(self, terms: Sequence[int]) -> Words:
        """Return the rows in which all these conditions hold."""
        found: Words = np.bitwise_and.reduce(self.bits[list(terms)], axis=0)
        return found

    def unpacked(self, some: Words) -> NDArray[np.bool_]:
        """Return for each row whether it is in a set."""
        n_rows = self.planes.shape[2] * 64
        return np.unpackbits(some.view(np.uint8), count=n_rows, bitorder="little").view(np.bool_)


def _bits(problem: Problem) -> Words:
    if isinstance(problem.conditions, PackedConditions):
        return np.ascontiguousarray(problem.conditions.bits)
    return _packed(problem.conditions.T == 1)


def _packed(masks: NDArray[np.bool_]) -> Words:
    n_words = -(-masks.shape[1] // 64)
    found = np.zeros((len(masks), n_words * 8), np.uint8)
    packed = np.packbits(masks, axis=1, bitorder="little")
    found[:, : packed.shape[1]] = packed
    return found.view(np.uint64)
