"""All lists nearly as good as the best one, up to lists that predict the same on every row."""

import math
import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samrule import _core
from samrule.checks import checked
from samrule.constraints import NO_CONSTRAINTS, Constraints
from samrule.cores import n_cores
from samrule.errors import Parameter, ParameterError, Words
from samrule.objective import ERROR, Objective, as_written
from samrule.rules import Condition, RuleList
from samrule.solver.found_list import built_rule_list, decided_rows
from samrule.solver.limits import (
    Limits,
    default_memory_limit,
    forced_kernels,
)
from samrule.solver.native_search import asked_of_native, table_of
from samrule.solver.problem import Problem, checked_problem
from samrule.solver.solution import Solution, Status
from samrule.solver.solve import solve

# The search adds up costs in units of 2^-28 of a row, and rounds a rule and a group up to it.
_UNITS_PER_ROW = 2**28


@dataclass(frozen=True, slots=True)
class Question:
    """A table as the search takes it, and what lists on it may be and cost."""

    problem: Problem
    limits: Limits
    table: _core.Table

    def judged(self, rules: Sequence[Sequence[int]]) -> tuple[RuleList, Fraction]:
        """Return the list with these conditions, and its loss: exactly."""
        rule_list, cost = built_rule_list(self.problem, self.limits.objective, self.table, rules)
        price = as_written(self.limits.regularization)
        loss = cost / Fraction(self.problem.weights.total) + price * rule_list.n_rules
        return rule_list, loss

    def places(self, rule_list: RuleList) -> list[list[int]]:
        """Return the places of the conditions of each rule of a list."""
        n_conditions = self.table.n_columns
        place = {self.problem.condition(column): column for column in range(n_conditions)}
        return [[place[one] for one in rule.conditions] for rule in rule_list.rules]


@dataclass(frozen=True, slots=True)
class GoodLists:
    """The lists found, best first, and whether they are all there are.

    Parameters
    ----------
    question
        What was asked.
    best
        The search for the least loss that came first.
    most_loss
        Lists with a greater loss were not looked for.
    found
        For each list the places of the conditions of each rule.
    complete_up_to
        Every list with at most this loss predicts what one of these does; below 0 if nothing is
        known about that.
    status
        Why the search ended: ``optimal`` if it went through all lists.
    """

    question: Question
    best: Solution
    most_loss: float
    found: tuple[tuple[tuple[int, ...], ...], ...]
    complete_up_to: float
    status: Status

    @property
    def complete(self) -> bool:
        """Whether all lists with at most `most_loss` are there."""
        return self.complete_up_to >= self.most_loss

    def __len__(self) -> int:
        return len(self.found)

    def rule_list(self, place: int) -> tuple[RuleList, float]:
        """Return one of the lists and its loss."""
        rule_list, loss = self.question.judged(self.found[place])
        return rule_list, float(loss)

    def predicted(self, place: int) -> NDArray[np.int32]:
        """Return for each row the place of the class that one of the lists predicts."""
        rule_list, _ = self.rule_list(place)
        problem = self.question.problem
        classes = [problem.classes.index(rule.prediction) for rule in rule_list]
        places = np.empty(len(problem.codes), dtype=np.int32)
        for code, decided in zip(classes, decided_rows(problem, self.found[place]), strict=True):
            places[decided] = code
        return places


def good_lists(
    conditions: Any,
    labels: Any,
    *,
    within: float = 0.02,
    limit: int = 10_000,
    max_rules: int = 4,
    max_terms: int = 1,
    regularization: float = 1e-4,
    min_support: float = 0,
    weights: ArrayLike | None = None,
    names: Iterable[str | Condition] | None = None,
    classes: Sequence[Hashable] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    objective: Objective = ERROR,
    constraints: Constraints = NO_CONSTRAINTS,
) -> GoodLists:
    """Return every list whose loss is at most 1 + `within` times the least there is.

    Of lists that predict the same for every row one is returned: that with the least loss, then
    with fewest rules, then with the smallest columns in order. ("The same" is the same class, and
    with a Brier score the same class shares.) So rules that may change places, that decide nothing,
    or that decide what would have been decided so anyway, do not count as another list.

    Parameters
    ----------
    within
        How much greater than the least loss a loss may be, as a share of it.
    limit
        Most lists to return: the best ones, if there are more.
    constraints
        What lists must obey, and the list with the least loss, too: columns that do not go
        together, so many columns, so many rules on a column. (Leave out what is forbidden.)

    Others are as in `solve`. The time limit is for both searches together.

    Guarantee
    ---------
    If `complete`, every list of the shape asked for that obeys and has a loss of at most
    ``most_loss`` predicts on every row of positive weight what one of these lists predicts. (With
    real weights, losses are those in rounded weights. Rows of a class that costs nothing, whatever
    is predicted, count as rows without weight.)

    Examples
    --------
    >>> columns = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    >>> lists = good_lists(columns, [1, 1, 0, 1], within=0.0, max_rules=2)
    >>> lists.complete, len(lists)
    (True, 1)
    >>> print(lists.rule_list(0)[0])
    if x0 then 1
    else if x1 then 0
    else 1
    """
    within, limit = checked("within", within), checked("limit", limit)
    if objective.is_f1:
        raise ParameterError(
            Words(Parameter("objective"), " is 'f1', a ratio; good lists are found for losses."),
            hint="minimize costs instead: what a row costs that is missed or alerted on in vain.",
        )
    assert constraints.holds_for_parts
    assert not constraints.forbid
    time_left = _TimeLeft(time_limit)
    solved = partial(
        solve,
        conditions,
        labels,
        max_rules=max_rules,
        max_terms=max_terms,
        regularization=regularization,
        min_support=min_support,
        weights=weights,
        names=names,
        classes=classes,
        memory_limit=memory_limit,
        threads=threads,
        objective=objective,
    )
    best = solved(time_limit=time_limit, **constraints.parameters())
    # What lists cost at least that need not obey bounds those that do.
    path = solved(time_limit=time_left()).path if constraints else best.path
    limits = Limits(
        max_rules=max_rules,
        max_terms=max_terms,
        regularization=regularization,
        min_support=min_support,
        time_limit=time_left() or math.inf,
        memory_limit=memory_limit or default_memory_limit(threads or n_cores()),
        threads=threads or n_cores(),
        kernels=forced_kernels(),
        objective=objective,
        constraints=constraints,
    )
    problem = checked_problem(conditions, labels, weights=weights, names=names, classes=classes)
    question = Question(problem, limits, table_of(problem))
    return _near(question, best, path, within, limit)


