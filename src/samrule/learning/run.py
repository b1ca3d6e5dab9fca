"""Chooses a strategy, runs it, and makes the model of what came out."""

from dataclasses import replace
from functools import partial

from samrule.checks import Strategy
from samrule.conditions import Conditions
from samrule.learning.a_priori import a_priori
from samrule.learning.alert_search import exact_alerts, progressive_alerts
from samrule.learning.constrained import needs_all_rows
from samrule.learning.cross_validation import cross_validation
from samrule.learning.draw_check import check_classes
from samrule.learning.exact import exact
from samrule.learning.model import FittedRuleList
from samrule.learning.outcome import Outcome
from samrule.learning.planned import planned
from samrule.learning.progressive import progressive
from samrule.learning.sample import RowSupply
from samrule.learning.search_size import check_size, hardness, n_candidate_rules
from samrule.learning.settled_conditions import SettledConditions, settled_conditions
from samrule.learning.table_counts import with_table_counts, with_weighted_counts
from samrule.learning.task import RowsUsed, Task
from samrule.solver import Status

# `auto` searches all rows if rows x conjunctions are no more than this: about two seconds.
AFFORDABLE = 200_000_000
# Each rule beyond five counts as so many times the rows. (It takes longer than that, but when the
# work is spent, all rows have given a better list than samples, and no worse a bound.)
ROWS_PER_RULE = 2
# Where alerts are limited, tables up to this size are searched as a whole, as far as the work goes.
ALERTS_ROWS = 1_000_000
# Tables from this size on have rows enough for a pilot.
PLANNED_ROWS = 2000
# Tables up to this size are scanned for the exact loss of a list; above, validation rows tell.
SCANNED_ROWS = 1_000_000_000


def run_task(task: Task) -> FittedRuleList:
    """Settle the conditions, pick a strategy and run it (docs/theory/certificate.md)."""
    supply = RowSupply(task, partial(check_classes, task))
    draws_samples = task.settings.strategy in ("auto", "progressive")
    settled = settled_conditions(task, supply, ahead=supply.ahead if draws_samples else 0)
    curve = cross_validation(task, supply) if task.chooses_rules else None
    if curve is not None:
        task = replace(task, settings=replace(task.settings, max_rules=curve.max_rules))
    check_size(task, settled.conditions)
    strategy, reason = _chosen(task, settled.conditions)
    task, outcome = _outcome(strategy, task, settled, supply)
    outcome = _really_counted(outcome, task)
    return FittedRuleList(
        rule_list=outcome.rule_list,
        certificate=outcome.certificate,
        trace=outcome.trace,
        conditions=settled.conditions,
        settings=task.settings,
        strategy=strategy,
        reason=reason,
        target=task.target,
        counts=outcome.counts,
        weights=task.weights,
        class_weight=_in_order(task),
        rows_used=RowsUsed(**task.rows_used),
        objective=task.objective,
        alerts=task.alerts,
        constraints=task.constraints,
        cross_validation=curve,
        source=task.source,
    )


def _in_order(task: Task) -> tuple[float, ...] | None:
    if task.class_weight is None:
        return None
    return tuple(task.class_weight[one] for one in task.classes)


def _really_counted(outcome: Outcome, task: Task) -> Outcome:
    """Return the outcome with the table's class counts: rows drawn by weight do not tell them."""
    if task.source.weights is None or outcome.counts == "table":
        return outcome
    if outcome.trace[-1].status is Status.INTERRUPTED:  # After Ctrl-C nobody waits for a scan.
        return replace(outcome, rule_list=with_weighted_counts(outcome.rule_list))
    counted = with_table_counts(outcome.rule_list, task)
    return replace(outcome, rule_list=counted, counts="table")


def _outcome(
    strategy: Strategy, task: Task, settled: SettledConditions, supply: RowSupply
) -> tuple[Task, Outcome]:
    """Return what came out, and the task: where alerts are limited, with the costs found."""
    if strategy == "exact":
        return exact_alerts(task, settled) if task.alerts else (task, exact(task, settled))
    if strategy == "progressive":
        if task.alerts:
            return progressive_alerts(task, settled, supply)
        if task.settings.epsilon is None and task.source.n_rows < PLANNED_ROWS:
            return task, exact(task, settled)
        if _scans(task) and task.source.n_rows >= PLANNED_ROWS:
            return task, planned(task, settled, supply)
        return task, progressive(task, settled, supply, scan=_scans(task))
    assert strategy in ("paper", "tight")
    return task, a_priori(task, settled, supply, strategy)


def _scans(task: Task) -> bool:
    """Whether lists are counted on the whole table.

    Those with a least support must be, and losses that are no errors are known sharply only then.
    So they are where the best is asked for that can be proven.
    """
    asks_for_scan = task.settings.min_support > 0 or not task.objective.is_error
    asks_for_scan |= task.settings.epsilon is None
    return task.source.n_rows <= SCANNED_ROWS or asks_for_scan


def _chosen(task: Task, conditions: Conditions) -> tuple[Strategy, str]:
    """Return the strategy, and why: by the size of the table alone, so that runs can be repeated.

    Solving time is about rows x conjunctions; memory is less than that in bytes.
    """
    if task.settings.strategy != "auto":
        return task.settings.strategy, "it was asked for"
    candidates = n_candidate_rules(task.settings, conditions)
    size = f"{task.source.n_rows:,} rows x {candidates:,} candidate rules"
    if task.objective.is_f1:
        return "exact", "F1 is no mean over rows, so only all rows prove anything about it"
    if needs_all_rows(task.settings, task.constraints):
        return "exact", "whether a list obeys and its rules decide enough, only all rows tell"
    if task.alerts is not None and task.source.n_rows <= ALERTS_ROWS:
        return "exact", f"alerts are counted on every row, and {task.source.n_rows:,} can be"
    effort = task.source.n_rows * max(candidates, 1) * hardness(task.settings, ROWS_PER_RULE)
    if effort <= AFFORDABLE:
        return "exact", f"{size} can be searched as a whole"
    return (
        "progressive",
        f"{size} are too many to search as a whole, so growing samples are searched instead",
    )
