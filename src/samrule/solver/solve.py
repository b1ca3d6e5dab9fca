"""The best rule list of a 0/1 table, with a proof: checks the input, calls the native search.

The search itself is in native/; this module turns what people have into what it takes, and
what it found into a `Solution`.
"""

import math
import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samrule import _core
from samrule.checks import DEFAULTS, Relative, checked, checked_price
from samrule.constraints import (
    NO_CONSTRAINTS,
    Constraints,
    FixedRules,
    Forbidden,
    Required,
    Together,
    checked_constraints,
)
from samrule.errors import (
    InputError,
    ParameterError,
    ResourceError,
)
from samrule.objective import (
    ERROR,
    Costs,
    Objective,
    Objectives,
    as_written,
    checked_objective,
    objective_of,
)
from samrule.rules import Condition, Rule, RuleList
from samrule.solver.constrained_search import ConstrainedSearch, Rest
from samrule.solver.counted_rows import CountedRows, Words
from samrule.solver.f1 import F1, Found, best_f1
from samrule.solver.feasibility import Feasibility
from samrule.solver.group_costs import GroupCosts
from samrule.solver.problem import PackedConditions, Problem, check_zero_one, checked_problem
from samrule.solver.rule_price import UNITS_PER_ROW, RulePrice, rounded_down
from samrule.solver.solution import Progress, Solution, Status
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT

KERNELS_VARIABLE = "SAMRULE_FORCE_KERNELS"
# For two threads; each further one counts in memory of its own.
DEFAULT_MEMORY_LIMIT, MEMORY_PER_THREAD = 640 << 20, 160 << 20
MOST_WORK = 2**62  # beyond a century


