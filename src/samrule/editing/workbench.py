"""Rows kept in memory and packed, so that questions about other lists are answered at once."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.conditions import Conditions
from samrule.constraints import Constraints
from samrule.editing.kept_rows import KeptRows
from samrule.errors import InputError
from samrule.learning import FittedRuleList
from samrule.learning.class_weight import weighted_by_class
from samrule.learning.constrained import searched_constraints, without_forbidden
from samrule.learning.sample import row_weights, whole_table
from samrule.learning.search import class_places
from samrule.learning.task import Deadline, Task, class_shares_of
from samrule.objective import Objective, as_written
from samrule.random_streams import stream
from samrule.rules import Condition, Rule, RuleList
from samrule.solver import Solution, solve
from samrule.solver.problem import PackedConditions
from samrule.sources.base import Source
from samrule.sources.open import open_table

# Of larger tables a sample is kept, and nothing is said about the whole.
MOST_ROWS = 1_000_000
# How much longer the search for the best list of all may take than others.
_TIMES_FOR_THE_BEST = 20
# Under most constraints a search that does not end soon does not end within any such limit.
_SHARE_OF_RARE_ENDS = 0.25


@dataclass(frozen=True)
class Workbench:
    """The rows a list was learned from, or some of them, and what was asked of it.

    Parameters
    ----------
    task
        The table, and what a list on it may be and costs.
    conditions
        The questions that rules may ask.
    rows
        The rows in memory, as an Arrow table.
    is_sample
        Whether they were drawn from the table; else they are all of its rows that have weight.
    known_bound
        What no list as asked for loses less than on these rows, as far as the search proved that
        learned the list; 0 if nothing is known.
    work_limit
        Operations that a search may take, so that answers come in time; None to search until the
        best list is proven. The search for the best list of all, which is done once, may take
        twenty times as many.
    """

    task: Task
    conditions: Conditions
    rows: Any
    is_sample: bool
    known_bound: float = 0.0
    work_limit: float | None = None
    _best: dict[int, Solution] = field(default_factory=dict, compare=False, repr=False)
    _searching: Any = field(default_factory=Lock, compare=False, repr=False)

    @cached_property
    def kept(self) -> KeptRows:
        """The rows, with what each condition says about them."""
        return KeptRows(self.rows, self.conditions)

    @property
    def packed(self) -> PackedConditions:
        """Where each condition holds."""
        return self.kept.packed

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The place of each row's class."""
        return class_places(self.rows[self.task.target], self.task)

    @cached_property
    def weights(self) -> NDArray[np.float64] | None:
        """What each row weighs; None if all weigh the same (a sample was drawn by weight)."""
        column = self.task.source.weights
        return None if column is None or self.is_sample else row_weights(self.rows, column)

    def best(self, max_rules: int) -> Solution:
        """Return the best list of so many rules of all conditions; it is found once."""
        with self._searching:
            if max_rules not in self._best:
                limit = None if self.work_limit is None else _TIMES_FOR_THE_BEST * self.work_limit
                self._best[max_rules] = self.solved(
                    self.packed, max_rules=max_rules, work_limit=limit
                )
            return self._best[max_rules]

    def proven(self, max_rules: int) -> float:
        """Return what no list of so many rules loses less than, known before any search."""
        return self.known_bound if max_rules <= self.task.settings.max_rules else 0.0

    def judged(
        self, rules: Sequence[Rule], default: Hashable | None = None
    ) -> tuple[RuleList, float]:
        """Return the list that rules make, with its counts, and its loss on these rows.

        A prediction of None is what fits the rows that the rule decides.
        """
        decided = self.kept.deciders(rules)
        classes, objective = self.task.classes, self.task.objective
        place = decided * len(classes) + self.labels
        size = (len(rules) + 1) * len(classes)
        counts = np.bincount(place, minlength=size).reshape(-1, len(classes)).tolist()
        weighted = counts
        if self.weights is not None:
            of_place = np.bincount(place, self.weights, minlength=size)
            weighted = of_place.reshape(-1, len(classes)).tolist()
        judged, cost = [], Fraction(0)
        for rule, rows, weights in zip([*rules, Rule((), default)], counts, weighted, strict=True):
            fits = rule.prediction is None
            chosen = objective.best_place(weights) if fits else classes.index(rule.prediction)
            cost += objective.predicted_cost(weights, chosen)
            judged.append(
                Rule(
                    rule.conditions,
                    classes[chosen],
                    tuple(rows),
                    () if self.weights is None else tuple(weights),
                )
            )
        total = sum(Fraction(sum(weights)) for weights in weighted)
        price = as_written(self.task.settings.regularization)
        rule_list = RuleList(tuple(judged[:-1]), judged[-1], classes)
        return rule_list, float(cost / total + price * len(rules))

    def solved_within(
        self,
        constraints: Constraints,
        first: Sequence[Rule] = (),
        *,
        max_rules: int | None = None,
        time_limit: float | None = None,
        effort: int = 1,
    ) -> Solution:
        """Return the best list that obeys constraints and begins with these rules.

        With `effort`, a search that is limited may take so many times as many operations.
        """
        asked = replace(constraints, first=(*constraints.first, *first))
        allowed = without_forbidden(self.conditions, asked)
        said = searched_constraints(asked, allowed)
        # Forbidden are now those that only the fixed rules use, and columns together.
        own = [one for one in said["forbid"] if isinstance(one, Condition)]
        packed = self._packed_with(set(allowed), own)
        limit = self.work_limit
        if limit is not None:
            rarely_ends = not replace(asked, first=()).is_about_candidates
            limit *= effort * (_SHARE_OF_RARE_ENDS if rarely_ends else 1)
        return self.solved(
            packed, max_rules=max_rules, time_limit=time_limit, work_limit=limit, **said
        )

    def _packed_with(self, allowed: set[Condition], more: Sequence[Condition]) -> PackedConditions:
        """Return those of the conditions that are allowed, and some that people made."""
        kept = [place for place, one in enumerate(self.packed.conditions) if one in allowed]
        bits = np.zeros((len(more), self.packed.bits.shape[1]), dtype=np.uint64)
        for place, condition in enumerate(more):
            packed = np.packbits(self.kept.mask(condition), bitorder="little")
            bits[place].view(np.uint8)[: len(packed)] = packed
        return PackedConditions(
            np.vstack([self.packed.bits[kept], bits]),
            self.packed.n_rows,
            (*(self.packed.conditions[place] for place in kept), *more),
        )

    def solved(
        self,
        packed: PackedConditions,
        *,
        max_rules: int | None = None,
        time_limit: float | None = None,
        work_limit: float | None = None,
        objective: Objective | None = None,
        **constraints: Any,
    ) -> Solution:
        """Return the best list of some of the conditions; by another objective, if one is given."""
        settings = self.task.settings
        return solve(
            packed,
            self.labels,
            classes=self.task.classes,
            weights=self.weights,
            max_rules=settings.max_rules if max_rules is None else max_rules,
            max_terms=settings.max_terms,
            regularization=settings.regularization,
            min_support=settings.min_support,
            objective=objective or self.task.objective,
            memory_limit=self.task.memory_limit,
            threads=self.task.threads,
            time_limit=time_limit,
            work_limit=self.work_limit if work_limit is None else work_limit,
            **constraints,
        )


