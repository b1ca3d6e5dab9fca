"""The best one or two rules to end a list with: all of them at once, from counts of pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.solver.counted_rows import CountedRows, Words
from samrule.solver.feasibility import Feasibility, State, Terms, Use
from samrule.solver.group_costs import GroupCosts

# Bytes that the counts of all pairs may take.
MOST_BYTES = 1 << 26
# Pairs are counted in blocks if they are fewer than one in so many: all at once is faster per pair.
_FEW = 8


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rules that may come next, and what each would use.

    Parameters
    ----------
    terms
        Their conditions.
    bits
        The rows that they match.
    classes
        Which classes each may predict.
    uses, kind
        What rules use, each way once, and which of the ways each candidate is of.
    """

    terms: tuple[Terms, ...]
    bits: Words
    classes: NDArray[np.bool_]
    uses: tuple[Use, ...]
    kind: NDArray[np.intp]

    @classmethod
    def of(
        cls, feasibility: Feasibility, rows: CountedRows, conditions: Sequence[int]
    ) -> "Candidates":
        """Return all conjunctions of some conditions that may be a rule."""
        terms, classes, kinds = [], [], []
        uses: dict[Use, int] = {}
        for n_terms in range(1, feasibility.max_terms + 1):
            for some in combinations(conditions, n_terms):
                allowed = feasibility.classes_of(some)
                if allowed is None:
                    continue
                terms.append(some)
                classes.append(allowed)
                kinds.append(uses.setdefault(feasibility.use(some), len(uses)))
        bits = np.empty((len(terms), rows.bits.shape[1]), np.uint64)
        for place, some in enumerate(terms):
            np.bitwise_and.reduce(rows.bits[list(some)], axis=0, out=bits[place])
        n_classes = len(feasibility.classes)
        return cls(
            tuple(terms),
            bits,
            np.array(classes, dtype=np.bool_).reshape(-1, n_classes),
            tuple(uses),
            np.array(kinds, dtype=np.intp),
        )

    def __len__(self) -> int:
        return len(self.terms)


