"""Strategy "exact": search all rows, so that nothing is left to chance."""

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.errors import InputError, Parameter, Words
from samrule.learning.constrained import fixed_columns
from samrule.learning.min_support import counted_on_table
from samrule.learning.outcome import Outcome, stage_result
from samrule.learning.promise import promise
from samrule.learning.sample import row_weights, whole_table
from samrule.learning.search import search_rows
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.table_counts import relabelled, table_loss, with_table_counts
from samrule.learning.task import Task
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT
from samrule.theory import certify

# Of the time and the work there is, what the search for the best list may use. If that is not
# enough, the rest goes into proving what was asked for.
FIRST_SHARE = 1 / 2


def exact(task: Task, settled: SettledConditions, *, earlier: RuleList | None = None) -> Outcome:
    """Search all rows: what is proven is certain (docs/theory/certificate.md).

    An `earlier` list, found on a sample, is returned if the search ends early with a worse one.
    """
    started = time.perf_counter()
    source = task.source
    if source.n_rows >= TOTAL_WEIGHT_LIMIT:
        raise InputError(
            f"{source.name} has {source.n_rows:,} rows; an exact search takes fewer than "
            f"{TOTAL_WEIGHT_LIMIT:,}.",
            hint=Words(
                "use ", Parameter("strategy", "progressive"), ", which needs a sample only."
            ),
        )
    task.report("reading", source.n_rows)
    columns = dict.fromkeys([*settled.columns, *fixed_columns(task.constraints)])
    rows = whole_table(task, columns)
    weights = None if source.weights is None else row_weights(rows, source.weights)
    solution = _searched(task, settled, rows, weights)
    if task.alerts is not None:
        solution = _within_rate(solution, task)
    if earlier is not None and solution.status is not Status.OPTIMAL:
        solution = _better(solution, earlier, task)
    certificate = certify(
        **promise(task),
        n_rules=solution.rule_list.n_rules,
        train_rows=rows.num_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.loss,
        pilot_rows=settled.pilot_rows,
        drawn="whole_table",
    )
    seconds = time.perf_counter() - started
    stage = stage_result(solution, rows, seconds, table_loss=solution.loss)
    rule_list = solution.rule_list
    if source.weights is not None:
        # Rows without weight took no part in the search, but are rows of the table.
        rule_list = with_table_counts(rule_list, task)
    return Outcome(rule_list, certificate, (stage,), "table")


def _searched(
    task: Task, settled: SettledConditions, rows: Any, weights: NDArray[np.float64] | None
) -> Solution:
    """Return the best list; or if work is counted and that takes too much of it, a good one.

    With a tolerance the search proves more in the same time, but may end with another list than
    the best.
    """
    search = partial(
        search_rows,
        task,
        settled.conditions,
        rows,
        weights=weights,
        min_support=task.settings.min_support,
    )
    if task.work.is_endless:
        return search()
    first = search(share=FIRST_SHARE)
    if first.status not in (Status.WORK_LIMIT, Status.TIME_LIMIT):
        return first
    second = search(tolerance=_tolerance(first, task))
    best = first if first.loss <= second.loss else second
    return replace(
        second,
        rule_list=best.rule_list,
        loss=best.loss,
        lower_bound=max(first.lower_bound, second.lower_bound),
        path=max(first.path, second.path, key=len),
    )


def _tolerance(first: Solution, task: Task) -> float:
    """Return how far below the loss found the bound may stay for the certificate to hold.

    It asks for loss <= l + epsilon max(l, theta) for the bound l, so l = loss - epsilon theta is
    enough, and so is l = loss / (1 + epsilon). Where the best was asked for that can be proven, a
    third of what the first search left open is tried for.
    """
    loss, epsilon, theta = first.loss, task.settings.epsilon, task.settings.theta
    if epsilon is None:
        return (loss - first.lower_bound) / loss / 3 if loss > 0 else 0.0
    slack = epsilon * theta
    a_little_less = 1 - 1e-9  # For rounding.
    return a_little_less * max(epsilon / (1 + epsilon), slack / max(loss, slack))


def _within_rate(solution: Solution, task: Task) -> Solution:
    """Return the list with no more alerts than asked for; it may cost more than the best then."""
    kept = relabelled(solution.rule_list, task)
    return replace(solution, rule_list=kept, loss=table_loss(kept, task))


def _better(solution: Solution, earlier: RuleList, task: Task) -> Solution:
    """Return what the search found, or the earlier list if that does better on the table."""
    counted = counted_on_table(earlier, task).rule_list
    loss = table_loss(counted, task)
    return solution if loss >= solution.loss else replace(solution, rule_list=counted, loss=loss)
