"""The best list that alerts on a limited share of the rows: a few searches with costs.

With a price on every alert the best list is found by one search with costs. The dearer alerts are,
the fewer it has, so the price is sought at which it just keeps to the rate: between two lists, one
that keeps to it and one that does not, the next price is that at which both are equally good; if
no list is better there, no other price proves more. Lists between them, which no price makes best,
are met by letting fewer rules of a list alert (`AlertRate.places`) and by small steps (`improved`).
"""

import math
import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from samrule.learning.alert_moves import Limits, improved
from samrule.learning.alert_rate import AlertRate
from samrule.learning.min_support import counted_on_table
from samrule.learning.outcome import Outcome, stage_result
from samrule.learning.progressive import progressive
from samrule.learning.promise import promise
from samrule.learning.sample import RowSupply, whole_table
from samrule.learning.search import class_places, search_rows
from samrule.learning.settled_conditions import SettledConditions
from samrule.learning.table_counts import relabelled, table_loss
from samrule.learning.task import Task
from samrule.objective import as_written
from samrule.rules import Rule, RuleList
from samrule.solver import Solution, Status
from samrule.theory import certify
from samrule.theory.certificate import with_upper_bound

# A few are enough as a rule.
MOST_SEARCHES = 12
# What each may take of the time and work left: of all rows, and of a sample, if others follow.
EXACT_SHARE, SAMPLE_SHARE = 1 / 3, 1 / 10
# So many rows tell the price of an alert where a table is too large to be searched as a whole.
SAMPLE_ROWS = 50_000


# Costs are searched as finely as this: lists that differ by less are equally good.
_A_HAIR = Fraction(1, 10**8)


@dataclass(frozen=True, slots=True)
class PricedAlerts:
    """What the searches found.

    Parameters
    ----------
    task
        The task, with costs and a price of rules for which `solution` says most about lists that
        keep to the rate.
    solution
        The best list at these costs.
    rule_list
        The best list found that keeps to the rate.
    """

    task: Task
    solution: Solution
    rule_list: RuleList


def exact_alerts(task: Task, settled: SettledConditions) -> tuple[Task, Outcome]:
    """Search all rows: the list keeps to the rate, and what is proven is certain."""
    started = time.perf_counter()
    task.report("reading", task.source.n_rows)
    rows = whole_table(task, settled.columns)
    found = priced_alerts(task, settled, rows, share=EXACT_SHARE)
    loss = table_loss(found.rule_list, found.task)
    certificate = certify(
        **promise(found.task),
        n_rules=found.rule_list.n_rules,
        train_rows=rows.num_rows,
        sample_lower_bound=found.solution.lower_bound,
        sample_loss=loss,
        pilot_rows=settled.pilot_rows,
        drawn="whole_table",
    )
    seconds = time.perf_counter() - started
    stage = stage_result(found.solution, rows, seconds, table_loss=loss)
    return found.task, Outcome(found.rule_list, certificate, (stage,), "table")


def progressive_alerts(
    task: Task, settled: SettledConditions, supply: RowSupply
) -> tuple[Task, Outcome]:
    """Settle the price of an alert on rows of their own; samples prove what follows from it.

    Of the lists found, that on the first rows and that on the others, the one is returned that
    misses fewer rows of the table; both keep to the rate there.
    """
    task.report("drawing", SAMPLE_ROWS)
    assert task.alerts is not None
    # A little below the rate, so that lists keep to it on the table too.
    cautious = task.alerts.share - 2 * math.sqrt(task.alerts.share / SAMPLE_ROWS)
    alerts = replace(task.alerts, share=max(cautious, task.alerts.share / 2))
    rows = supply.take(SAMPLE_ROWS).table
    found = priced_alerts(replace(task, alerts=alerts), settled, rows, share=SAMPLE_SHARE)
    found = replace(found, task=replace(found.task, alerts=task.alerts))
    outcome = progressive(found.task, settled, supply, scan=True)
    if outcome.counts != "table":
        return found.task, outcome
    other = counted_on_table(found.rule_list, found.task).rule_list
    if _n_missed(other, task) >= _n_missed(outcome.rule_list, task):
        return found.task, outcome
    certificate = with_upper_bound(outcome.certificate, table_loss(other, found.task))
    return found.task, replace(outcome, rule_list=other, certificate=certificate)


def _n_missed(rule_list: RuleList, task: Task) -> float:
    assert task.alerts is not None
    place, wanted = task.alerts.place, task.classes[task.alerts.place]
    return sum(rule.class_counts[place] for rule in rule_list if rule.prediction != wanted)


