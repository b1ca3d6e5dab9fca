"""Ways to a list and its certificate: all rows, a size fixed beforehand, or growing samples."""

import time
from dataclasses import dataclass, replace
from typing import Any, Literal

from samrule.errors import InputError
from samrule.learning.rows import (
    FIRST_ROWS,
    Questions,
    Reservoir,
    counted_on_table,
    joined,
    n_errors,
    row_weights,
    solved,
    table_loss,
    whole_table,
)
from samrule.learning.task import Task
from samrule.learning.trace import StageResult
from samrule.problem import TOTAL_WEIGHT_LIMIT
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.sources.base import Draw
from samrule.theory import (
    Certificate,
    Schedule,
    Stage,
    certify,
    combine,
    log_n_rule_lists,
    loss_lower_bound,
    progressive_schedule,
    sample_size,
)
from samrule.theory.certificate import Drawn
from samrule.theory.sample_size import Method

# Where the class counts of a list's rules come from.
Counts = Literal["table", "sample"]

# Validation rows per training row, where the table is not scanned.
VALIDATION_RATIO = 4.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A list, what is proven about it, and how it came about."""

    rule_list: RuleList
    certificate: Certificate
    trace: tuple[StageResult, ...]
    counts: Counts


def exact(task: Task, asked: Questions) -> Outcome:
    """Search all rows: what is proven is certain (E3)."""
    started = time.perf_counter()
    source = task.source
    if source.n_rows >= TOTAL_WEIGHT_LIMIT:
        raise InputError(
            f"{source.name} has {source.n_rows:,} rows; an exact search takes fewer than "
            f"{TOTAL_WEIGHT_LIMIT:,}.",
            hint="use strategy='progressive', which needs a sample only.",
        )
    task.report("reading", source.n_rows)
    rows = whole_table(source, asked.columns)
    weights = None if source.weights is None else row_weights(rows, source.weights)
    solution = solved(task, asked.conditions, rows, weights=weights)
    certificate = certify(
        **_promise(task),
        n_rules=solution.rule_list.n_rules,
        train_rows=rows.num_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.objective,
        pilot_rows=asked.pilot_rows,
        drawn="whole_table",
    )
    stage = _stage_result(solution, rows, started, table_loss=solution.objective)
    return Outcome(solution.rule_list, certificate, (stage,), "table")


def fixed(task: Task, asked: Questions, reservoir: Reservoir, method: Method) -> Outcome:
    """Search as many rows as guarantee beforehand that their best list is near-optimal (A6, C)."""
    started = time.perf_counter()
    n_rows = sample_size(**_class_of_lists(task, asked), **_accuracy(task), method=method)
    task.report("drawing", n_rows)
    rows = reservoir.take(n_rows).table
    solution = solved(task, asked.conditions, rows)
    certificate = certify(
        **_promise(task),
        n_rules=solution.rule_list.n_rules,
        train_rows=n_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.objective,
        log_n_lists=log_n_rule_lists(
            asked.conditions.n_conjunctions(_max_terms(task, asked)),
            max_rules=task.settings.max_rules,
            n_classes=len(task.classes),
        ),
        a_priori_rows=n_rows,
        pilot_rows=asked.pilot_rows,
        drawn=_drawn(task),
    )
    stage = _stage_result(solution, rows, started)
    return Outcome(solution.rule_list, certificate, (stage,), "sample")


def progressive(task: Task, asked: Questions, reservoir: Reservoir, *, scan: bool) -> Outcome:
    """Search growing samples, and stop as soon as two bounds prove the list good enough (D)."""
    schedule = progressive_schedule(
        **_class_of_lists(task, asked),
        **_accuracy(task),
        validation_ratio=0.0 if scan else VALIDATION_RATIO,
    )
    proven: list[_Proven] = []
    trace: list[StageResult] = []
    latest: _Searched | None = None
    for number, stage in enumerate(schedule.stages):
        if stage.train_rows >= task.source.n_rows:
            # All rows are fewer, and prove more.
            rest = exact(task, asked)
            return replace(rest, trace=(*trace, *rest.trace))
        started = time.perf_counter()
        try:
            latest = _searched(task, asked, reservoir, _Place(schedule, number), latest)
        except KeyboardInterrupt:
            # Ctrl-C outside the search, while rows are read: the latest stage was the last.
            if latest is None:
                raise
            if latest.place.number < len(trace) and trace[-1].is_checked:
                trace[-1] = replace(trace[-1], status=Status.INTERRUPTED)
                break
            del trace[latest.place.number :]
            latest = replace(latest, solution=replace(latest.solution, status=Status.INTERRUPTED))
        place, rows, solution = latest.place, latest.rows.table, latest.solution
        stopped = solution.status is not Status.OPTIMAL or task.deadline.passed
        if not (stopped or place.is_last) and _is_hopeless(solution, stage, task):
            trace.append(_stage_result(solution, rows, started))
            continue
        rule_list, upper = _upper_side(task, solution.rule_list, reservoir, place, scan=scan)
        certificate = _stage_certificate(task, asked, solution, place, upper)
        trace.append(_stage_result(solution, rows, started, **upper))
        proven.append(_Proven(rule_list, certificate))
        best = _combined(proven)
        if best.certificate.holds or stopped:
            break
    return Outcome(best.rule_list, best.certificate, tuple(trace), "table" if scan else "sample")


@dataclass(frozen=True, slots=True)
class _Place:
    """Which stage of a schedule this is."""

    schedule: Schedule
    number: int

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


@dataclass(frozen=True, slots=True)
class _Proven:
    """A list and what is proven about it."""

    rule_list: RuleList
    certificate: Certificate


def _searched(
    task: Task, asked: Questions, reservoir: Reservoir, place: _Place, latest: _Searched | None
) -> _Searched:
    """Add fresh rows to those of the latest stage, and find the best list on them."""
    n_rows = place.stage.train_rows
    task.report("drawing", n_rows, **place.shown)
    rows = _grown(None if latest is None else latest.rows, n_rows, reservoir)
    return _Searched(place, rows, solved(task, asked.conditions, rows.table, **place.shown))


def _is_hopeless(solution: Solution, stage: Stage, task: Task) -> bool:
    """Whether no certificate would follow even if the list did as well on the table as here.

    It was chosen for these rows and will hardly do better elsewhere, so looking is not worth a
    scan. Nothing that is proven rests on this guess.
    """
    settings = task.settings
    lower = loss_lower_bound(
        solution.lower_bound,
        n_rows=stage.train_rows,
        delta=stage.shares.lower,
        max_rules=settings.max_rules,
        regularization=settings.regularization,
    )
    return solution.objective > lower + settings.epsilon * max(lower, settings.theta)


def _upper_side(
    task: Task, rule_list: RuleList, reservoir: Reservoir, place: _Place, *, scan: bool
) -> tuple[RuleList, dict[str, Any]]:
    """Return the list, with the table's class counts if scanned, and what bounds its loss."""
    if scan:
        task.report("scanning", task.source.n_rows, **place.shown)
        counted = counted_on_table(rule_list, task)
        return counted, {"table_loss": table_loss(counted, task)}
    # Fresh rows for every stage: no earlier list was chosen by looking at them.
    n_rows = place.stage.validation_rows
    fresh = reservoir.take(n_rows).table
    return rule_list, {
        "validation_rows": n_rows,
        "validation_errors": n_errors(rule_list, fresh, task),
    }


