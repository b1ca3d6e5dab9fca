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
from samrule.learning.search_as_needed import both
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.table_counts import relabelled, table_loss, with_table_counts
from samrule.learning.task import Settings, Task
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT
from samrule.theory import certify

# Of the time and the work there is, what a first search for the best list may use: half if as much
# as possible is to be proven. Else the rest goes into proving what was asked for, and then into the
# best list; lists of few single conditions are mostly proven to be best before, others seldom.
SHARE_FOR_MOST, SHARE_OF_SHORT, SHARE_OF_LONG = 0.5, 0.3, 1 / 16
SHORT_RULES = 6


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
    first = search(share=_first_share(task.settings))
    if first.status not in (Status.WORK_LIMIT, Status.TIME_LIMIT):
        return first
    left = task.work.left
    found = both(first, search(tolerance=_tolerance(first, task)))
    took = left - task.work.left
    is_promised = task.settings.epsilon is not None and found.status is Status.WITHIN_TOLERANCE
    if not is_promised or task.work.left < took:
        return found
    best = search()
    return best if best.status is Status.OPTIMAL else both(best, found)


def _first_share(settings: Settings) -> float:
    if settings.epsilon is None:
        return SHARE_FOR_MOST
    is_short = settings.max_terms == 1 and settings.max_rules <= SHORT_RULES
    return SHARE_OF_SHORT if is_short else SHARE_OF_LONG


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
