"""How many rows will prove the pilot's list: an estimate, from the pilot rows and the table alone.

Nothing that is proven rests on it: a bad plan costs rows. But it must not look at rows that are
learned from later, for sizes, weights and shares of delta are to be fixed before those are drawn.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from samrule.learning.promise import accuracy, class_of_lists
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.task import Task
from samrule.theory import PairedWeights, Schedule, loss_lower_bound, planned_schedule
from samrule.theory.schedule import PLANNED_SHARE

# Rows of the smallest stage, how exactly sizes are planned, and the share of the table above which
# all of it is searched instead.
FEWEST_ROWS, ROUGHNESS, MOST_SHARE = 200, 0.03, 0.5
# Stages in reserve: how many, and how much larger each is than the one before.
RESERVES, RESERVE_GROWTH = 2, 2
# The loss on a sample is taken for so many standard deviations less than expected: nine of ten
# plans should then hold.
DEVIATIONS = 1.2
# Near-optimal lists are never taken to disagree on fewer rows than this.
LEAST_DISAGREEMENT = 0.01


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the pilot rows tell about samples to come.

    Parameters
    ----------
    loss
        The loss of the pilot's list on the table.
    regret
        How much better the best list of a part of the pilot rows is on that part than the pilot's
        list, in the mean.
    disagreement
        The share of rows on which the two disagree, in the mean.
    parts, part_rows
        How many parts there were, of how many rows.
    penalties
        By how much the pilot's rows, weighted so, make some list look better than the pilot's list
        though it is not: what the weights cost beside chance. Empty if rows are not to be weighted.
    """

    loss: float
    regret: float
    disagreement: float
    parts: int
    part_rows: int
    penalties: Mapping[PairedWeights, float]

    @property
    def attainable_loss(self) -> float:
        """About the loss on the table of the best list of all rows in memory."""
        return self.loss - self.regret / 2

    def optimism(self, n_rows: int) -> float:
        """Return how much less the least loss of so many rows is than that of the table.

        It falls with the root of the rows: o(m) = a / sqrt(m). The pilot's list is the best of the
        whole pilot, so the regret is o(part) - o(pilot), which is o(part) (1 - 1 / sqrt(parts)).
        """
        of_part = self.regret / (1 - 1 / math.sqrt(self.parts))
        return of_part * math.sqrt(self.part_rows / n_rows)


def plan(task: Task, settled: SettledConditions, outlook: Outlook, delta: float) -> Schedule | None:
    """Return the stages of a run that should prove the pilot's list; None for the whole table."""
    most_rows = math.floor(MOST_SHARE * task.source.n_rows)
    n_rows = _planned_rows(task, outlook, PLANNED_SHARE * delta, most_rows)
    if n_rows is None:
        return None
    sizes = [n_rows * RESERVE_GROWTH**place for place in range(RESERVES + 1)]
    reserve = (1 - PLANNED_SHARE) * delta / (RESERVES + 1)
    shares = [PLANNED_SHARE * delta, *[reserve] * RESERVES]
    return planned_schedule(
        **class_of_lists(task.settings, settled.conditions, task.classes),
        **accuracy(task.settings) | {"delta": delta},
        planned=[
            (size, _best(task, outlook, size, share)[1])
            for size, share in zip(sizes, shares, strict=True)
        ],
        most_rows=most_rows,
    )


def _planned_rows(task: Task, outlook: Outlook, delta: float, most_rows: int) -> int | None:
    """Return the least number of rows expected to do; None if it is more than `most_rows`."""
    settings = task.settings

    def should_do(n_rows: int) -> bool:
        lower, _ = _best(task, outlook, n_rows, delta)
        return outlook.attainable_loss <= lower + settings.epsilon * max(lower, settings.theta)

    if most_rows < FEWEST_ROWS or not should_do(most_rows):
        return None
    if should_do(FEWEST_ROWS):
        return FEWEST_ROWS
    too_few, enough = FEWEST_ROWS, most_rows
    while enough - too_few > max(1, ROUGHNESS * too_few):
        middle = max(too_few + 1, math.isqrt(too_few * enough))
        too_few, enough = (too_few, middle) if should_do(middle) else (middle, enough)
    return enough


def _best(
    task: Task, outlook: Outlook, n_rows: int, delta: float
) -> tuple[float, PairedWeights | None]:
    """Return about the best lower bound that so many rows will prove, and with which weights."""
    plain = _expected_plain(task, outlook, n_rows, delta)
    found: tuple[float, PairedWeights | None] = (plain, None)
    for weights, penalty in outlook.penalties.items():
        varying = max(outlook.disagreement, LEAST_DISAGREEMENT)
        chance = -math.log(delta) / (n_rows * weights.slope)
        paired = outlook.loss - _shortfall(outlook, varying, n_rows) - penalty - chance
        found = max(found, (paired, weights), key=lambda one: one[0])
    return found


def _expected_plain(task: Task, outlook: Outlook, n_rows: int, delta: float) -> float:
    seen = outlook.loss - _shortfall(outlook, outlook.loss * (1 - outlook.loss), n_rows)
    return loss_lower_bound(
        min(1.0, max(0.0, seen)),
        n_rows=n_rows,
        delta=delta,
        max_rules=task.settings.max_rules,
        regularization=0.0,  # Five times as quick, and near enough for a guess.
        loss_name=task.objective.loss_name,
        n_classes=max(2, len(task.classes)),
    )


def _shortfall(outlook: Outlook, variance: float, n_rows: int) -> float:
    """Return how far below the table's loss the sample's may be, with some bad luck."""
    return outlook.optimism(n_rows) + DEVIATIONS * math.sqrt(max(variance, 0.0) / n_rows)
