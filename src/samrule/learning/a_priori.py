"""Strategies "paper" and "tight": search as many rows as a bound asks for, known beforehand."""

import time
from typing import Any

from samrule.checks import Method
from samrule.errors import Parameter, ParameterError, Words
from samrule.learning.min_support import Counted, counted_on_table, delta_left, threshold
from samrule.learning.outcome import Outcome, stage_result
from samrule.learning.promise import accuracy, class_of_lists, how_drawn, log_n_lists, promise
from samrule.learning.sample import RowSupply
from samrule.learning.search import search_rows
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.table_counts import table_loss
from samrule.learning.task import Task
from samrule.theory import Shares, certify, sample_size

# More rows than this are not drawn at once: their numbers alone would take a gigabyte.
MOST_DRAWN_ROWS = 100_000_000


def a_priori(task: Task, settled: SettledConditions, supply: RowSupply, method: Method) -> Outcome:
    """Search as many rows as guarantee a near-optimal list (docs/theory/sample_size.md)."""
    started = time.perf_counter()
    delta = delta_left(task, task.settings.delta)
    lists = class_of_lists(task.settings, settled.conditions, task.classes, task.constraints)
    n_rows = sample_size(**lists, **accuracy(task.settings) | {"delta": delta}, method=method)
    _check_drawable(n_rows, task)
    task.report("drawing", n_rows)
    rows = supply.take(n_rows).table
    solution = search_rows(task, settled.conditions, rows, min_support=threshold(task, n_rows))
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
        log_n_lists=log_n_lists(task, settled.conditions),
        a_priori_rows=n_rows if found.is_whole else None,
        pilot_rows=settled.pilot_rows,
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
