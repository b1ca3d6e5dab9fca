"""How a list does on rows it was not searched on: on a sample, or counted on the whole table."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.learning.search import class_places
from samrule.learning.task import Task
from samrule.rules import Rule, RuleList
from samrule.rules.meaning import deciding_rules
from samrule.sources.counts import Tally
from samrule.sources.draw import Draw
from samrule.theory.rounding import round_up


def predicted_places(rule_list: RuleList, rows: Any, task: Task) -> NDArray[np.int64]:
    """Return for each row the place of the class that the list predicts."""
    place = {one: number for number, one in enumerate(task.classes)}
    predicted = np.array([place[rule.prediction] for rule in rule_list])
    return np.asarray(predicted[deciding_rules(rule_list, rows)])


def is_wrong(rule_list: RuleList, rows: Any, task: Task) -> NDArray[np.bool_]:
    """Return for each row whether the list gets it wrong."""
    actual = class_places(rows[task.target], task)
    return np.asarray(predicted_places(rule_list, rows, task) != actual)


def n_errors(rule_list: RuleList, rows: Any, task: Task) -> int:
    """Return how many of the rows the list gets wrong."""
    return int(np.count_nonzero(is_wrong(rule_list, rows, task)))


def loss_on(rule_list: RuleList, rows: Any, task: Task) -> float:
    """Return the loss of the list on the rows; shares, and classes by their cost, fitted to them.

    Of errors, those of the classes that the list predicts.
    """
    price = task.settings.regularization * rule_list.n_rules
    if task.objective.is_error:
        return n_errors(rule_list, rows, task) / int(rows.num_rows) + price
    decided = deciding_rules(rule_list, rows)
    counts = np.zeros((rule_list.n_rules + 1, len(task.classes)))
    np.add.at(counts, (decided, class_places(rows[task.target], task)), 1)
    cost = sum(map(task.objective.group_cost, counts.tolist()), Fraction(0))
    return float(cost / rows.num_rows) + price


def fixed_loss_on(rule_list: RuleList, rows: Any, task: Task) -> float:
    """Return the mean loss on the rows of what the list predicts, without the price of rules."""
    losses = np.array(
        [
            task.objective.row_losses(rule.probabilities, task.classes.index(rule.prediction))
            for rule in rule_list
        ]
    )
    decided = deciding_rules(rule_list, rows)
    return float(losses[decided, class_places(rows[task.target], task)].mean())


def validated(rule_list: RuleList, fresh: Draw, task: Task) -> dict[str, Any]:
    """Return what rows that a list was not chosen by say of it, as `certify` takes it."""
    if not task.objective.is_error:
        loss = fixed_loss_on(rule_list, fresh.table, task)
        return {"validation_rows": len(fresh), "validation_loss": loss}
    return {
        "validation_rows": len(fresh),
        "validation_errors": n_errors(rule_list, fresh.table, task),
    }


def relabelled(counted: RuleList, task: Task) -> RuleList:
    """Return a list that was counted on the table, with the classes that its counts suggest.

    A rule predicts the class that most of its rows in the table are of (most of their weight, if
    rows are weighted), which may be another one than on the sample. Then last rules that predict
    what the default predicts are left out. Both can only lower the list's loss. (Where classes have
    costs, it is the cheapest class; where shares count, every rule tells something; where alerts
    are limited, those rules alert that find most within the limit; where constraints say what rules
    predict or what the list must have, they are kept.)
    """
    if task.alerts is None:
        may = [*task.constraints.classes_of(counted.rules, task.classes), None]
        rules = [_relabelled(*one, task) for one in zip(counted, may, strict=True)]
    else:
        places = task.alerts.places([rule.class_counts for rule in counted])
        rules = [
            replace(rule, prediction=task.classes[place])
            for rule, place in zip(counted, places, strict=True)
        ]
    if task.objective.is_probabilistic or not task.constraints.is_about_candidates:
        return replace(counted, rules=tuple(rules[:-1]), default=rules[-1])
    while len(rules) > 1 and rules[-2].prediction == rules[-1].prediction:
        default, last = rules.pop(), rules.pop()
        rules.append(
            Rule(
                (),
                default.prediction,
                _sums(last.class_counts, default.class_counts),
                _sums(last.weighted_counts, default.weighted_counts),
            )
        )
    return replace(counted, rules=tuple(rules[:-1]), default=rules[-1])


def with_table_counts(rule_list: RuleList, task: Task) -> RuleList:
    """Return the list with the rows of the whole table that each rule decides, from one scan.

    If rows carry weights, with their weight too.
    """
    task.count_scans(1)
    weights = task.source.weights
    return _counted(rule_list, task.source.tally(rule_list, task.target, weights), task)


def all_with_table_counts(rule_lists: Sequence[RuleList], task: Task) -> list[RuleList]:
    """Return several lists with the table's rows that each rule decides, from one scan for all.

    If rows carry weights, each list takes a scan of its own.
    """
    if task.source.weights is not None or len(rule_lists) == 1:
        return [with_table_counts(one, task) for one in rule_lists]
    task.count_scans(1)
    tallies = task.source.tallies(rule_lists, task.target)
    return [_counted(one, tally, task) for one, tally in zip(rule_lists, tallies, strict=True)]


def _counted(rule_list: RuleList, tally: Tally, task: Task) -> RuleList:
    *rules, default = (
        replace(
            rule,
            class_counts=tuple(tally.n_rows.get((number, one), 0) for one in task.classes),
            weighted_counts=tuple(tally.weight.get((number, one), 0) for one in task.classes)
            if task.source.weights
            else (),
        )
        for number, rule in enumerate(rule_list)
    )
    return replace(rule_list, rules=tuple(rules), default=default)


def with_weighted_counts(rule_list: RuleList) -> RuleList:
    """Return a list learned from rows drawn by weight: those it counted tell weight, not rows."""
    *rules, default = (
        replace(rule, class_counts=(), weighted_counts=rule.class_counts) for rule in rule_list
    )
    return replace(rule_list, rules=tuple(rules), default=default)


def _relabelled(rule: Rule, allowed: Sequence[bool] | None, task: Task) -> Rule:
    counts, objective = rule.weighted_counts or rule.class_counts, task.objective
    place = task.classes.index(rule.prediction)
    best = objective.best_place(counts, allowed)
    if objective.predicted_cost(counts, place) == objective.predicted_cost(counts, best):
        return rule
    return replace(rule, prediction=task.classes[best])


def _sums(first: Sequence[float], second: Sequence[float]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(first, second, strict=True))


def table_loss(rule_list: RuleList, task: Task) -> float:
    """Return the loss of a list that was counted on the table, rounded up."""
    price = task.settings.regularization * rule_list.n_rules
    # Sums of real weights are off by at most one part in 2^52 per row.
    off = (task.source.n_rows if task.source.weights else 0) * 2.0**-52
    if task.objective.is_error:
        return (rule_list.weighted_error_rate + price) * (1 + off)
    counts = [rule.weighted_counts or rule.class_counts for rule in rule_list]
    total = sum((Fraction(count) for some in counts for count in some), Fraction(0))
    cost = sum(
        (
            task.objective.predicted_cost(some, task.classes.index(rule.prediction))
            for some, rule in zip(counts, rule_list, strict=True)
        ),
        Fraction(0),
    )
    # A group costs at most as much more as weight is added to it, and all of it is off by `off`.
    return round_up(float(cost / total) + price + 3 * off)
