"""Ways to a list and its certificate in one search: all rows, or a number fixed beforehand."""

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from samrule.conditions import Conditions
from samrule.errors import InputError, Parameter, ParameterError, Words
from samrule.learning.min_support import Counted, counted_on_table, delta_left, threshold
from samrule.learning.sample import (
    Questions,
    Reservoir,
    row_weights,
    solved,
    table_loss,
    whole_table,
    with_table_counts,
)
from samrule.learning.stage import StageResult
from samrule.learning.task import Settings, Task
from samrule.rules import RuleList
from samrule.solver import Solution
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT
from samrule.theory import (
    Certificate,
    Shares,
    certify,
    log_n_rule_lists,
    sample_size,
)
from samrule.theory.certificate import Drawn
from samrule.theory.sample_size import Method

# More rows than this are not drawn at once: their numbers alone would take a gigabyte.
MOST_DRAWN_ROWS = 100_000_000

# Where the class counts of a list's rules come from.
Counts = Literal["table", "sample"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A list, what is proven about it, and how it came about."""

    rule_list: RuleList
    certificate: Certificate
    trace: tuple[StageResult, ...]
    counts: Counts


def exact(task: Task, asked: Questions) -> Outcome:
    """Search all rows: what is proven is certain (docs/theory/certificate.md)."""
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
    rows = whole_table(task, asked.columns)
    weights = None if source.weights is None else row_weights(rows, source.weights)
    solution = solved(
        task, asked.conditions, rows, weights=weights, min_support=task.settings.min_support
    )
    certificate = certify(
        **promise(task),
        n_rules=solution.rule_list.n_rules,
        train_rows=rows.num_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.loss,
        pilot_rows=asked.pilot_rows,
        drawn="whole_table",
    )
    seconds = time.perf_counter() - started
    stage = stage_result(solution, rows, seconds, table_loss=solution.loss)
    rule_list = solution.rule_list
    if source.weights is not None:
        # Rows without weight took no part in the search, but are there.
        rule_list = with_table_counts(rule_list, task)
    return Outcome(rule_list, certificate, (stage,), "table")


def fixed(task: Task, asked: Questions, reservoir: Reservoir, method: Method) -> Outcome:
    """Search as many rows as guarantee a near-optimal list (docs/theory/sample_size.md)."""
    started = time.perf_counter()
    delta = delta_left(task, task.settings.delta)
    lists = class_of_lists(task.settings, asked.conditions, task.classes)
    n_rows = sample_size(**lists, **accuracy(task.settings) | {"delta": delta}, method=method)
    _check_drawable(n_rows, task)
    task.report("drawing", n_rows)
    rows = reservoir.take(n_rows).table
    solution = solved(task, asked.conditions, rows, min_support=threshold(task, n_rows))
    found = Counted(solution.rule_list, is_whole=True)
    upper: dict[str, Any] = {}
    if task.settings.min_support:
        task.report("scanning", task.source.n_rows)
        found = counted_on_table(solution.rule_list, task)
        upper = {"table_loss": table_loss(found.rule_list, task)}
    certificate = certify(
        **promise(task),
        **upper,
        n_rules=found.rule_list.n_rules,
        train_rows=n_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.loss,
        log_n_lists=log_n_lists(task, asked),
        a_priori_rows=n_rows if found.is_whole else None,
        pilot_rows=asked.pilot_rows,
        drawn=how_drawn(task),
        shares=Shares.split(delta, validated=False, a_priori=True),
    )
    stage = stage_result(solution, rows, time.perf_counter() - started, **upper)
    return Outcome(found.rule_list, certificate, (stage,), "table" if upper else "sample")


def _check_drawable(n_rows: int, task: Task) -> None:
    """Refuse to draw more rows than memory holds, before it is tried."""
    if n_rows <= MOST_DRAWN_ROWS:
        return
    settings = task.settings
    raise ParameterError(
        Words(
            Parameter("epsilon"),
            f" is {settings.epsilon!r} and ",
            Parameter("theta"),
            f" {settings.theta!r}; strategy {settings.strategy!r} would draw {n_rows:,} rows for "
            f"that, expected at most {MOST_DRAWN_ROWS:,}.",
        ),
        hint=Words(
            Parameter("strategy", "progressive"),
            " draws as many as this table needs, and never more than it has; or ask for a larger ",
            Parameter("epsilon"),
            " or ",
            Parameter("theta"),
            ".",
        ),
    )


def promise(task: Task) -> dict[str, Any]:
    """Return what a certificate of this task promises, and about which lists."""
    settings = task.settings
    return {
        **accuracy(settings),
        "max_rules": settings.max_rules,
        "regularization": settings.regularization,
        "weighted": task.source.weights is not None,
    }


def class_of_lists(
    settings: Settings, conditions: Conditions, classes: Sequence[Hashable]
) -> dict[str, Any]:
    """Return what the size of a sample depends on: how many lists there are."""
    max_terms = min(settings.max_terms, len(conditions))
    return {
        "n_conditions": len(conditions),
        "max_rules": settings.max_rules,
        "max_terms": max_terms,
        "n_classes": len(classes),
        "regularization": settings.regularization,
        "n_conjunctions": conditions.n_conjunctions(max_terms),
    }


def log_n_lists(task: Task, asked: Questions) -> float:
    """Return the logarithm of how many lists there are."""
    return log_n_rule_lists(
        asked.conditions.n_conjunctions(min(task.settings.max_terms, len(asked.conditions))),
        max_rules=task.settings.max_rules,
        n_classes=len(task.classes),
    )


def accuracy(settings: Settings) -> dict[str, Any]:
    """Return what was asked for."""
    return {"epsilon": settings.epsilon, "theta": settings.theta, "delta": settings.delta}


def how_drawn(task: Task) -> Drawn:
    """Return how the rows of samples are drawn."""
    return "with_replacement" if task.source.weights is None else "by_weight"


def stage_result(solution: Solution, rows: Any, seconds: float, **upper: Any) -> StageResult:
    """Return a search as the trace tells of it, with what bounds its list from above."""
    return StageResult(
        rows=rows.num_rows,
        n_rules=solution.rule_list.n_rules,
        loss=solution.loss,
        lower_bound=solution.lower_bound,
        status=solution.status,
        path=solution.path,
        seconds=seconds,
        **upper,
    )
