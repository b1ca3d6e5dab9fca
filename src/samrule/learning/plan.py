"""How many rows will prove the pilot's list: an estimate, from the pilot rows and the table alone.

Nothing that is proven rests on it: a bad plan costs rows. But it must not look at rows that are
learned from later, for sizes, weights and shares of delta are to be fixed before those are drawn.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from samrule.learning.promise import accuracy, class_of_lists, draws_row_by_row, is_enough
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.task import Task
from samrule.theory import (
    PairedWeights,
    RowByRow,
    Schedule,
    effort_schedule,
    loss_lower_bound,
    planned_schedule,
)
from samrule.theory.schedule import PLANNED_SHARE

# Rows of the smallest stage, how exactly sizes are planned, and the share of the table above which
# all of it is searched instead: of rows that may repeat, and of rows that do not.
FEWEST_ROWS, ROUGHNESS = 200, 0.03
MOST_SHARE_WITH_REPEATS, MOST_SHARE = 0.5, 0.85
# Stages in reserve: how many, and how many times more than the one before each should prove.
RESERVES, RESERVE_GROWTH = 2, 2
# Of epsilon, what chance may take where searches are hard, and how many rows may be drawn for that.
CHANCE_SHARE, HARD_ROWS = 0.1, 100_000
# Where the best is asked for that can be proven: rows of the first stage, and how many stages there
# are at most, each worth twice the one before.
FIRST_EFFORT, MOST_EFFORTS = 10_000, 12
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
        About the loss of the pilot's list on the table, which was not counted yet.
    regret
        How much better the best list of a part of the pilot rows is on that part than the pilot's
        list, in the mean.
    disagreement
        The share of rows on which the two disagree, in the mean.
    part_rows, pilot_rows
        How many rows a part had, and the whole pilot.
    penalties
        By how much the pilot's rows, weighted so, make some list look better than the pilot's list
        though it is not: what the weights cost beside chance. Empty if rows are not to be weighted.
    enough_rows
        How many rows should do, if they are so few that no more was measured.
    """

    loss: float
    regret: float
    disagreement: float
    part_rows: int
    pilot_rows: int
    penalties: Mapping[PairedWeights, float]
    enough_rows: int | None = None

    @property
    def attainable_loss(self) -> float:
        """About the loss on the table of the best list of all rows in memory."""
        return self.loss - self.regret / 2 * math.sqrt(4 * self.part_rows / self.pilot_rows)

    def optimism(self, n_rows: int) -> float:
        """Return how much less the least loss of so many rows is than that of the table.

        It falls with the root of the rows: o(m) = a / sqrt(m). The pilot's list is the best of the
        whole pilot, so the regret is o(part) - o(pilot).
        """
        of_part = self.regret / (1 - math.sqrt(self.part_rows / self.pilot_rows))
        return of_part * math.sqrt(self.part_rows / n_rows)


def plan(
    task: Task,
    settled: SettledConditions,
    outlook: Outlook,
    delta: float,
    *,
    is_hard: bool = False,
) -> Schedule | None:
    """Return the stages of a run that should prove the pilot's list; None for the whole table.

    Where searches are hard, there are more rows: then less of epsilon goes to chance, and more is
    left as a tolerance for the search.
    """
    most_rows = math.floor(_most_share(task) * task.source.n_rows)
    if is_hard:
        outlook = _for_a_tolerance(task, outlook, delta, most_rows)
    n_rows = outlook.enough_rows or planned_rows(task, outlook, PLANNED_SHARE * delta, most_rows)
    if is_hard:
        n_rows = _rows_for_a_tolerance(task, outlook, delta, n_rows or most_rows, most_rows)
    if n_rows is None or n_rows > most_rows:
        return None
    sizes = [_as_good_as(task, n_rows, RESERVE_GROWTH**place) for place in range(RESERVES + 1)]
    reserve = (1 - PLANNED_SHARE) * delta / (RESERVES + 1)
    shares = [PLANNED_SHARE * delta, *[reserve] * RESERVES]
    return planned_schedule(
        **class_of_lists(task.settings, settled.conditions, task.classes, task.constraints),
        **accuracy(task.settings) | {"delta": delta},
        planned=[
            (size, _best(task, outlook, size, share)[1])
            for size, share in zip(sizes, shares, strict=True)
        ],
        most_rows=most_rows,
        is_hard=is_hard,
    )


def _for_a_tolerance(task: Task, outlook: Outlook, delta: float, most_rows: int) -> Outlook:
    """Return the outlook without weights, where rows need none: those take a part of epsilon."""
    plain = replace(outlook, penalties={})
    enough = planned_rows(_with_less_chance(task), plain, PLANNED_SHARE * delta, most_rows)
    return plain if enough is not None and enough <= HARD_ROWS else outlook


def _rows_for_a_tolerance(
    task: Task, outlook: Outlook, delta: float, enough: int, most_rows: int
) -> int:
    """Return how many rows leave most of epsilon to the search, or as many as are worth it."""
    less = planned_rows(_with_less_chance(task), outlook, PLANNED_SHARE * delta, most_rows)
    return max(enough, min(less or most_rows, HARD_ROWS))


