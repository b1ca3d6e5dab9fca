"""The native search: what it takes, and what it tells on the way."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from samrule import _core
from samrule.errors import InputError, ResourceError
from samrule.solver.limits import Limits, least_support, rule_price
from samrule.solver.problem import PackedConditions, Problem, check_zero_one
from samrule.solver.proven import least_loss
from samrule.solver.rule_price import rounded_down
from samrule.solver.solution import Progress


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


def searched(
    table: _core.Table, problem: Problem, limits: Limits, *, started: float
) -> _core.Outcome:
    """Return what the native search finds within the limits."""
    try:
        return _core.solve(
            table,
            **asked_of_native(table, problem, limits),
            tolerance=limits.tolerance,
            time_limit=max(limits.time_limit - (time.perf_counter() - started), 1e-6),
            work_limit=limits.work_limit,
            disabled_bounds=limits.disabled_bounds,
            progress=in_losses(limits, problem, started),
        )
    except _core.NoThreadError as error:
        raise ResourceError(
            f"the search found no thread to run on: {error}.",
            hint="raise the limits on threads and memory (ulimit -u, ulimit -v), or end others.",
        ) from None


def asked_of_native(table: _core.Table, problem: Problem, limits: Limits) -> dict[str, Any]:
    """Return what all native searches take: what lists are and cost, and what it may use."""
    return {
        "max_rules": limits.max_rules,
        "max_terms": min(limits.max_terms, max(table.n_columns, 1)),
        "rule_cost": float(rule_price(problem, limits).searched),
        "min_support": least_support(problem, limits),
        "memory_limit": limits.memory_limit,
        "threads": limits.threads,
        "kernels": limits.kernels,
        "brier_share": limits.objective.brier_share,
        "costs": _flat_costs(limits.objective.costs),
    }


def _flat_costs(costs: tuple[tuple[float, ...], ...] | None) -> list[float] | None:
    """Return the matrix of costs as the search takes it: row after row."""
    return None if costs is None else [cost for row in costs for cost in row]


def in_losses(
    limits: Limits, problem: Problem, started: float
) -> Callable[[float, float, float, float], object] | None:
    """Return who is told, in losses, where a search stands that adds up costs."""
    progress = limits.progress
    if progress is None:
        return None

    def report(cost: float, lower_bound: float, _elapsed: float, share: float) -> object:
        proven = least_loss(problem, limits, lower_bound, limits.max_rules)
        return progress(
            Progress(
                loss=cost / problem.weights.total,
                lower_bound=rounded_down(proven),
                elapsed=time.perf_counter() - started,
                share=share,
            )
        )

    return report
