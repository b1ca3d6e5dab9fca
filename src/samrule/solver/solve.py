"""The best rule list of a 0/1 table, with a proof: checks the input, calls the native search.

The search itself is in native/; this module turns what people have into what it takes, and
what it found into a `Solution`.
"""

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from samrule.checks import Relative, checked, checked_price
from samrule.constraints import (
    NO_CONSTRAINTS,
    FixedRules,
    Forbidden,
    Required,
    Together,
    Ways,
    checked_constraints,
)
from samrule.cores import n_cores
from samrule.objective import (
    Costs,
    Objective,
    Objectives,
    as_written,
    checked_objective,
    objective_of,
)
from samrule.rules import Condition
from samrule.solver.constrained import feasibility_of, solve_constrained
from samrule.solver.f1 import F1, Found, best_f1
from samrule.solver.found_list import built_rule_list
from samrule.solver.limits import (
    Limits,
    default_memory_limit,
    forced_kernels,
    whole_operations,
)
from samrule.solver.native_search import searched, table_of
from samrule.solver.problem import Problem, checked_problem
from samrule.solver.proven import Proven, default_alone
from samrule.solver.rule_price import rounded_down
from samrule.solver.solution import Progress, Solution, Status


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
    monotone: Ways | None = None,
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
        that is does not depend on threads or kernels either. With 1 nothing is proven: it is the
        list that a search starts from, found in a moment, and ``path`` has the loss without rules.
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
        that the list predicts can only rise with income (docs/constraints.md). Of texts the levels
        are named, from what speaks for the first class on: ``{"size": ["low", "mid", "high"]}``.
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
        work_limit=whole_operations(checked("work_limit", work_limit)),
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


def _solve_problem(problem: Problem, limits: Limits, *, started: float) -> Solution:
    if limits.constraints and limits.constraints.is_about_candidates:
        usable = feasibility_of(problem, limits, limits.constraints).usable
        rest = replace(limits, constraints=NO_CONSTRAINTS)
        return _solve_problem(problem.only(usable), rest, started=started)
    if limits.constraints:
        return solve_constrained(problem, limits, started=started)
    table = table_of(problem)
    outcome = searched(table, problem, limits, started=started)
    rule_list, cost = built_rule_list(problem, limits.objective, table, outcome.rules)
    proven = Proven(problem, limits, cost=cost, n_rules=rule_list.n_rules)
    return Solution(
        rule_list=rule_list,
        loss=proven.loss,
        lower_bound=proven.lower_bound(outcome.lower_bound),
        status=Status(outcome.status),
        n_nodes=outcome.n_nodes,
        work=outcome.work,
        seconds=time.perf_counter() - started,
        path=proven.path(outcome.path or default_alone(table, limits.objective)),
    )
