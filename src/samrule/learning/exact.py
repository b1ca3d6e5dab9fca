"""Strategy "exact": search all rows, so that nothing is left to chance."""

import time

from samrule.errors import InputError, Parameter, Words
from samrule.learning.outcome import Outcome, stage_result
from samrule.learning.promise import promise
from samrule.learning.sample import row_weights, whole_table
from samrule.learning.search import search_rows
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.table_counts import with_table_counts
from samrule.learning.task import Task
from samrule.solver.weights import TOTAL_WEIGHT_LIMIT
from samrule.theory import certify


def exact(task: Task, settled: SettledConditions) -> Outcome:
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
    rows = whole_table(task, settled.columns)
    weights = None if source.weights is None else row_weights(rows, source.weights)
    solution = search_rows(
        task, settled.conditions, rows, weights=weights, min_support=task.settings.min_support
    )
    certificate = certify(
        **promise(task),
        n_rules=solution.rule_list.n_rules,
        train_rows=rows.num_rows,
        sample_lower_bound=solution.lower_bound,
        sample_loss=solution.loss,
        pilot_rows=settled.pilot_rows,
        drawn="whole_table",
    )
    seconds = time.perf_counter() - started
    stage = stage_result(solution, rows, seconds, table_loss=solution.loss)
    rule_list = solution.rule_list
    if source.weights is not None:
        # Rows without weight took no part in the search, but are rows of the table.
        rule_list = with_table_counts(rule_list, task)
    return Outcome(rule_list, certificate, (stage,), "table")