def _stage_certificate(
    task: Task, asked: Questions, solution: Solution, place: _Place, upper: dict[str, Any]
) -> Certificate:
    return certify(
        **_promise(task),
        **upper,
        n_rules=solution.rule_list.n_rules,
        train_rows=place.stage.train_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.objective if place.is_last else None,
        a_priori_rows=place.schedule.a_priori_rows if place.is_last else None,
        pilot_rows=asked.pilot_rows,
        drawn=_drawn(task),
        shares=place.stage.shares,
    )


def _combined(proven: list[_Proven]) -> _Proven:
    """Return the list that all stages together say most about."""
    certificate = combine([one.certificate for one in proven])
    best = min(proven, key=lambda one: one.certificate.upper_bound)
    # What was known before the draw speaks of the last list alone.
    chosen = proven[-1] if certificate.argument == "a_priori" else best
    return _Proven(chosen.rule_list, certificate)


def _grown(rows: Draw | None, n_rows: int, reservoir: Reservoir) -> Draw:
    """Add fresh rows to those of the stage before: samples may be nested."""
    if rows is None:
        return reservoir.take(n_rows, ahead=FIRST_ROWS)
    more = n_rows - len(rows)
    return joined(rows, reservoir.take(more, ahead=more))


def _promise(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {
        **_accuracy(task),
        "max_rules": settings.max_rules,
        "regularization": settings.regularization,
    }


def _class_of_lists(task: Task, asked: Questions) -> dict[str, Any]:
    max_terms = _max_terms(task, asked)
    return {
        "n_conditions": len(asked.conditions),
        "max_rules": task.settings.max_rules,
        "max_terms": max_terms,
        "n_classes": len(task.classes),
        "regularization": task.settings.regularization,
        "n_conjunctions": asked.conditions.n_conjunctions(max_terms),
    }


def _accuracy(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {"epsilon": settings.epsilon, "theta": settings.theta, "delta": settings.delta}


def _max_terms(task: Task, asked: Questions) -> int:
    return min(task.settings.max_terms, len(asked.conditions))


def _drawn(task: Task) -> Drawn:
    return "with_replacement" if task.source.weights is None else "by_weight"


def _stage_result(solution: Solution, rows: Any, started: float, **upper: Any) -> StageResult:
    return StageResult(
        rows=rows.num_rows,
        n_rules=solution.rule_list.n_rules,
        loss=solution.objective,
        lower_bound=solution.lower_bound,
        status=solution.status,
        path=solution.path,
        seconds=time.perf_counter() - started,
        **upper,
    )
