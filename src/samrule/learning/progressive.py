"""Samples that grow until two bounds prove the list good enough (docs/theory/schedule.md)."""

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any

from samrule.learning.draw_check import check_list
from samrule.learning.exact import exact
from samrule.learning.min_support import Counted, counted_on_table, delta_left, threshold
from samrule.learning.outcome import Counts, Outcome, stage_result
from samrule.learning.promise import (
    accuracy,
    class_of_lists,
    how_drawn,
    is_enough,
    log_n_lists,
    promise,
)
from samrule.learning.sample import RowSupply, joined
from samrule.learning.search import search_rows
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.stage import StageResult
from samrule.learning.table_counts import loss_on, table_loss, validated
from samrule.learning.task import Task
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.sources.draw import Draw
from samrule.theory import (
    Certificate,
    Schedule,
    Shares,
    Stage,
    certify,
    combine,
    loss_lower_bound,
    progressive_schedule,
)
from samrule.theory.rounding import round_down

# Validation rows per training row, where the table is not scanned.
VALIDATION_RATIO = 4.0

# Of the time and the work left, what one search may use if stages with more rows are to come:
# better a good list with a weak bound than the best one of few rows.
STAGE_SHARE = 1 / 3

# Held back for a run that Ctrl-C ends before its list was checked: rows, and a share of delta.
CUT_SHORT_ROWS = 2000
CUT_SHORT_SHARE = 1 / 64


def progressive(
    task: Task, settled: SettledConditions, supply: RowSupply, *, scan: bool
) -> Outcome:
    """Search growing samples until two bounds prove the list good enough."""
    delta = round_down(task.settings.delta * (1 - CUT_SHORT_SHARE))
    schedule = progressive_schedule(
        **class_of_lists(task.settings, settled.conditions, task.classes, task.constraints),
        **accuracy(task.settings) | {"delta": delta_left(task, delta)},
        validation_ratio=0.0 if scan else VALIDATION_RATIO,
    )
    held_back = supply.take(CUT_SHORT_ROWS, ahead=supply.ahead)
    done: list[_Done] = []
    latest: _Searched | None = None
    awaited = 0
    try:
        for number, stage in enumerate(schedule.stages):
            if stage.train_rows >= task.source.n_rows:
                # The table has no more rows than this stage would draw, and they prove more.
                earlier = None if latest is None else latest.solution.rule_list
                rest = exact(task, settled, earlier=earlier)
                return replace(rest, trace=(*_trace(done), *rest.trace))
            if number < awaited:
                continue
            place = _Place(schedule, number, certified=_certified_so_far(done))
            latest = _searched(task, settled, supply, place, latest)
            solution = latest.solution
            stopped = solution.status is Status.INTERRUPTED or task.deadline.passed
            expected = _expected_loss(solution, supply if scan else None, task)
            is_hopeless = _is_hopeless(solution.lower_bound, expected, stage, task)
            if is_hopeless and not (stopped or latest.place.is_last):
                done.append(_Done(latest))
                awaited = _next_to_search(latest, task)
                continue
            done.append(_checked(task, settled, supply, latest, held_back, scan=scan))
            if stopped or _combined(done).certificate.holds:
                break
    except KeyboardInterrupt:
        # Outside the search, while rows are read: what was found before is kept.
        if latest is None:
            raise
        done = _cut_short(task, settled, done, latest, held_back)
    best = _combined(done)
    return Outcome(best.rule_list, best.certificate, _trace(done), best.counts)


@dataclass(frozen=True, slots=True)
class _Place:
    """Which stage of a schedule this is, and the epsilon that those before it prove."""

    schedule: Schedule
    number: int
    certified: float | None

    @property
    def stage(self) -> Stage:
        return self.schedule.stages[self.number]

    @property
    def is_last(self) -> bool:
        return self.number == len(self.schedule.stages) - 1

    @property
    def shown(self) -> dict[str, Any]:
        return {"stage": self.number + 1, "n_stages": len(self.schedule.stages)}