class _TimeLeft:
    """What is left of a time limit, in seconds."""

    def __init__(self, time_limit: float | None) -> None:
        self._until = None if time_limit is None else time.perf_counter() + time_limit

    def __call__(self) -> float | None:
        return None if self._until is None else max(self._until - time.perf_counter(), 1e-6)


def _near(
    question: Question,
    best: Solution,
    path: Sequence[float],
    within: float,
    limit: int,
) -> GoodLists:
    problem, limits, table = question.problem, question.limits, question.table
    _, least_loss = question.judged(question.places(best.rule_list))
    most_loss = (1 + as_written(within)) * least_loss
    total = Fraction(problem.weights.total)
    # What the search may make a list dearer by its rounding.
    rounding = Fraction(2 * limits.max_rules + 2, _UNITS_PER_ROW) + limits.objective.searched_off(
        most_loss * total, total
    )
    most_cost = float(most_loss * total + rounding)
    found = _core.good_lists(
        table,
        **asked_of_native(table, problem, limits),
        time_limit=limits.time_limit,
        most_cost=most_cost,
        most_lists=limit,
        least_cost=[loss * problem.weights.total * (1 - 1e-9) for loss in path],
        columns=_column_limits(problem, limits.constraints),
    )
    kept = _in_order(question, found.lists, most_loss, float(rounding))
    # Rounded down: what the search adds up may be a little dearer than what it stands for.
    up_to = (found.complete_up_to - float(rounding)) / problem.weights.total * (1 - 1e-12)
    return GoodLists(
        question=question,
        best=best,
        most_loss=float(most_loss),
        found=tuple(tuple(tuple(terms) for terms in rules) for rules in kept),
        complete_up_to=float(most_loss) if found.complete_up_to >= most_cost else up_to,
        status=Status(found.status),
    )


def _column_limits(problem: Problem, constraints: Constraints) -> _core.ColumnLimits:
    """Return what constraints ask of the columns that lists use."""
    if not constraints:
        return _core.ColumnLimits([], 0, [], [])
    asked = [problem.condition(place).column for place in range(problem.conditions.shape[1])]
    number = {name: place for place, name in enumerate(dict.fromkeys(asked))}
    most = constraints.max_columns
    return _core.ColumnLimits(
        column_of=[number[name] for name in asked],
        most_columns=len(number) if most is None else min(most, len(number)),
        apart=[[number[name] for name in some] for some in constraints.apart],
        most_rules=[(number[name], min(n, len(asked))) for name, n in constraints.at_most],
    )


def _in_order(
    question: Question,
    lists: Sequence[tuple[Sequence[Sequence[int]], float]],
    most_loss: Fraction,
    rounding: float,
) -> Sequence[Sequence[Sequence[int]]]:
    """Return the lists with at most this loss, in the order of their exact losses.

    They are in the order of rounded ones already, so only neighbours that are closer than rounding
    can be in the wrong order.
    """
    close = rounding + 1e-9

    ordered: list[Sequence[Sequence[int]]] = []
    run: list[Sequence[Sequence[int]]] = []
    last = -math.inf
    surely_within = float(most_loss) * question.problem.weights.total - close
    for rules, cost in [*lists, ((), math.inf)]:
        if cost > last + close:
            exactly = len(run) > 1 and not question.limits.objective.is_error
            if exactly or last > surely_within:
                judged = [
                    (question.judged(one)[1], len(one), place) for place, one in enumerate(run)
                ]
                judged = [one for one in judged if one[0] <= most_loss]
                run = [run[place] for _, _, place in sorted(judged)]
            ordered += run
            run = []
        run.append(rules)
        last = cost
    return ordered