def workbench_of(
    fitted: FittedRuleList,
    table: Any = None,
    *,
    threads: int | None = None,
    memory_limit: int | None = None,
    work_limit: float | None = None,
    all_columns: bool = False,
    random_state: Any = 0,
) -> Workbench:
    """Return a workbench with the rows that a list was learned from, or those of `table`.

    With `all_columns` they have those too that no condition asks about.
    """
    if fitted.objective.is_f1:
        raise InputError(
            "the list was learned for its F1, and others are not priced by it.",
            hint="learn with costs instead: what a row costs that is missed or taken in vain.",
        )
    if fitted.alerts is not None:
        raise InputError(
            "the list was learned with a limit on alerts, and others are not found with one.",
            hint="learn with costs instead: what a row costs that is missed or alerted on in vain.",
        )
    source = _source(fitted, table)
    class_shares = class_shares_of(source)
    if tuple(class_shares) != fitted.classes:
        raise InputError(
            f"{source.name} holds the classes {', '.join(map(str, class_shares))}; the list was "
            f"learned for {', '.join(map(str, fitted.classes))}.",
            hint="give the table that the list was learned from.",
        )
    task = Task(
        source=source,
        target=fitted.target,
        class_shares=class_shares,
        settings=fitted.settings,
        binarizer=fitted.conditions,
        rng=stream("learn", random_state),
        deadline=Deadline(),
        threads=threads,
        memory_limit=memory_limit,
        objective=fitted.objective,
    )
    is_sample = source.n_rows > MOST_ROWS
    if is_sample:
        rows = source.draw(MOST_ROWS, random_state=task.rng).table
    else:
        rows = whole_table(task, source.schema.names if all_columns else fitted.conditions.columns)
    searched_all = table is None and fitted.certificate.argument == "exact"
    known = fitted.certificate.lower_bound if searched_all and not fitted.constraints else 0.0
    return Workbench(task, fitted.conditions, rows, is_sample, known, work_limit)


def _source(fitted: FittedRuleList, table: Any) -> Source:
    if table is None and fitted.source is not None:
        return fitted.source
    if table is None:
        raise InputError(
            "the list does not know its rows: it was read from a file.",
            hint="pass the table that it was learned from as well.",
        )
    opened: Source = table
    if not isinstance(table, Source):
        opened = open_table(table, fitted.target, weights=fitted.weights)
    if fitted.class_weight is None:
        return opened
    of_class = dict(zip(fitted.classes, fitted.class_weight, strict=True))
    return weighted_by_class(opened, of_class)[0]