def _with_less_chance(task: Task) -> Task:
    """Return the task as if only a part of epsilon were allowed."""
    assert task.settings.epsilon is not None
    epsilon = CHANCE_SHARE * task.settings.epsilon
    return replace(task, settings=replace(task.settings, epsilon=epsilon))


def effort(task: Task, outlook: Outlook, delta: float) -> Schedule:
    """Return the stages of a run that is to prove as much as it can."""
    most_rows = math.floor(_most_share(task) * task.source.n_rows)
    first = min(FIRST_EFFORT, most_rows)
    sizes = [first]
    while len(sizes) < MOST_EFFORTS and sizes[-1] < most_rows:
        sizes.append(min(most_rows, _as_good_as(task, first, RESERVE_GROWTH ** len(sizes))))
    planned = []
    for place, size in enumerate(sizes, 1):
        share = delta / 2**place
        planned.append((size, _best(task, outlook, size, share)[1]))
    return effort_schedule(planned, delta=delta)


def planned_rows(
    task: Task, outlook: Outlook, delta: float, most_rows: int | None = None
) -> int | None:
    """Return the least number of rows expected to do; None if it is more than `most_rows`."""
    most_rows = task.source.n_rows - 1 if most_rows is None else most_rows

    def should_do(n_rows: int) -> bool:
        loss = outlook.attainable_loss
        bounds = _expected(task, outlook, n_rows, delta)
        return any(is_enough(task.settings, loss=loss, lower=lower) for lower, _ in bounds)

    if most_rows < FEWEST_ROWS or not should_do(most_rows):
        return None
    if should_do(FEWEST_ROWS):
        return FEWEST_ROWS
    too_few, enough = FEWEST_ROWS, most_rows
    while enough - too_few > max(1, ROUGHNESS * too_few):
        middle = max(too_few + 1, math.isqrt(too_few * enough))
        too_few, enough = (too_few, middle) if should_do(middle) else (middle, enough)
    return enough


def _most_share(task: Task) -> float:
    return MOST_SHARE if draws_row_by_row(task) else MOST_SHARE_WITH_REPEATS


def _as_good_as(task: Task, n_rows: int, times: int) -> int:
    """Return how many rows prove as much as so many times these rows, if none repeats."""
    if not draws_row_by_row(task):
        return n_rows * times
    left = _left_to_chance(task, n_rows)
    return math.ceil(times * n_rows / (left + times * (1 - left)))


def _left_to_chance(task: Task, n_rows: int) -> float:
    """Return which part of the variance of independent rows remains."""
    return 1 - n_rows / task.source.n_rows if draws_row_by_row(task) else 1.0


def _best(
    task: Task, outlook: Outlook, n_rows: int, delta: float
) -> tuple[float, PairedWeights | None]:
    """Return about the best lower bound that so many rows will prove, and with which weights."""
    *paired, plain = _expected(task, outlook, n_rows, delta)
    return max([plain, *paired], key=lambda one: one[0])


def _expected(
    task: Task, outlook: Outlook, n_rows: int, delta: float
) -> Iterator[tuple[float, PairedWeights | None]]:
    """Yield about the lower bound that so many rows will prove, with each weights and then without.

    Without them takes the longest to say.
    """
    drawn = None
    if draws_row_by_row(task):
        drawn = RowByRow(n_rows / task.source.n_rows, task.source.n_rows)
    varying = max(outlook.disagreement, LEAST_DISAGREEMENT)
    expected = outlook.loss - _shortfall(task, outlook, varying, n_rows)
    for weights, penalty in outlook.penalties.items():
        _, per_difference = weights.scale(n_rows, drawn)
        yield expected - penalty + math.log(delta) / per_difference, weights
    yield _expected_plain(task, outlook, n_rows, delta), None


def _expected_plain(task: Task, outlook: Outlook, n_rows: int, delta: float) -> float:
    variance = outlook.loss * (1 - outlook.loss)
    seen = outlook.loss - _shortfall(task, outlook, variance, n_rows)
    return loss_lower_bound(
        min(1.0, max(0.0, seen)),
        n_rows=n_rows,
        delta=delta,
        max_rules=task.settings.max_rules,
        regularization=0.0,  # Five times as quick, and near enough for a guess.
        table_rows=task.source.n_rows if draws_row_by_row(task) else None,
        loss_name=task.objective.loss_name,
        n_classes=max(2, len(task.classes)),
    )


def _shortfall(task: Task, outlook: Outlook, variance: float, n_rows: int) -> float:
    """Return how far below the table's loss the sample's may be, with some bad luck."""
    by_chance = outlook.optimism(n_rows) + DEVIATIONS * math.sqrt(max(variance, 0.0) / n_rows)
    return by_chance * math.sqrt(_left_to_chance(task, n_rows))