@dataclass(frozen=True, slots=True)
class _Searched:
    """The rows of a stage and the best list on them; one value, so that Ctrl-C never splits it."""

    place: _Place
    rows: Draw
    solution: Solution
    started: float


@dataclass(frozen=True, slots=True)
class _Proven:
    """A list, what is proven about it, and where its class counts come from."""

    rule_list: RuleList
    certificate: Certificate
    counts: Counts


@dataclass(frozen=True, slots=True)
class _Done:
    """A stage at its end: what was searched, and if its list was checked, how and with what."""

    searched: _Searched
    upper: dict[str, Any] = field(default_factory=dict)
    proven: _Proven | None = None
    ended: float = field(default_factory=time.perf_counter)


def _searched(
    task: Task,
    settled: SettledConditions,
    supply: RowSupply,
    place: _Place,
    latest: _Searched | None,
) -> _Searched:
    """Add fresh rows to those of the latest stage, and find the best list on them."""
    started, n_rows = time.perf_counter(), place.stage.train_rows
    task.report("drawing", n_rows, **place.shown)
    rows = _grown(None if latest is None else latest.rows, n_rows, supply)
    share = 1.0 if place.is_last else STAGE_SHARE
    solution = search_rows(
        task,
        settled.conditions,
        rows.table,
        **place.shown,
        share=share,
        min_support=threshold(task, n_rows, len(place.schedule.stages)),
        certified=place.certified,
    )
    if latest is not None and solution.status is not Status.OPTIMAL:
        solution = _better(solution, latest.solution.rule_list, rows, task)
    return _Searched(place, rows, solution, started)


def _better(solution: Solution, earlier: RuleList, rows: Draw, task: Task) -> Solution:
    """Return what an unfinished search found, or the earlier list if that does better here."""
    loss = loss_on(earlier, rows.table, task)
    if loss >= solution.loss:
        return solution
    return replace(solution, rule_list=earlier, loss=loss)


def _expected_loss(solution: Solution, supply: RowSupply | None, task: Task) -> float:
    """Return an estimate of a list's loss on the table: its loss on rows not used yet.

    On the rows that it was chosen for, a list looks better than it is. If lists are checked by a
    scan, later rows may be looked at: what they prove as training rows, they prove of all lists at
    once. Validation rows must not be looked at before; then there is no supply here.
    """
    waiting = None if supply is None else supply.waiting
    if not waiting:
        return solution.loss
    return loss_on(solution.rule_list, waiting.table, task)


def _is_hopeless(proven: float, expected: float, stage: Stage, task: Task) -> bool:
    """Whether no certificate would follow if the list had the expected loss on the table.

    `proven` is the lower bound on the least loss of the stage's rows. If so, a scan would be in
    vain. Nothing that is proven rests on this guess.
    """
    settings = task.settings
    lower = loss_lower_bound(
        proven,
        n_rows=stage.train_rows,
        delta=stage.shares.lower,
        max_rules=settings.max_rules,
        regularization=0.0,  # Five times as quick, and near enough for a guess.
        loss_name=task.objective.loss_name,
        n_classes=max(2, len(task.classes)),
    )
    return not is_enough(settings, loss=expected, lower=lower)


def _next_to_search(searched: _Searched, task: Task) -> int:
    """Return the number of the next stage worth a search.

    Any stage may be left out, as each has its own share of delta. Suppose that the least loss stays
    what it is here: then some stage is the first that could end in a certificate. The one before it
    is returned, because lists look better on few rows than on many, and greater losses need fewer
    rows.
    """
    stages, now = searched.place.schedule.stages, searched.place.number
    loss = searched.solution.loss
    promising = (
        number
        for number in range(now + 1, len(stages))
        if not _is_hopeless(loss, loss, stages[number], task)
    )
    return max(now + 1, next(promising, len(stages)) - 1)