def priced_alerts(
    task: Task, settled: SettledConditions, rows: Any, *, share: float
) -> PricedAlerts:
    """Return the price of an alert for these rows, and the best list found on them."""
    assert task.alerts is not None
    counts = np.bincount(class_places(rows[task.target], task), minlength=2)
    return _Search(task, settled, rows, task.alerts, tuple(counts.tolist()), share).run()


@dataclass(frozen=True, slots=True)
class _Point:
    """What a list does, as shares of all rows: its alerts; what it misses, and pays for rules."""

    alerts: Fraction
    missed: Fraction

    def cost(self, price: Fraction) -> Fraction:
        return self.missed + price * self.alerts


@dataclass(frozen=True, slots=True)
class _Search:
    task: Task
    settled: SettledConditions
    rows: Any
    alerts: AlertRate
    counts: tuple[int, ...]
    share: float

    def run(self) -> PricedAlerts:
        never, always = self._point(self._never()), _Point(Fraction(1), Fraction(0))
        # Of lists without rules one is as good as the other at this price.
        price = as_written(self.task.class_shares[self._wanted])
        found = [self._searched(price)]
        keeps, beyond = never, always
        while len(found) < MOST_SEARCHES and not self._is_over(found[-1]):
            point = self._point(found[-1].rule_list)
            if keeps.cost(price) - point.cost(price) < _A_HAIR:
                break  # No list is better than those two.
            if point.alerts <= as_written(self.alerts.share):
                keeps = point
            else:
                beyond = point
            price = (keeps.missed - beyond.missed) / (beyond.alerts - keeps.alerts)
            if not 0 < price < 1:
                break
            found.append(self._searched(price))
        best = max(found, key=self._proven)
        lists = [one.rule_list for one in found]
        kept = min((self._kept(one) for one in [*lists, self._never()]), key=self._misses)
        if not self._is_over(found[-1]):
            kept = min(map(self._improved, (kept, *lists[-2:])), key=self._misses)
        return replace(best, rule_list=kept)

    def _is_over(self, one: PricedAlerts) -> bool:
        """Whether nobody waits any longer."""
        return one.solution.status is Status.INTERRUPTED or self.task.deadline.passed

    def _kept(self, rule_list: RuleList) -> RuleList:
        """Return the list with those rules alerting that find most within the rate."""
        return relabelled(rule_list, self.task)

    def _improved(self, rule_list: RuleList) -> RuleList:
        settings = self.task.settings
        limits = Limits(
            self.alerts,
            max_rules=settings.max_rules,
            max_terms=settings.max_terms,
            min_rows=self._least_rows,
            rule_price=settings.regularization * sum(self.counts),
        )
        packed = self.settled.conditions.pack(self.rows)
        places = class_places(self.rows[self.task.target], self.task)
        return self._kept(improved(rule_list, packed, places, limits))

    def _searched(self, price: Fraction) -> PricedAlerts:
        objective = self.alerts.objective(price)
        scale = self.alerts.scale(objective)
        settings = replace(
            self.task.settings,
            regularization=float(as_written(self.task.settings.regularization) / scale),
        )
        task = replace(self.task, objective=objective, settings=settings)
        solution = search_rows(
            task,
            self.settled.conditions,
            self.rows,
            share=self.share,
            min_support=self._least_rows,
        )
        return PricedAlerts(task, solution, solution.rule_list)

    def _proven(self, one: PricedAlerts) -> Fraction:
        """Return what a search proves of the misses of lists that keep to the rate."""
        of_class = Fraction(self.counts[self.alerts.place], sum(self.counts))
        return self.alerts.least_missed(one.solution.lower_bound, one.task.objective, of_class)

    def _misses(self, rule_list: RuleList) -> tuple[Fraction, Fraction]:
        point = self._point(rule_list)
        return point.missed, point.alerts

    def _point(self, rule_list: RuleList) -> _Point:
        n_rows = sum(self.counts)
        alerts = sum(sum(one.class_counts) for one in rule_list if one.prediction == self._wanted)
        missed = _n_missed(rule_list, self.task)
        price = as_written(self.task.settings.regularization) * rule_list.n_rules
        return _Point(Fraction(alerts) / n_rows, Fraction(missed) / n_rows + price)

    @property
    def _wanted(self) -> Hashable:
        return self.task.classes[self.alerts.place]

    @property
    def _least_rows(self) -> int:
        """How many of these rows every rule must decide."""
        asked = as_written(self.task.settings.min_support)
        share = asked if asked < 1 else asked / self.task.source.n_rows
        return math.ceil(share * sum(self.counts))

    def _never(self) -> RuleList:
        """Return the list that never alerts."""
        other = self.task.classes[1 - self.alerts.place]
        return RuleList((), Rule((), other, self.counts), self.task.classes)