def solve(
    conditions: Any,
    labels: Any,
    *,
    max_rules: int = 4,
    max_terms: int = 1,
    regularization: float | str = 1e-4,
    min_support: float = 0,
    weights: ArrayLike | None = None,
    names: Iterable[str | Condition] | None = None,
    classes: Sequence[Hashable] | None = None,
    tolerance: float = 0.0,
    time_limit: float | None = None,
    work_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], object] | None = None,
    objective: Objectives | Objective = "error",
    costs: Costs = None,
    forbid: Forbidden | None = None,
    require: Required | None = None,
    at_most: Mapping[str, int] | None = None,
    first: FixedRules | None = None,
    last: FixedRules | None = None,
    monotone: Mapping[str, int] | None = None,
    max_columns: int | None = None,
    together: Together | None = None,
) -> Solution:
    """Return the rule list with the least loss, and the proof that no other has less.

    Loss = weighted share of misclassified rows + regularization x number of rules, unless another
    `objective` is asked for. The default at the end of the list is free. Each rule predicts the
    class with most weight among the rows it decides (the cheapest, if `costs` are given; ties: the
    first class).

    Parameters
    ----------
    conditions
        Rows x conditions, each entry 0 or 1: any numpy array holding nothing else (bool
        and uint8 are used without a copy, in any memory order) or a scipy sparse matrix; or
        `PackedConditions`, as ``Binarizer(...).fit(...).pack(rows)`` returns them.
        No columns at all is fine: the best list is then its default.
    labels
        The class of each row: whole numbers, text, anything hashable; two classes or more.
        Classes are ordered if they can be compared, else by first appearance.
    max_rules
        Most rules in the list, the default not counted (*k*).
    max_terms
        Most conditions in one rule (*z*).
    regularization
        Cost of each rule, as a share of the rows (*α*); or as a text such as ``"0.01 relative"``,
        as a share of the loss that the best list without rules has.
    min_support
        What every rule but the default must decide, that is, be the first to match: below 1 a share
        of the total weight, from 1 on a number of rows (or as much weight, if rows have weights).
        With real weights it is measured in rounded weights.
    weights
        A non-negative number per row. Whole numbers are exact as long as their sum, after
        division by what they have in common, is below 2**30; others are rounded to 16 bits
        each, and what the rounding can change is added to the gap.
    names
        What the columns are called: names of yes/no columns, or `Condition` objects. Packed
        conditions know their own.
    classes
        The classes in their order, if labels are places in it: 0, 1, and so on. Then a class
        need not have a row, as happens in small samples.
    tolerance
        Stop once no list has a loss below ``1 - tolerance`` of the one found (status
        ``within_tolerance``; ``optimal`` if it turns out that there is no better one). Which list
        that is does not depend on threads or kernels either.
    time_limit
        Stop after so many seconds (status ``time_limit``).
    work_limit
        Stop after so many operations of the search (status ``work_limit``); a core does about
        1e9 in a second. Unlike a time limit it gives the same list and the same bound on every
        machine, whatever its threads and kernels. Threads help less then: they count together,
        but steps that learn from each other come in order.
    memory_limit
        Bytes the search may use beside the packed table; if not given, 640 MiB and 160 MiB more
        for each thread beyond two. It forgets what it can, and ends with status
        ``memory_limit`` if that is not enough.
    threads
        Threads to search with; all cores if not given. The result does not depend on it.
    progress
        Called a few times a second with a `Progress`.
    objective
        What to minimize beside the price of rules: ``"error"``, the share of misclassified rows;
        ``"brier"``, the Brier score of predicting in each rule the class shares of the rows it
        decides, which makes lists that rank and give probabilities well; ``("error",
        "brier")``, half of each; or a share of each, such as ``{"error": 0.8, "brier": 0.2}``. Or
        ``"f1"``, for 1 - F1 of the rarer of two classes, by a few searches with costs: `loss` is
        then (rows wrong + price of rules) / (2 x rows found + rows wrong), a relative price is one
        of the rows of the class, and `tolerance` does not count.
    costs
        What a row costs by its class and the class predicted, in place of 1 for each wrong one:
        ``{("bad", "good"): 10}``, where pairs not named cost 1 if wrong, or a matrix with a row per
        true class. Costs are divided by the largest, so that losses are from 0 to 1.
    forbid
        Columns and conditions that no rule may use, by name or as `Condition`; in a tuple, columns
        of which a list may use one at most: ``forbid=["zip", ("age", "sex")]``.
    require
        Columns and conditions of which each must be in some rule.
    at_most
        How many rules may use a column: ``at_most={"income": 1}``.
    first, last
        `Rule` objects fixed at the head and at the end of the list, before the default; one whose
        class is None predicts what fits the rows it decides. They count towards `max_rules` and
        cost what rules cost, but need no support.
    monotone
        ``{"income": 1}``: a rule that asks for high income may predict the second of two classes
        alone, one that asks for low income the first; -1 is the other way around. Then the class
        that the list predicts can only rise with income (docs/constraints.md).
    max_columns
        How many columns the list may use in all.
    together
        Columns that are used all or not at all: ``together=[("height", "weight")]``.

    Returns
    -------
    Solution
        With ``status`` optimal, the list is the best one; of several, the one with fewest
        rules, then with the smallest columns in order (a rule of fewer terms first). With
        constraints it is the best list that obeys them; of several always the same one, but not
        always the first in that order.

    Guarantee
    ---------
    Every rule list of at most `max_rules` rules of at most `max_terms` conditions, each
    deciding at least `min_support`, that obeys all constraints, has a loss of at least
    ``lower_bound``; whenever and however the search ended.

    Notes
    -----
    The search prices a rule to a few billionths of a row, so lists whose losses are closer than
    that, and not equal, may be taken for equal; ``lower_bound`` is then as much below `loss`. With
    another objective than errors it prices groups of rows as finely (a cost or a share that is no
    multiple of 2^-28 by that much per row), so that ``lower_bound`` is a few billionths below the
    loss of the best list.

    The first Ctrl-C ends the search with status ``interrupted`` and the best list so far; a
    second one raises KeyboardInterrupt. The environment variable SAMRULE_FORCE_KERNELS
    names the instruction set to use.

    Examples
    --------
    >>> import numpy as np
    >>> columns = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    >>> solution = solve(columns, ["yes", "yes", "no", "no"], names=["smoker", "male"])
    >>> print(solution.rule_list)
    if smoker then yes
    else no
    >>> solution.loss, solution.gap, solution.status.value
    (0.0001, 0.0, 'optimal')
    """
    started = time.perf_counter()
    n_threads = checked("threads", threads) or n_cores()
    checked_objective(objective, costs)
    price = checked_price(regularization)
    constraints = checked_constraints(
        forbid=forbid,
        require=require,
        at_most=at_most,
        first=first,
        last=last,
        monotone=monotone,
        max_columns=max_columns,
        together=together,
    )
    limits = Limits(
        max_rules=checked("max_rules", max_rules),
        max_terms=checked("max_terms", max_terms),
        min_support=checked("min_support", min_support),
        tolerance=checked("tolerance", tolerance),
        time_limit=checked("time_limit", time_limit) or math.inf,
        work_limit=_whole_operations(checked("work_limit", work_limit)),
        # What fits decides how to search, so with a work limit it must not depend on threads.
        memory_limit=checked("memory_limit", memory_limit)
        or default_memory_limit(n_threads if work_limit is None else 1),
        threads=n_threads,
        kernels=forced_kernels(),
        progress=checked("progress", progress),
        constraints=constraints,
    )
    problem = checked_problem(conditions, labels, weights=weights, names=names, classes=classes)
    of_class = _weight_by_class(problem)
    wanted = objective_of(objective, costs, problem.classes, of_class)
    alpha = price.of(wanted.loss_without_rules(of_class)) if isinstance(price, Relative) else price
    limits = replace(limits, regularization=alpha, objective=wanted)
    if wanted.is_f1:
        return _solve_f1(problem, limits, of_class, started=started)
    return _solve_problem(problem, limits, started=started)


