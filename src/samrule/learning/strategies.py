"""Ways to a list and its certificate: all rows, a size fixed beforehand, or growing samples."""

import time
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from samrule.learning.rows import (
    Questions,
    Reservoir,
    counted_on_table,
    n_errors,
    row_weights,
    solved,
    table_loss,
    whole_table,
)
from samrule.learning.task import Task
from samrule.learning.trace import StageResult
from samrule.rules import RuleList
from samrule.solver import Solution, Status
from samrule.theory import (
    Certificate,
    Schedule,
    certify,
    combine,
    log_n_rule_lists,
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
    rows = reservoir.take(n_rows)
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
    attempts: list[_Attempt] = []
    rows = None
    for number in range(len(schedule.stages)):
        n_rows = schedule.stages[number].train_rows
        if n_rows >= task.source.n_rows:
            # All rows are fewer, and prove more.
            rest = exact(task, asked)
            trace = (*(attempt.stage for attempt in attempts), *rest.trace)
            return Outcome(rest.rule_list, rest.certificate, trace, rest.counts)
        rows = _grown(rows, n_rows, reservoir)
        attempts.append(_attempt(task, asked, reservoir, rows, schedule, number, scan=scan))
        certificate = combine([attempt.certificate for attempt in attempts])
        stopped = attempts[-1].stage.status is not Status.OPTIMAL or task.deadline.passed
        if certificate.holds or stopped:
            break
    best = attempts[-1]
    if certificate.argument != "a_priori":
        best = min(attempts, key=lambda attempt: attempt.certificate.upper_bound)
    trace = tuple(attempt.stage for attempt in attempts)
    return Outcome(best.rule_list, certificate, trace, "table" if scan else "sample")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one stage of a progressive run found and proved."""

    rule_list: RuleList
    certificate: Certificate
    stage: StageResult


def _attempt(
    task: Task,
    asked: Questions,
    reservoir: Reservoir,
    rows: Any,
    schedule: Schedule,
    number: int,
    *,
    scan: bool,
) -> _Attempt:
    started = time.perf_counter()
    stage, n_stages = schedule.stages[number], len(schedule.stages)
    solution = solved(task, asked.conditions, rows, stage=number + 1, n_stages=n_stages)
    rule_list = solution.rule_list
    upper: dict[str, Any]
    if scan:
        task.report("scanning", task.source.n_rows, number + 1, n_stages)
        rule_list = counted_on_table(rule_list, task)
        upper = {"table_loss": table_loss(rule_list, task)}
    else:
        # Fresh rows for every stage: no earlier list was chosen by looking at them.
        fresh = reservoir.take(stage.validation_rows)
        upper = {
            "validation_rows": stage.validation_rows,
            "validation_errors": n_errors(rule_list, fresh, task),
        }
    last = number == n_stages - 1
    certificate = certify(
        **_promise(task),
        n_rules=rule_list.n_rules,
        train_rows=rows.num_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.objective if last else None,
        a_priori_rows=schedule.a_priori_rows if last else None,
        pilot_rows=asked.pilot_rows,
        drawn=_drawn(task),
        shares=stage.shares,
        **upper,
    )
    return _Attempt(rule_list, certificate, _stage_result(solution, rows, started, **upper))


def _grown(rows: Any, n_rows: int, reservoir: Reservoir) -> Any:
    """Add fresh rows to those of the stage before: samples may be nested."""
    if rows is None:
        return reservoir.take(n_rows)
    more = n_rows - rows.num_rows
    return pa.concat_tables([rows, reservoir.take(more, ahead=more)])


def _promise(task: Task) -> dict[str, Any]:
    settings = task.settings
    return {
        "epsilon": settings.epsilon,
        "theta": settings.theta,
        "delta": settings.delta,
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


def _accuracy(task: Task) -> dict[str, float]:
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
