"""Searches that compare all lists with one whose loss on the table is known."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.learning.search import PackedRows, packed, search_rows
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.table_counts import is_wrong, loss_on
from samrule.learning.task import Task
from samrule.rules import RuleList
from samrule.solver import Solution
from samrule.sources.draw import Draw
from samrule.theory import Paired, PairedWeights, RowByRow
from samrule.theory.rounding import round_down


@dataclass(frozen=True)
class Comparison:
    """Rows that weigh what a reference makes of them, to compare all lists with it.

    Parameters
    ----------
    reference
        A list fixed before the rows were drawn, and counted on the table.
    weights
        What rows weigh that it gets right, and wrong.
    row_by_row
        How the rows were drawn, if none could be drawn twice.
    prepared
        The rows as the solver takes them, if they were packed already.
    """

    task: Task
    settled: SettledConditions
    rows: Draw
    reference: RuleList
    weights: PairedWeights
    row_by_row: RowByRow | None = None
    prepared: PackedRows | None = None

    @property
    def paired(self) -> Paired:
        """The comparison, as `certify` takes it."""
        n_wrong = int(np.count_nonzero(self._wrong))
        return Paired(self.weights, n_wrong, self._reference_error, self.row_by_row)

    def search(self, *, min_support: float, **options: Any) -> Solution:
        """Return the best list of the weighted rows; its loss is a share of their weight."""
        return search_rows(
            self.task,
            self.settled.conditions,
            self.rows.table,
            weights=self._row_weights,
            regularization=self._rule_price,
            prepared=self._packed,
            # A rule that decides so many rows decides at least as much weight.
            min_support=min_support * self.weights.right,
            **options,
        )

    def loss_of(self, rule_list: RuleList) -> float:
        """Return the loss of a list as the search counts it."""
        weights, wrong = self._row_weights, is_wrong(rule_list, self.rows.table, self.task)
        share = float(weights[wrong].sum() / weights.sum())
        return share + self._rule_price * rule_list.n_rules

    def unweighted(self, solution: Solution) -> Solution:
        """Return what the search found in terms of the loss that was asked for."""
        found, table, task = solution.rule_list, self.rows.table, self.task
        no_rules = min(
            loss_on(
                replace(found, rules=(), default=replace(found.default, prediction=one)),
                table,
                task,
            )
            for one in task.classes
        )
        loss = loss_on(found, table, task)
        least = self.paired.least_loss(solution.lower_bound, n_rows=len(self.rows))
        return replace(solution, loss=loss, lower_bound=min(loss, least), path=(no_rules,))

    @cached_property
    def _packed(self) -> PackedRows:
        return self.prepared or packed(self.task, self.settled.conditions, self.rows.table)

    @cached_property
    def _wrong(self) -> NDArray[np.bool_]:
        return is_wrong(self.reference, self.rows.table, self.task)

    @property
    def _row_weights(self) -> NDArray[np.float64]:
        weights = np.where(self._wrong, self.weights.wrong, self.weights.right)
        return weights.astype(np.float64)

    @property
    def _rule_price(self) -> float:
        return self.weights.rule_price(
            self.task.settings.regularization,
            n_rows=len(self.rows),
            n_wrong=int(np.count_nonzero(self._wrong)),
            row_by_row=self.row_by_row,
        )

    @property
    def _reference_error(self) -> float:
        """The error rate of the reference on the table, rounded down."""
        # Sums of real weights are off by at most one part in 2^52 per row.
        off = (self.task.source.n_rows if self.task.source.weights else 0) * 2.0**-52
        return max(0.0, round_down(self.reference.weighted_error_rate * (1 - 2 * off)))
