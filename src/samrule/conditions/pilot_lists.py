"""The best rule lists of the pilot rows, found in a moment: what a list needs is seen by looking.

Short searches prove next to nothing; but the lists they find are near the best of the pilot rows,
and those of the whole table mostly ask for the same.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.conditions.packed import packed_conditions
from samrule.conditions.pilot import Pilot
from samrule.objective import ERROR, Objective
from samrule.rules import Condition, RuleList
from samrule.solver import Solution, Status, solve
from samrule.solver.problem import PackedConditions

BRIER = Objective(brier_share=1.0)

# Rows that are looked at, at most; fewer of wide tables.
_MOST_ROWS, _FEW_ROWS = 10_000, 2_000
_MOST_VALUES = 400_000
# Operations of a search: at most about a twentieth of a second, and a third of that for a list that
# does without some conditions.
_WORK, _LESS_WORK = 1e8, 3e7


@dataclass(frozen=True, slots=True)
class ListsWanted:
    """The lists that conditions are made for.

    Parameters
    ----------
    max_rules, max_terms, regularization
        As `learn` takes them.
    objectives
        What the lists are to minimize: errors, the Brier score, or either of them if that is not
        known.
    constrained
        Whether they must obey constraints, which the lists of the pilot rows do not.

    Examples
    --------
    >>> ListsWanted.of(Objective(), max_rules=3).objectives == (ERROR,)
    True
    """

    max_rules: int = 4
    max_terms: int = 1
    regularization: float = 1e-4
    objectives: tuple[Objective, ...] = (ERROR, BRIER)
    constrained: bool = False

    @classmethod
    def of(
        cls,
        objective: Objective,
        *,
        max_rules: int = 4,
        max_terms: int = 1,
        regularization: float = 1e-4,
        constrained: bool = False,
    ) -> "ListsWanted":
        """Return lists that minimize this; of costs, F1 and mixtures both losses are looked at."""
        objectives = (objective,) if objective in (ERROR, BRIER) else (ERROR, BRIER)
        return cls(max_rules, max_terms, regularization, objectives, constrained)

    @property
    def are_searched(self) -> bool:
        """Whether such lists are found on pilot rows; conjunctions and constraints take longer."""
        return self.max_terms == 1 and not self.constrained


@dataclass(frozen=True, slots=True)
class PilotLists:
    """Pilot rows as bits, and the lists found on them.

    Parameters
    ----------
    packed
        Where the conditions hold.
    columns
        For each condition, the number of the column that it is of.
    codes
        Class of each row; None if there are no two of them, and so no lists.
    weights, numbers
        What each row weighs, and a number that repeats if it was drawn more than once.
    wanted
        Which lists to look for.
    """

    packed: PackedConditions
    columns: tuple[int, ...]
    codes: NDArray[np.int64] | None
    weights: NDArray[np.float64]
    numbers: NDArray[np.int64]
    wanted: ListsWanted
    _found: dict[Hashable, Solution] = field(default_factory=dict)

    @classmethod
    def of(
        cls, by_column: Sequence[tuple[Condition, ...]], pilot: Pilot, wanted: ListsWanted
    ) -> "PilotLists":
        """Look at as many pilot rows as are worth it."""
        most_rows = int(np.clip(_MOST_VALUES // len(by_column), _FEW_ROWS, _MOST_ROWS))
        rows = np.linspace(0, pilot.n_rows - 1, min(pilot.n_rows, most_rows)).astype(np.int64)
        names = dict.fromkeys(some[0].column for some in by_column)
        table = pa.table({name: pilot.column(name).take(pa.array(rows)) for name in names})
        codes = None if pilot.codes is None else pilot.codes[rows]
        return cls(
            packed=packed_conditions(by_column, table),
            columns=tuple(number for number, some in enumerate(by_column) for _ in some),
            codes=codes if codes is not None and len(np.unique(codes)) > 1 else None,
            weights=pilot.weights[rows],
            numbers=np.unique(pilot.rows[rows], return_inverse=True)[1],
            wanted=wanted,
        )

    def best(self, objective: Objective, without: Collection[Condition] = ()) -> Solution:
        """Return the best list found that does without some conditions."""
        found = self._better(objective, frozenset(), _WORK)
        asked = {one for rule in found.rule_list for one in rule.conditions}
        if asked.isdisjoint(without):
            return found
        return self._better(objective, frozenset(without), _LESS_WORK)

    def good(self, objective: Objective, without: Collection[Condition] = ()) -> Solution:
        """Return a list that is nearly as good, found in a fraction of the time."""
        return self._list(objective, frozenset(without), _WORK, tolerance=1.0)

    def row_losses(self, found: RuleList, objective: Objective) -> NDArray[np.float64]:
        """Return what each row costs if a list decides it by the rows' own classes."""
        assert self.codes is not None
        place = {one: number for number, one in enumerate(self.packed.conditions)}
        left = np.ones(self.packed.n_rows, dtype=np.bool_)
        losses = np.zeros(self.packed.n_rows)
        for rule in [*found, None]:
            decided = left.copy()
            for one in () if rule is None else rule.conditions:
                decided &= self.packed.column(place[one])
            left &= ~decided
            of_class = np.bincount(self.codes[decided], self.weights[decided])
            if of_class.sum() > 0:
                of_class = of_class / of_class.sum()
                cheapest = objective.best_place(of_class.tolist())
                of_true = np.array(objective.row_losses(of_class.tolist(), cheapest))
                losses[decided] = of_true[self.codes[decided]]
        return losses

    def _better(self, objective: Objective, without: frozenset[Condition], work: float) -> Solution:
        found = self._list(objective, without, work)
        if found.status == Status.OPTIMAL:
            return found
        # A search that was ended early may not have come to what another would have begun with.
        return min(found, self.good(objective, without), key=lambda one: one.loss)

    def _list(
        self,
        objective: Objective,
        without: frozenset[Condition],
        work: float,
        tolerance: float = 0.0,
    ) -> Solution:
        key = (objective, without, work, tolerance)
        if key not in self._found:
            self._found[key] = self._searched(objective, without, work, tolerance)
        return self._found[key]

    @property
    def _max_rules(self) -> int:
        """Lists of single conditions ask for some of what lists of conjunctions do."""
        wanted = self.wanted
        return wanted.max_rules if wanted.max_terms == 1 else max(wanted.max_rules, 4)

    def _searched(
        self, objective: Objective, without: frozenset[Condition], work: float, tolerance: float
    ) -> Solution:
        packed = self.packed
        if without:
            some = [n for n, one in enumerate(packed.conditions) if one not in without]
            chosen = tuple(packed.conditions[n] for n in some)
            packed = PackedConditions(packed.bits[some], packed.n_rows, chosen)
        return solve(
            packed,
            self.codes,
            weights=self.weights,
            max_rules=self._max_rules,
            regularization=self.wanted.regularization,
            objective=objective,
            tolerance=tolerance,
            work_limit=work,
            threads=1,
        )
