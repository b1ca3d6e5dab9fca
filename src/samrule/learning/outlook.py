"""What the pilot rows tell about samples to come, measured by searching parts of them.

These searches only tell how to plan: they need good lists, no proofs.
"""

import math
from dataclasses import replace
from statistics import mean

import numpy as np

from samrule.learning.min_support import threshold
from samrule.learning.paired_search import Comparison
from samrule.learning.plan import FEWEST_ROWS, Outlook, planned_rows
from samrule.learning.search import PackedRows, search_rows
from samrule.learning.search_size import is_large
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.table_counts import loss_on, predicted_places
from samrule.learning.task import Task
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.sources.draw import Draw
from samrule.theory import Paired, PairedWeights
from samrule.theory.schedule import PLANNED_SHARE

# What a search that tells how to plan may take, in operations, and of the time and the work left;
# and how near the best its list must be for certain: not at all, if rules are few single
# conditions, for then it is mostly the best that a search starts from.
PLANNING_WORK, PLANNING_SHARE = 1e8, 1 / 4
TOLERANCE, LARGE_TOLERANCE = 1.0, 0.01
# The pilot rows are searched in so many parts.
PARTS = 4
# Weights of rows that the reference gets right; one more for those that it gets wrong. What weights
# nearer to each other cost is guessed from the last.
TRIED_WEIGHTS, GUESSED_WEIGHTS = (4, 8), (16, 32, 64)
# Where so few rows should do, searches for the plan would cost more than they save. The best list
# of few rows looks better than it is: that takes so many times the rows that a single list would.
WORTH_A_LOOK, LIST_CHANCE = 1300, 1.6


def seen_on_pilot(
    task: Task,
    settled: SettledConditions,
    pilot: Draw,
    prepared: PackedRows,
    first: Solution,
) -> Outlook:
    """Search parts of the pilot rows, and see how much their best lists differ from its own list.

    Where few rows should do in any case, nothing is searched for that.
    """
    own = first.rule_list
    few = _few_rows(task, len(pilot), first.loss)
    if few is not None:
        return Outlook(first.loss, 0.0, 0.0, 1, len(pilot), {}, enough_rows=few)
    n_rows = max(1, len(pilot) // PARTS)
    places = predicted_places(own, pilot.table, task)
    regrets, disagreements = [], []
    for place, part in enumerate(pilot.split(*[n_rows] * PARTS)):
        rows = prepared.part(place * n_rows, (place + 1) * n_rows)
        found = _searched(task, settled, part, rows)
        _end_if_interrupted(found)
        regrets.append(max(0.0, loss_on(own, part.table, task) - found.loss))
        others = predicted_places(found.rule_list, pilot.table, task)
        disagreements.append(float(np.mean(others != places)))
    penalties = _penalties(task, settled, pilot, prepared, own) if task.objective.is_error else {}
    seen = Outlook(first.loss, mean(regrets), mean(disagreements), n_rows, len(pilot), penalties)
    # The list is the best of the pilot rows, which look better for it than the table is.
    return replace(seen, loss=first.loss + seen.optimism(len(pilot)))


def _few_rows(task: Task, pilot_rows: int, loss: float) -> int | None:
    """Return how many rows should do if they are few; None if they are many, or too many."""
    lucky, delta = Outlook(loss, 0.0, 0.0, 1, pilot_rows, {}), PLANNED_SHARE * task.settings.delta
    few = min(task.source.n_rows - 1, math.floor(WORTH_A_LOOK / LIST_CHANCE))
    if planned_rows(task, lucky, delta, few) is None:  # Mostly; and seen at once.
        return None
    enough = planned_rows(task, lucky, delta)
    if enough == FEWEST_ROWS:
        return enough
    if enough is None or LIST_CHANCE * enough >= WORTH_A_LOOK:
        return None
    return math.ceil(LIST_CHANCE * enough)


def _searched(task: Task, settled: SettledConditions, rows: Draw, prepared: PackedRows) -> Solution:
    return search_rows(
        task,
        settled.conditions,
        rows.table,
        share=PLANNING_SHARE,
        most_work=PLANNING_WORK,
        tolerance=_tolerance(task),
        min_support=threshold(task, len(rows)),
        prepared=prepared,
    )


def _tolerance(task: Task) -> float:
    return LARGE_TOLERANCE if is_large(task.settings) else TOLERANCE


def _penalties(
    task: Task, settled: SettledConditions, pilot: Draw, prepared: PackedRows, own: RuleList
) -> dict[PairedWeights, float]:
    """Return by how much weights let a list look better than the pilot's list on its rows.

    It is a convex function of the slope that is 0 at 0, so half the slope costs at most half.
    """
    found = {}
    for right in TRIED_WEIGHTS:
        weights = PairedWeights(right, right + 1)
        comparison = Comparison(task, settled, pilot, own, weights, prepared=prepared)
        solution = comparison.search(
            share=PLANNING_SHARE,
            most_work=PLANNING_WORK,
            tolerance=_tolerance(task),
            min_support=threshold(task, len(pilot)),
        )
        _end_if_interrupted(solution)
        found[weights] = _penalty(task, pilot, own, solution.loss, comparison.paired)
    for right in GUESSED_WEIGHTS:
        last, cost = next(reversed(found.items()))
        weights = PairedWeights(right, right + 1)
        found[weights] = cost * weights.slope / last.slope
    return found


def _penalty(task: Task, pilot: Draw, own: RuleList, least: float, paired: Paired) -> float:
    """Return how much less than the reference some list has to pay in weighted rows."""
    weights, n_rows = paired.weights, len(pilot)
    spared = weights.wrong * paired.n_wrong - least * weights.total(n_rows, paired.n_wrong)
    own_price = task.settings.regularization * own.n_rules
    return max(0.0, weights.step * spared / (n_rows * weights.slope) + own_price)


def _end_if_interrupted(solution: Solution) -> None:
    """End the run after Ctrl-C in a search that only tells how to plan."""
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