def _weight_by_class(problem: Problem) -> list[float]:
    weights = problem.weights
    given = weights.counts if weights.reals is None else weights.reals
    found = np.bincount(problem.codes, given, len(problem.classes)).tolist()
    return [float(one) * weights.unit for one in found]


def _solve_f1(
    problem: Problem, limits: "Limits", of_class: Sequence[float], *, started: float
) -> Solution:
    """Return the list with the greatest F1, by searches that share the limits."""
    assert limits.objective.positive is not None
    f1 = F1(
        positive=limits.objective.positive,
        of_class=Fraction(of_class[limits.objective.positive]),
        total=sum(map(Fraction, of_class), Fraction(0)),
        regularization=as_written(limits.regularization),
    )

    def search(objective: Objective, price: float, found: Found) -> Solution:
        left = None if limits.work_limit is None else max(1, limits.work_limit - found.work)
        asked = replace(
            limits,
            objective=objective,
            regularization=price,
            tolerance=0.0,
            work_limit=left,
            progress=_telling(limits.progress, found),
        )
        return _solve_problem(problem, asked, started=started)

    solution = best_f1(f1, search, limits.max_rules, any_list=not limits.constraints)
    if problem.weights.reals is None:
        return solution
    # Sums of real weights are doubles, off by less than this.
    return replace(solution, lower_bound=solution.lower_bound * (1 - 1e-12))


def _telling(
    progress: Callable[[Progress], object] | None, found: Found
) -> Callable[[Progress], object] | None:
    """Return who is told of the best list of earlier searches while one goes on."""
    if progress is None:
        return None
    loss, lower_bound = float(found.loss), rounded_down(found.lower_bound)
    return lambda at: progress(Progress(loss, lower_bound, at.elapsed, share=0.0))


@dataclass(frozen=True, slots=True)
class Limits:
    """The checked parameters of one search."""

    max_rules: int
    max_terms: int = DEFAULTS["max_terms"]
    regularization: float = DEFAULTS["regularization"]
    min_support: float = DEFAULTS["min_support"]
    tolerance: float = DEFAULTS["tolerance"]
    time_limit: float = math.inf
    work_limit: int | None = None
    memory_limit: int = DEFAULT_MEMORY_LIMIT
    threads: int = 1
    kernels: str = ""
    progress: Callable[[Progress], object] | None = None
    objective: Objective = ERROR
    constraints: Constraints = NO_CONSTRAINTS
    # For tests alone: the optimum must not depend on any one pruning bound.
    disabled_bounds: Sequence[str] = ()


def _solve_problem(problem: Problem, limits: Limits, *, started: float) -> Solution:
    if limits.constraints:
        return _solve_constrained(problem, limits, started=started)
    table = table_of(problem)
    outcome = _searched(table, problem, limits, started=started)
    rule_list, cost = built_rule_list(problem, limits.objective, table, outcome.rules)
    proven = _Proven(problem, limits, cost=cost, n_rules=rule_list.n_rules)
    return Solution(
        rule_list=rule_list,
        loss=proven.loss,
        lower_bound=proven.lower_bound(outcome.lower_bound),
        status=Status(outcome.status),
        n_nodes=outcome.n_nodes,
        work=outcome.work,
        seconds=time.perf_counter() - started,
        path=proven.path(outcome.path or _default_alone(table, limits.objective)),
    )


