"""The best list that obeys constraints: its search, and searches without them as its oracle."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from samrule import _core
from samrule.constraints import (
    Constraints,
)
from samrule.errors import ParameterError
from samrule.solver.constrained_search import ConstrainedSearch, Rest
from samrule.solver.counted_rows import CountedRows, Words
from samrule.solver.feasibility import Feasibility
from samrule.solver.found_list import built_rule_list
from samrule.solver.group_costs import GroupCosts
from samrule.solver.limits import (
    Limits,
    least_support,
    rule_price,
)
from samrule.solver.native_search import in_losses, searched, table_of
from samrule.solver.problem import Problem
from samrule.solver.proven import Proven, default_alone
from samrule.solver.rule_price import UNITS_PER_ROW
from samrule.solver.solution import Solution, Status


def solve_constrained(problem: Problem, limits: Limits, *, started: float) -> Solution:
    """Return the best list that obeys the constraints."""
    feasibility = feasibility_of(problem, limits, limits.constraints)
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
    proven = Proven(problem, limits, cost=cost, n_rules=rule_list.n_rules)
    return Solution(
        rule_list=rule_list,
        loss=proven.loss,
        lower_bound=proven.lower_bound(float(found.lower_bound) / UNITS_PER_ROW),
        status=found.status,
        n_nodes=found.n_nodes,
        work=found.work if limits.work_limit is not None else 0,
        seconds=time.perf_counter() - started,
        path=proven.path(default_alone(table, limits.objective)),
    )


def feasibility_of(problem: Problem, limits: Limits, constraints: Constraints) -> Feasibility:
    """Return what constraints mean for these conditions and classes."""
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
        feasibility = feasibility_of(problem, limits, rest)
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
        outcome = searched(table, self.problem, limits, started=self.started)
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
    tell = in_losses(limits, problem, started)
    if tell is None:
        return lambda _cost, _bound: None

    def report(cost: Any, bound: Any) -> object:
        known = problem.weights.total * UNITS_PER_ROW if cost is None else cost
        return tell(float(known) / UNITS_PER_ROW, float(bound) / UNITS_PER_ROW, 0.0, 0.0)

    return report