def _checked(
    task: Task,
    settled: SettledConditions,
    supply: RowSupply,
    searched: _Searched,
    held_back: Draw,
    *,
    scan: bool,
) -> _Done:
    """See how good the list of a stage is: on the whole table, or on fresh rows."""
    place, rule_list = searched.place, searched.solution.rule_list
    if scan:
        task.report("scanning", task.source.n_rows, **place.shown)
        counted = counted_on_table(rule_list, task)
        check_list(task, counted.rule_list, searched.rows, log_n_lists(task, settled.conditions))
        # No list was learned from the rows held back: they meet only one list per stage.
        check_list(task, counted.rule_list, held_back, math.log(len(place.schedule.stages)))
        upper = {"table_loss": table_loss(counted.rule_list, task)}
        return _certified(task, settled, searched, counted, upper=upper)
    # Fresh rows for every stage: no earlier list was chosen by looking at them.
    fresh = supply.take(place.stage.validation_rows)
    found = Counted(rule_list, is_whole=True)
    return _certified(task, settled, searched, found, upper=validated(rule_list, fresh, task))


def _cut_short(
    task: Task, settled: SettledConditions, done: list[_Done], latest: _Searched, held_back: Draw
) -> list[_Done]:
    """Return the stages of a run that ended outside a search, the last of them marked so.

    If no list was checked, the last one is, on the rows held back: no other list ever meets them,
    so one share of delta, whatever the stage, pays for what they say.
    """
    *before, last = done if done and done[-1].searched is latest else [*done, _Done(latest)]
    solution = replace(latest.solution, status=Status.INTERRUPTED)
    last = replace(last, searched=replace(latest, solution=solution))
    if any(one.proven for one in (*before, last)):
        return [*before, last]
    shares = replace(latest.place.stage.shares, upper=CUT_SHORT_SHARE * task.settings.delta)
    upper = validated(solution.rule_list, held_back, task)
    # Whether its rules decide as much of the table as they must is not known.
    unseen = Counted(solution.rule_list, is_whole=not task.settings.min_support)
    return [
        *before,
        _certified(task, settled, last.searched, unseen, upper=upper, shares=shares),
    ]


def _certified(
    task: Task,
    settled: SettledConditions,
    searched: _Searched,
    found: Counted,
    *,
    upper: dict[str, Any],
    shares: Shares | None = None,
) -> _Done:
    """Return the stage with what is proven about its list."""
    place, solution = searched.place, searched.solution
    # The a-priori argument is about the list as it was found, before rules were taken out, and
    # about its errors.
    by_size = place.is_last and found.is_whole and task.objective.is_error
    certificate = certify(
        **promise(task),
        **upper,
        n_rules=solution.rule_list.n_rules,
        train_rows=place.stage.train_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.loss if by_size else None,
        a_priori_rows=place.schedule.a_priori_rows if by_size else None,
        pilot_rows=settled.pilot_rows,
        drawn=how_drawn(task),
        shares=shares or place.stage.shares,
    )
    counts: Counts = "table" if "table_loss" in upper else "sample"
    return _Done(searched, upper, _Proven(found.rule_list, certificate, counts))


def _certified_so_far(done: list[_Done]) -> float | None:
    """Return the epsilon that the stages done prove; None if none of their lists was checked."""
    if not any(one.proven for one in done):
        return None
    return _combined(done).certificate.achieved_epsilon


def _combined(done: list[_Done]) -> _Proven:
    """Return the list that all stages together say most about."""
    proven = [one.proven for one in done if one.proven is not None]
    certificate = combine([one.certificate for one in proven])
    best = min(proven, key=lambda one: one.certificate.upper_bound)
    # The a-priori argument speaks of the last list alone.
    chosen = proven[-1] if certificate.argument == "a_priori" else best
    return replace(chosen, certificate=certificate)


def _trace(done: list[_Done]) -> tuple[StageResult, ...]:
    return tuple(
        stage_result(
            one.searched.solution,
            one.searched.rows.table,
            one.ended - one.searched.started,
            **one.upper,
        )
        for one in done
    )


def _grown(rows: Draw | None, n_rows: int, supply: RowSupply) -> Draw:
    """Add fresh rows to those of the stage before: samples may be nested."""
    if rows is None:
        return supply.take(n_rows, ahead=supply.ahead)
    more = n_rows - len(rows)
    return joined(rows, supply.take(more, ahead=more))