def _solve_constrained(problem: Problem, limits: Limits, *, started: float) -> Solution:
    """Return the best list that obeys the constraints."""
    feasibility = _feasibility(problem, limits, limits.constraints)
    if limits.constraints.is_about_candidates:
        rest = replace(limits, constraints=NO_CONSTRAINTS)
        return _solve_problem(problem.only(feasibility.usable), rest, started=started)
    search = _constrained_search(problem, limits, feasibility, started)
    found = search()
    if found.rules is None:
        raise _cannot_be_met(problem, limits, started)
    table = table_of(problem)
    rule_list, cost = built_rule_list(
        problem,
        limits.objective,
        table,
        [list(rule.terms) for rule in found.rules],
        [rule.classes for rule in found.rules],
    )
    proven = _Proven(problem, limits, cost=cost, n_rules=rule_list.n_rules)
    return Solution(
        rule_list=rule_list,
        loss=proven.loss,
        lower_bound=proven.lower_bound(float(found.lower_bound) / UNITS_PER_ROW),
        status=found.status,
        n_nodes=found.n_nodes,
        work=found.work if limits.work_limit is not None else 0,
        seconds=time.perf_counter() - started,
        path=proven.path(_default_alone(table, limits.objective)),
    )


def _feasibility(problem: Problem, limits: Limits, constraints: Constraints) -> Feasibility:
    conditions = tuple(map(problem.condition, range(problem.conditions.shape[1])))
    max_terms = min(limits.max_terms, max(1, len(conditions)))
    return Feasibility(
        constraints, conditions, problem.classes, max_rules=limits.max_rules, max_terms=max_terms
    )


def _constrained_search(
    problem: Problem, limits: Limits, feasibility: Feasibility, started: float
) -> ConstrainedSearch:
    rows = CountedRows.of(problem)
    costs = GroupCosts.of(limits.objective, len(problem.classes))
    price = _price_in_units(problem, limits)
    return ConstrainedSearch(
        feasibility,
        rows,
        costs,
        rule_price=price if costs.is_whole else float(price),
        min_support=least_support(problem, limits),
        oracle=_Oracle(problem, limits, feasibility, rows, started),
        slack=0 if costs.is_whole else _rounded_costs(problem, limits),
        tolerance=limits.tolerance,
        out_of=_Clock(limits, started),
        tell=_told_in_units(limits, problem, started),
    )


def _cannot_be_met(problem: Problem, limits: Limits, started: float) -> ParameterError:
    """Return the error that names the constraints that no list obeys, and which are at fault."""
    asked = limits.constraints
    at_fault = []
    for text, rest in asked.each():
        feasibility = _feasibility(problem, limits, rest)
        if _constrained_search(problem, limits, feasibility, started).finds_any():
            at_fault.append(text)
    without = " or ".join(f"'{text}'" for text in at_fault)
    hint = f"without {without} there is one." if at_fault else "leave more than one of them out."
    return ParameterError(
        f"no list of at most {limits.max_rules} rules was found that obeys all constraints: "
        f"{asked}.",
        hint=hint,
    )


