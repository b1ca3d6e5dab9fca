"""What could stand in a rule's place, or beside the rules, and what the list would lose then."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.editing.workbench import Workbench
from samrule.objective import Objective
from samrule.rules import Condition, Rule, RuleList

# Pairs of conditions are tried up to so many of them; beyond, single conditions alone.
MOST_PAIRS = 100_000
# Rows times conditions at a time, so that memory stays small.
_MOST_VALUES = 1 << 24
# Rows in a word of a bitset.
_WORD = 64


@dataclass(frozen=True, slots=True)
class Replacement:
    """A rule to put in another's place, or among the rules.

    Parameters
    ----------
    rule
        The rule, with what it would predict.
    loss
        The loss of the list with it.
    price
        How much that is above the loss now; below 0 if the list gets better.
    """

    rule: Rule
    loss: float
    price: float


def best_lists(
    workbench: Workbench,
    later: Sequence[Rule],
    place: int,
    *,
    default: Hashable | None,
    limit: int,
    contains: str = "",
    given: Rule | None = None,
) -> list[tuple[RuleList, float]]:
    """Return the best lists with one more rule at this place, and their losses; best first.

    With `contains`, the rule has a condition whose text does. With `given`, it is that rule with
    one more condition. The best candidates are counted exactly.
    """
    wanted = contains.casefold()
    n_given, prediction = (0, None) if given is None else (len(given.conditions), given.prediction)
    found = []
    for conditions in candidate_rules(workbench, later, place, default=default, given=given):
        if any(wanted in str(one).casefold() for one in conditions[n_given:]):
            changed = [*later[:place], Rule(conditions, prediction), *later[place:]]
            found.append(workbench.judged(changed, default))
            if len(found) == limit:
                break
    return sorted(found, key=lambda one: one[1])


def candidate_rules(
    workbench: Workbench,
    later: Sequence[Rule],
    place: int,
    *,
    default: Hashable | None,
    given: Rule | None = None,
    one_in: int = 1,
) -> Iterator[tuple[Condition, ...]]:
    """Yield the conditions of all rules that could be at this place, those that lose least first.

    All are priced at once, by the rows of each class that they take from the groups that later
    rules decide, in single precision: of rules that are nearly as good any may come first. With
    `given`, they are that rule with one more condition, wherever that changes it. With `one_in`,
    one in so many rows is looked at.
    """
    candidates = _candidates(workbench, 1 if given is not None else None)
    rough = _rough_costs(
        workbench, later, place, candidates, default=default, given=given, one_in=one_in
    )
    known, kept = workbench.packed.conditions, () if given is None else given.conditions
    for one in np.argsort(rough, kind="stable").tolist():
        if not np.isfinite(rough[one]):
            return
        more = (known[term] for term in dict.fromkeys(candidates[one].tolist()))
        yield (*kept, *more)


def _candidates(workbench: Workbench, max_terms: int | None = None) -> NDArray[np.int64]:
    """Return two places of conditions for each candidate; a single one stands there twice."""
    n_conditions = len(workbench.packed.conditions)
    single = np.repeat(np.arange(n_conditions), 2).reshape(-1, 2)
    max_terms = workbench.task.settings.max_terms if max_terms is None else max_terms
    if max_terms == 1 or n_conditions * (n_conditions - 1) // 2 > MOST_PAIRS:
        return single
    return np.vstack([single, np.column_stack(np.triu_indices(n_conditions, 1))])


def _rough_costs(
    workbench: Workbench,
    later: Sequence[Rule],
    place: int,
    candidates: NDArray[np.int64],
    *,
    default: Hashable | None,
    given: Rule | None,
    one_in: int,
) -> NDArray[np.float64]:
    """Return what the rows from this place on cost with each candidate there."""
    n_groups, n_classes = len(later) - place + 1, len(workbench.task.classes)
    decided = workbench.kept.deciders(later)
    cells = np.where(decided < place, -1, (decided - place) * n_classes + workbench.labels)
    rows = _Rows(
        workbench.kept.packed.bits[:, ::one_in],
        _one_in(one_in, cells, -1),
        None if workbench.weights is None else _one_in(one_in, workbench.weights, 0.0),
        n_groups * n_classes,
    )
    whole = rows.whole.reshape(n_groups, n_classes)
    if given is not None:
        # The rule takes none of the rows that its conditions leave to others.
        masks = [workbench.kept.mask(one) for one in given.conditions]
        cells = np.where(np.logical_and.reduce(masks), cells, -1)
        rows = replace(rows, cells=_one_in(one_in, cells, -1))
    taken = rows.taken(candidates).reshape(len(candidates), n_groups, n_classes)
    said = [None if given is None else given.prediction]
    said += [*(rule.prediction for rule in later[place:]), default]
    own, *others = (None if one is None else workbench.task.classes.index(one) for one in said)
    objective = workbench.task.objective
    total = group_costs(objective, taken.sum(axis=1), own)
    for group, other in enumerate(others):
        total = total + group_costs(objective, whole[group] - taken[:, group], other)
    # A rule that decides nothing is none, and of two conditions one may say it all.
    weight = taken.sum(axis=(1, 2))
    of_terms = weight[candidates]  # The first candidates are the single conditions.
    is_pair = candidates[:, 0] != candidates[:, 1]
    is_idle = (weight == 0) | (is_pair & (of_terms == weight[:, None]).any(axis=1))
    if given is not None:
        is_idle |= np.isclose(weight, rows.whole.sum(), rtol=1e-6)
    total[is_idle] = np.inf
    return total


def _one_in(n: int, values: NDArray[Any], beyond: float) -> NDArray[Any]:
    """Return the values of one in so many words of rows."""
    if n == 1:
        return values
    padded = np.pad(values, (0, -len(values) % _WORD), constant_values=beyond)
    return padded.reshape(-1, _WORD)[::n].ravel()


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows in cells: who decides them otherwise, and of which class they are.

    Parameters
    ----------
    bits
        Where each condition holds.
    cells
        The cell of each row; below 0 if it is in none.
    weights
        What each row weighs; None if all weigh the same.
    n_cells
        How many cells there are.
    """

    bits: NDArray[np.uint64]
    cells: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    n_cells: int

    @property
    def whole(self) -> NDArray[np.float64]:
        """The weight of each cell's rows."""
        inside = self.cells >= 0
        weights = None if self.weights is None else self.weights[inside]
        return np.bincount(self.cells[inside], weights, self.n_cells).astype(np.float64)

    def taken(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weight of each cell's rows that each candidate holds for."""
        if len(candidates) == len(self.bits) and self.weights is None:
            return self._counted_bits()
        return self._multiplied(candidates)

    def _counted_bits(self) -> NDArray[np.float64]:
        taken = np.empty((len(self.bits), self.n_cells))
        words = np.zeros(self.bits.shape[1], dtype=np.uint64)
        for cell in range(self.n_cells):
            packed = np.packbits(self.cells == cell, bitorder="little")
            words.view(np.uint8)[: len(packed)] = packed
            taken[:, cell] = np.bitwise_count(self.bits & words).sum(axis=1, dtype=np.int64)
        return taken

    def _multiplied(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the same for pairs and for weighted rows.

        Every row is in one cell, so all pairs of conditions take one product of matrices in all.
        """
        bits = self.bits
        taken = np.zeros((len(candidates), self.n_cells))
        step = max(1, _MOST_VALUES // max(1, _WORD * len(bits))) * _WORD
        for start in range(0, len(self.cells), step):
            of_block = self.cells[start : start + step]
            words = np.ascontiguousarray(bits[:, start // _WORD : (start + step) // _WORD])
            masks = np.unpackbits(
                words.view(np.uint8), axis=1, count=len(of_block), bitorder="little"
            )
            for cell in range(self.n_cells):
                rows = np.flatnonzero(of_block == cell)
                inside = masks[:, rows].astype(np.float32)
                weighted = inside
                if self.weights is not None:
                    weighted = inside * self.weights[start + rows].astype(np.float32)
                if len(candidates) == len(bits):
                    taken[:, cell] += weighted.sum(axis=1)
                else:
                    both = weighted @ inside.T
                    taken[:, cell] += both[candidates[:, 0], candidates[:, 1]]
        return taken


def group_costs(
    objective: Objective, of_class: NDArray[np.float64], place: int | None
) -> NDArray[np.float64]:
    """Return what groups of rows cost, given their weight by class: a group per row.

    With a place, if the class there is predicted.
    """
    matrix = np.ones((of_class.shape[1],) * 2) - np.eye(of_class.shape[1])
    if objective.costs is not None:
        matrix = np.array(objective.costs)
    prices = of_class @ matrix
    linear = prices.min(axis=1) if place is None else prices[:, place]
    weight = of_class.sum(axis=1)
    squares = np.divide((of_class**2).sum(axis=1), weight, out=weight.copy(), where=weight > 0)
    share = objective.brier_share
    return np.asarray((1 - share) * linear + share * (weight - squares) / 2)
