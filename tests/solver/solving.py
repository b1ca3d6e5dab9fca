"""A random table, solved through the same door as `solve` uses."""

import time

from samrule.solver.limits import Limits
from samrule.solver.problem import checked_problem
from samrule.solver.solution import Solution
from samrule.solver.solve import _solve_problem
from tests.reference.random_tables import SmallTable


def solution_of(table: SmallTable, **knobs: object) -> Solution:
    """Solve the table, with the knobs that only tests may turn."""
    problem = checked_problem(table.rows, table.codes, weights=table.weights)
    limits = Limits(
        max_rules=table.max_rules,
        max_terms=table.max_terms,
        regularization=float(table.alpha),
        min_support=float(table.min_support),
        **knobs,  # type: ignore[arg-type]
    )
    return _solve_problem(problem, limits, started=time.perf_counter())