@dataclass(frozen=True, slots=True)
class _Oracle:
    """The search without constraints, on some of the rows and conditions."""

    problem: Problem
    limits: Limits
    feasibility: Feasibility
    rows: CountedRows
    started: float

    def __call__(self, uncovered: Words, usable: Sequence[int], n_left: int, work: int) -> Rest:
        """Return the best way to go on. Fixed last rules count as rules that may be anything."""
        n_rows, given = len(self.problem.codes), self.problem.weights.counts
        inside = self.rows.unpacked(uncovered)[:n_rows]
        weights = inside.astype(np.uint32) if given is None else np.where(inside, given, 0)
        if not weights.any():
            return Rest([], 0, 0, Status.OPTIMAL, 0, 0)
        last = [self.rows.conjunction(rule.terms) for rule in self.feasibility.last]
        bits = np.concatenate([self.rows.bits[list(usable)], *(one[None] for one in last)])
        table = _core.Table.from_bits(
            bits, n_rows, self.problem.codes, len(self.problem.classes), weights.astype(np.uint32)
        )
        left = self.limits.work_limit
        limits = replace(
            self.limits,
            max_rules=n_left + len(last),
            tolerance=0.0,
            work_limit=None if left is None else max(1, left - work),
            progress=None,
        )
        outcome = _searched(table, self.problem, limits, started=self.started)
        own = [rule for rule in outcome.rules if all(one < len(usable) for one in rule)]
        fewer = outcome.path[limits.max_rules - 1 : limits.max_rules] or [0.0]
        # The last rules are paid for already.
        paid = len(last) * self._price
        return Rest(
            rules=[tuple(usable[one] for one in rule) for rule in own[:n_left]],
            cost=max(0, self._cost(table, outcome) - paid),
            fewer=max(0, _in_units(fewer[0]) - paid),
            status=Status(outcome.status),
            work=outcome.work,
            n_nodes=outcome.n_nodes,
        )

    def _cost(self, table: _core.Table, outcome: _core.Outcome) -> int:
        """Return what no list costs less than, in units; exactly, if errors count."""
        if not self.limits.objective.is_error or outcome.status != Status.OPTIMAL:
            return _in_units(outcome.lower_bound)
        wrong = sum(sum(some) - max(some) for some in table.count(outcome.rules))
        return wrong * UNITS_PER_ROW + self._price * len(outcome.rules)

    @property
    def _price(self) -> int:
        return _price_in_units(self.problem, self.limits)


def _price_in_units(problem: Problem, limits: Limits) -> int:
    return int(rule_price(problem, limits).searched * UNITS_PER_ROW)


def _in_units(cost: float) -> int:
    """Return a cost that the search reported, rounded down."""
    return math.floor(Fraction(cost) * (1 - Fraction(1, 2**50)) * UNITS_PER_ROW)


def _rounded_costs(problem: Problem, limits: Limits) -> float:
    """Return how far apart costs may be that are equal, where rows cost no whole numbers."""
    total = Fraction(problem.weights.total)
    off = limits.objective.searched_off(total, total) * UNITS_PER_ROW
    return float(off + 2 * limits.max_rules + 8) + float(total) * UNITS_PER_ROW * 1e-13


@dataclass(frozen=True, slots=True)
class _Clock:
    """Says which limit is reached."""

    limits: Limits
    started: float

    def __call__(self, work: int) -> Status | None:
        if time.perf_counter() - self.started > self.limits.time_limit:
            return Status.TIME_LIMIT
        if self.limits.work_limit is not None and work >= self.limits.work_limit:
            return Status.WORK_LIMIT
        return None


def _told_in_units(
    limits: Limits, problem: Problem, started: float
) -> Callable[[Any, Any], object]:
    """Return who is told where a search stands that adds up units."""
    tell = _in_losses(limits, problem, started)
    if tell is None:
        return lambda _cost, _bound: None

    def report(cost: Any, bound: Any) -> object:
        known = problem.weights.total * UNITS_PER_ROW if cost is None else cost
        return tell(float(known) / UNITS_PER_ROW, float(bound) / UNITS_PER_ROW, 0.0, 0.0)

    return report


def _searched(
    table: _core.Table, problem: Problem, limits: Limits, *, started: float
) -> _core.Outcome:
    try:
        return _core.solve(
            table,
            max_rules=limits.max_rules,
            max_terms=min(limits.max_terms, max(table.n_columns, 1)),
            rule_cost=float(rule_price(problem, limits).searched),
            min_support=least_support(problem, limits),
            tolerance=limits.tolerance,
            time_limit=max(limits.time_limit - (time.perf_counter() - started), 1e-6),
            work_limit=limits.work_limit,
            memory_limit=limits.memory_limit,
            threads=limits.threads,
            kernels=limits.kernels,
            disabled_bounds=limits.disabled_bounds,
            progress=_in_losses(limits, problem, started),
            brier_share=limits.objective.brier_share,
            costs=flat_costs(limits.objective.costs),
        )
    except _core.NoThreadError as error:
        raise ResourceError(
            f"the search found no thread to run on: {error}.",
            hint="raise the limits on threads and memory (ulimit -u, ulimit -v), or end others.",
        ) from None


