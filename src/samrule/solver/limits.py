"""What one search may use and find, checked; prices and supports in units of its weights."""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from samrule import _core
from samrule.checks import DEFAULTS
from samrule.constraints import (
    NO_CONSTRAINTS,
    Constraints,
)
from samrule.errors import ParameterError
from samrule.objective import (
    ERROR,
    Objective,
    as_written,
)
from samrule.solver.problem import Problem
from samrule.solver.rule_price import RulePrice
from samrule.solver.solution import Progress
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT

KERNELS_VARIABLE = "SAMRULE_FORCE_KERNELS"

# For two threads; each further one counts in memory of its own.
DEFAULT_MEMORY_LIMIT, MEMORY_PER_THREAD = 640 << 20, 160 << 20

MOST_WORK = 2**62  # beyond a century


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


def rule_price(problem: Problem, limits: Limits) -> RulePrice:
    """Return the price of a rule in units of weight, as it is and as it is searched with."""
    return RulePrice.of(as_written(limits.regularization), problem.weights.total)


def least_support(problem: Problem, limits: Limits) -> int:
    """Return the weight that every rule must decide, in units."""
    support, weights = as_written(limits.min_support), problem.weights
    if support < 1:
        return math.ceil(support * Fraction(weights.total))
    return min(math.ceil(support / Fraction(weights.unit)), TOTAL_WEIGHT_LIMIT)


def default_memory_limit(n_threads: int) -> int:
    """Return the bytes a search may use if no limit is given: what its threads need."""
    return DEFAULT_MEMORY_LIMIT + MEMORY_PER_THREAD * max(0, n_threads - 2)


def whole_operations(operations: float | None) -> int | None:
    """Return a limit on work as the search takes it."""
    return None if operations is None else int(min(operations, MOST_WORK))


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