@dataclass(frozen=True, slots=True)
class Tail:
    """What decides the rows that no rule before decides: the fixed last rules and the default.

    Parameters
    ----------
    cells
        The rows that each would decide, if all came there.
    classes
        Which classes each may predict.
    """

    cells: Words
    classes: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a list may end: its cost, and the candidates that come last."""

    cost: Any
    chosen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LastRules:
    """The endings of lists whose rules so far leave some rows, as cheap as they can be.

    Parameters
    ----------
    rows, costs, tail
        The problem.
    feasibility
        Which lists obey.
    rule_price
        What a rule costs, in units.
    min_support
        The weight that a rule must decide.
    """

    rows: CountedRows
    costs: GroupCosts
    tail: Tail
    feasibility: Feasibility
    rule_price: Any
    min_support: int

    def can_pair(self, n_candidates: int) -> bool:
        """Whether the counts of all pairs fit."""
        n_counts = len(self.tail.cells) * len(self.rows.planes)
        return n_candidates**2 * n_counts * 16 <= MOST_BYTES

    def rest(self, uncovered: Words) -> Any:
        """Return what the tail costs on rows."""
        counts = self.rows.weight(self.tail.cells & uncovered)
        return self.costs(counts, self.tail.classes).sum()

    def best(
        self,
        candidates: Candidates,
        uncovered: Words,
        state: State,
        *,
        n_left: int,
        columns: int,
        below: Any,
    ) -> Ending | None:
        """Return the cheapest ending of at most `n_left` rules (0, 1 or 2) below a cost."""
        best: Ending | None = None
        for ending in self._endings(candidates, uncovered, state, n_left, columns):
            if ending.cost < (below if best is None else best.cost):
                best = ending
        return best

    def _endings(
        self, candidates: Candidates, uncovered: Words, state: State, n_left: int, columns: int
    ) -> Iterator[Ending]:
        total = self.rows.weight(self.tail.cells & uncovered)
        if self.feasibility.is_complete(state, columns):
            yield Ending(self.costs(total, self.tail.classes).sum(), ())
        if n_left == 0 or not len(candidates):
            return
        cells = [cell & uncovered for cell in self.tail.cells]
        one = np.stack([self.rows.weight(candidates.bits & cell) for cell in cells], axis=1)
        after = self.costs(total - one, self.tail.classes).sum(axis=-1)
        decided = one.sum(axis=1)
        price = self.rule_price + self.costs(decided, candidates.classes)
        heavy = decided.sum(axis=-1) >= self.min_support
        states = [self.feasibility.extended(state, use) for use in candidates.uses]
        ends = np.array(
            [one is not None and self.feasibility.is_complete(one, columns) for one in states]
        )
        yield from _cheapest(price + after, ends[candidates.kind] & heavy)
        if n_left > 1:
            ends = self._pair_ends(candidates, states, columns)
            single = _Single(total, cells, one, price, {})
            for block in _blocks(ends, candidates.kind, heavy):
                yield from self._pairs(candidates, single, block)

    def _pairs(
        self, candidates: Candidates, single: "_Single", block: "_Block"
    ) -> Iterator[Ending]:
        """Yield the cheapest pair of a block."""
        first, second = block.first, block.second
        both = self._both(candidates, single, block)
        left = single.total - single.weight[first, None] - single.weight[None, second] + both
        decided = (single.weight[None, second] - both).sum(axis=2)
        cost = (
            single.price[first, None]
            + self.rule_price
            + self.costs(decided, candidates.classes[None, second])
            + self.costs(left, self.tail.classes).sum(axis=-1)
        )
        mask = block.mask & (decided.sum(axis=-1) >= self.min_support)
        for ending in _cheapest(cost, mask):
            i, j = ending.chosen
            yield Ending(ending.cost, (int(first[i]), int(second[j])))

    def _both(
        self, candidates: Candidates, single: "_Single", block: "_Block"
    ) -> NDArray[np.int64]:
        """Return what both of a pair match, by pair, cell and class."""
        if block.is_whole:
            counted = [self.rows.shared_weight(candidates.bits, at) for at in single.cells]
            return np.stack(counted, axis=2)
        is_turned = len(block.second) < len(block.first)
        few, many = (block.second, block.first) if is_turned else (block.first, block.second)
        if few.tobytes() not in single.beside:
            bits = candidates.bits
            counted = [self.rows.weight_beside(bits[few], bits, at) for at in single.cells]
            single.beside[few.tobytes()] = np.stack(counted, axis=2)
        found = single.beside[few.tobytes()][:, many]
        return np.swapaxes(found, 0, 1) if is_turned else found

    def _pair_ends(
        self, candidates: Candidates, states: Sequence[State | None], columns: int
    ) -> NDArray[np.bool_]:
        """Tell for two ways to use columns whether a list may end with rules that use them so."""
        ends = np.zeros((len(states), len(states)), np.bool_)
        for i, state in enumerate(states):
            for j, use in enumerate(candidates.uses):
                both = None if state is None else self.feasibility.extended(state, use)
                ends[i, j] = both is not None and self.feasibility.is_complete(both, columns)
        return ends


@dataclass(frozen=True, slots=True)
class _Single:
    """What is known of single candidates: what each decides in each cell, and what that costs."""

    total: NDArray[np.int64]
    cells: list[Words]
    weight: NDArray[np.int64]
    price: NDArray[Any]
    beside: dict[bytes, NDArray[np.int64]]  # Of pairs with some candidates, once counted.


@dataclass(frozen=True, slots=True)
class _Block:
    """Pairs of candidates: some that come first, some that come second, and which go together."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    mask: NDArray[np.bool_]
    is_whole: bool


def _blocks(
    ends: NDArray[np.bool_], kind: NDArray[np.intp], heavy: NDArray[np.bool_]
) -> Iterator[_Block]:
    """Yield blocks with all pairs that may end a list; a single one if that is most pairs."""
    everything = np.arange(len(kind))
    mask = ends[np.ix_(kind, kind)] & heavy[:, None]
    if mask.sum() * _FEW > mask.size:
        yield _Block(everything, everything, mask, is_whole=True)
        return
    patterns = dict.fromkeys(row.tobytes() for row in ends if row.any())
    for pattern in patterns:
        alike = np.array([row.tobytes() == pattern for row in ends])
        first = np.flatnonzero(alike[kind] & heavy)
        if len(first):
            second = np.flatnonzero(np.frombuffer(pattern, np.bool_)[kind])
            yield _Block(first, second, np.ones((len(first), len(second)), np.bool_), False)


def _cheapest(cost: NDArray[Any], mask: NDArray[np.bool_]) -> Iterator[Ending]:
    """Yield the first of the cheapest places where the mask holds."""
    if mask.any():
        largest = np.iinfo(np.int64).max if cost.dtype == np.int64 else np.inf
        place = int(np.where(mask, cost, largest).argmin())
        yield Ending(cost.flat[place], tuple(int(i) for i in np.unravel_index(place, cost.shape)))