def flat_costs(costs: tuple[tuple[float, ...], ...] | None) -> list[float] | None:
    """Return the matrix of costs as the search takes it: row after row."""
    return None if costs is None else [cost for row in costs for cost in row]


def least_support(problem: Problem, limits: Limits) -> int:
    """Return the weight that every rule must decide, in units."""
    support, weights = as_written(limits.min_support), problem.weights
    if support < 1:
        return math.ceil(support * Fraction(weights.total))
    return min(math.ceil(support / Fraction(weights.unit)), TOTAL_WEIGHT_LIMIT)


def table_of(problem: Problem) -> _core.Table:
    """Return the table as the search takes it."""
    rest = problem.codes, len(problem.classes), problem.weights.counts
    if isinstance(problem.conditions, PackedConditions):
        bits = np.ascontiguousarray(problem.conditions.bits)
        return _core.Table.from_bits(bits, problem.conditions.n_rows, *rest)
    try:
        return _core.Table(problem.conditions, *rest)
    except ValueError as error:
        check_zero_one(problem.conditions)  # Raises with the value, its row and column.
        raise InputError(f"{error}", hint="check the table against the docstring.") from None


def rule_price(problem: Problem, limits: Limits) -> RulePrice:
    """Return the price of a rule in units of weight, as it is and as it is searched with."""
    return RulePrice.of(as_written(limits.regularization), problem.weights.total)


def _in_losses(
    limits: Limits, problem: Problem, started: float
) -> Callable[[float, float, float, float], object] | None:
    progress = limits.progress
    if progress is None:
        return None

    def report(cost: float, lower_bound: float, _elapsed: float, share: float) -> object:
        proven = _least_loss(problem, limits, lower_bound, limits.max_rules)
        return progress(
            Progress(
                loss=cost / problem.weights.total,
                lower_bound=rounded_down(proven),
                elapsed=time.perf_counter() - started,
                share=share,
            )
        )

    return report


def built_rule_list(
    problem: Problem,
    objective: Objective,
    table: _core.Table,
    found: Sequence[Sequence[int]],
    allowed: Sequence[Sequence[bool]] = (),
) -> tuple[RuleList, Fraction]:
    """Return the list and what its rows cost, in units of the given weights.

    `allowed` tells for each rule which classes it may predict, if not all of them.
    """
    rounded = table.count(found)
    predictions = [
        objective.best_place(counts, classes) for counts, classes in zip_longest(rounded, allowed)
    ]
    in_units = _real_counts(problem, found) or rounded
    n_rows = _row_counts(problem, found) or rounded
    # Without weights, the weight of rows is their number, so weighted_counts stay empty.
    unit = None if problem.weights.counts is None else problem.weights.unit
    cost = sum(
        (
            objective.predicted_cost(counts, prediction)
            for counts, prediction in zip(in_units, predictions, strict=True)
        ),
        Fraction(0),
    )
    *rules, default = (
        Rule(
            conditions=tuple(map(problem.condition, columns)),
            prediction=problem.classes[prediction],
            class_counts=tuple(counted),
            weighted_counts=() if unit is None else tuple(count * unit for count in counts),
        )
        for columns, counted, counts, prediction in zip(
            [*found, ()], n_rows, in_units, predictions, strict=True
        )
    )
    return RuleList(tuple(rules), default, problem.classes), cost


def _real_counts(problem: Problem, found: Sequence[Sequence[int]]) -> Sequence[Sequence[float]]:
    """Weight of each class that each rule decides, the default last; empty if counts are exact."""
    reals, n_classes = problem.weights.reals, len(problem.classes)
    if reals is None:
        return []
    return [
        np.bincount(problem.codes[decided], reals[decided], n_classes).tolist()
        for decided in decided_rows(problem, found)
    ]


def _row_counts(problem: Problem, found: Sequence[Sequence[int]]) -> Sequence[Sequence[int]]:
    """Rows of each class that each rule decides; empty if every row counts once anyway."""
    if problem.weights.counts is None:
        return []
    return [
        np.bincount(problem.codes[decided], minlength=len(problem.classes)).tolist()
        for decided in decided_rows(problem, found)
    ]


