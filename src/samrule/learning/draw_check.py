"""Rows that were not drawn as they should be: an error, never a certificate.

Both checks cost next to nothing, for what they compare with is counted on the table anyway.
"""

import math

import numpy as np

from samrule.errors import InputError
from samrule.learning.search import class_places
from samrule.learning.table_counts import n_errors
from samrule.learning.task import Task
from samrule.rules import RuleList
from samrule.sources.draw import Draw
from samrule.theory import is_plausible_draw

# A right draw is taken for a broken one in one check out of so many, at most.
FALSE_ALARM = 1e-9


def check_classes(task: Task, drawn: Draw) -> None:
    """Raise if rows drawn and table differ in the shares of the classes.

    A list that always predicts one class errs on the rows of the others, and how many there are in
    the table was counted before.
    """
    n_rows, n_classes = len(drawn), len(task.classes)
    counts = np.bincount(class_places(drawn.table[task.target], task), minlength=n_classes)
    for label, count in zip(task.classes, counts.tolist(), strict=True):
        _check(
            task,
            what=f"class {label!r} makes up",
            on_rows=count / max(n_rows, 1),
            on_table=task.class_shares[label],
            n_rows=n_rows,
            log_n_lists=math.log(n_classes),
        )


def check_list(task: Task, rule_list: RuleList, drawn: Draw, log_n_lists: float) -> None:
    """Raise if a list, counted on the table, does not do there about as on the rows drawn."""
    n_rows = len(drawn)
    _check(
        task,
        what="the list's errors make up",
        on_rows=n_errors(rule_list, drawn.table, task) / max(n_rows, 1),
        on_table=rule_list.weighted_error_rate,
        n_rows=n_rows,
        log_n_lists=log_n_lists,
    )


def _check(
    task: Task, *, what: str, on_rows: float, on_table: float, n_rows: int, log_n_lists: float
) -> None:
    if n_rows == 0 or is_plausible_draw(
        on_rows, on_table, n_rows=n_rows, log_n_lists=log_n_lists, delta=FALSE_ALARM
    ):
        return
    how = "weight" if task.source.weights else "table"
    raise InputError(
        f"{task.source.name} did not give rows drawn at random: {what} {on_rows:.2%} of "
        f"{n_rows:,} rows drawn, and {on_table:.2%} of the {how}; so far apart they are in less "
        f"than one of {1 / FALSE_ALARM:,.0f} draws. Nothing is certified.",
        hint="open the table again, when nobody writes to it; if that does not help, please report "
        "it as an error of samrule.",
    )