def decided_rows(problem: Problem, found: Sequence[Sequence[int]]) -> Iterator[NDArray[np.bool_]]:
    """Yield for each rule, the default last, which rows it is the first to match."""
    uncovered = np.ones(len(problem.codes), dtype=np.bool_)
    for columns in [*found, ()]:
        decided = uncovered.copy()
        for column in columns:
            decided &= _column(problem.conditions, column)
        uncovered &= ~decided
        yield decided


def _column(conditions: NDArray[np.uint8] | PackedConditions, column: int) -> NDArray[np.bool_]:
    if isinstance(conditions, PackedConditions):
        return conditions.column(column)
    return np.asarray(conditions[:, column] == 1)


def _least_loss(problem: Problem, limits: Limits, searched_cost: float, max_rules: int) -> Fraction:
    """Return a lower bound on the loss of every list, from one on what the search adds up."""
    price, total = rule_price(problem, limits), problem.weights.total
    if limits.objective.is_error:
        cost = price.least_cost(searched_cost, max_rules)
    else:
        off = limits.objective.searched_off(Fraction(searched_cost), Fraction(total))
        cost = price.least_fine_cost(searched_cost, max_rules, off=off)
    loss = cost / Fraction(problem.weights.total)
    if problem.weights.reals is not None:
        # The sum of real weights is itself a double, off by less than this.
        loss = loss * (1 - Fraction(1, 10**12)) - Fraction(problem.weights.rounded_up)
    return max(loss, Fraction(0))


@dataclass(frozen=True, slots=True)
class _Proven:
    """The list found, and what the costs that the search proved say about it."""

    problem: Problem
    limits: Limits
    cost: Fraction
    n_rules: int

    @property
    def loss(self) -> float:
        """The loss of the list."""
        rows = float(self.cost) / self.problem.weights.total
        return rows + self.limits.regularization * self.n_rules

    def lower_bound(self, searched_cost: float) -> float:
        """Return a lower bound on every list's loss: that of this list if it is a best one."""
        least = _least_loss(self.problem, self.limits, searched_cost, self.limits.max_rules)
        if self._has_loss(least):
            return self.loss
        return min(rounded_down(least), self.loss)

    def path(self, searched_costs: Sequence[float]) -> tuple[float, ...]:
        """Return the least loss of lists with at most 0, 1, 2, ... rules."""
        return tuple(self._path(searched_costs))

    def _path(self, searched_costs: Sequence[float]) -> Iterable[float]:
        for max_rules, cost in enumerate(searched_costs):
            least = cost / self.problem.weights.total
            if self.problem.weights.reals is None:
                exact = _least_loss(self.problem, self.limits, cost, max_rules)
                # More rules than the best list has gain nothing: return the very same loss.
                if self.limits.objective.is_error:
                    least = self.loss if self._has_loss(exact) else float(exact)
                elif exact <= self.loss <= least:
                    least = self.loss
            yield least

    def _has_loss(self, loss: Fraction) -> bool:
        """Whether this is the list's loss, exactly."""
        weights = self.problem.weights
        if weights.reals is not None:
            return False
        price = as_written(self.limits.regularization)
        return self.cost / Fraction(weights.total) + price * self.n_rules == loss


def _default_alone(table: _core.Table, objective: Objective) -> list[float]:
    """Cost of the list without rules: known even if the search was stopped before it began."""
    ((*weights,),) = table.count([])
    return [float(objective.group_cost(weights))]


def default_memory_limit(n_threads: int) -> int:
    """Return the bytes a search may use if no limit is given: what its threads need."""
    return DEFAULT_MEMORY_LIMIT + MEMORY_PER_THREAD * max(0, n_threads - 2)


def _whole_operations(operations: float | None) -> int | None:
    return None if operations is None else int(min(operations, MOST_WORK))


def n_cores() -> int:
    """Return the cores this process may use: in a container fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def forced_kernels() -> str:
    """Return the kernels that the environment asks for; empty: the fastest."""
    wanted = os.environ.get(KERNELS_VARIABLE, "")
    if wanted and wanted not in _core.kernel_names():
        known = ", ".join(_core.kernel_names())
        raise ParameterError(
            f"{KERNELS_VARIABLE} is {wanted!r}; this machine can run: {known}.",
            hint=f"unset {KERNELS_VARIABLE} to use the fastest.",
        )
    return wanted
