"""Rules that must decide enough rows of the table: what that asks of a sample, and how it is kept.

docs/theory/support.md has the proofs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from samrule.errors import Parameter, ParameterError, Words
from samrule.learning.table_counts import (
    all_with_table_counts,
    relabelled,
    with_table_counts,
)
from samrule.learning.task import Task
from samrule.rules import Rule, RuleList
from samrule.theory import sample_support
from samrule.theory.rounding import round_down

# Of delta, for the statement that the best list passes the threshold on every sample.
SUPPORT_SHARE = 1 / 8


def check_support(task: Task) -> None:
    """Refuse a least number of rows if rows are weighted: only a share makes sense then."""
    min_support = task.settings.min_support
    if min_support >= 1 and task.source.weights is not None:
        raise ParameterError(
            Words(
                Parameter("min_support"),
                f" is {min_support:g} rows, but rows are weighted; expected a share of the weight, "
                "below 1.",
            ),
            hint=Words(Parameter("min_support", 0.01), " is a hundredth of the weight."),
        )


def delta_left(task: Task, delta: float) -> float:
    """Return what is left of a delta after the thresholds on samples are paid for."""
    if not _asks_for_support(task):
        return delta
    return round_down(delta - SUPPORT_SHARE * task.settings.delta)


def threshold(task: Task, n_rows: int, n_samples: int = 1) -> int:
    """Return how many rows of a sample every rule must decide; 0 if any number will do.

    But for `SUPPORT_SHARE` of delta the best list of the table passes the thresholds of all
    `n_samples` samples, so that their lower bounds hold for it.
    """
    if not _asks_for_support(task):
        return 0
    n_statements = n_samples * task.settings.max_rules
    delta = round_down(SUPPORT_SHARE * task.settings.delta / n_statements)
    return sample_support(_share(task), n_rows=n_rows, delta=delta)


@dataclass(frozen=True, slots=True)
class Counted:
    """A list as it was counted on the table, and whether all its rules decide enough there."""

    rule_list: RuleList
    is_whole: bool


def counted_on_table(rule_list: RuleList, task: Task) -> Counted:
    """Return the list as the whole table has it, from one scan or a few.

    It has the table's class counts and the classes they suggest; rules that decide too little are
    taken out.
    """
    kept = supported(rule_list, task)
    return Counted(relabelled(kept, task), is_whole=kept.n_rules == rule_list.n_rules)


def all_counted_on_table(rule_lists: Sequence[RuleList], task: Task) -> list[Counted]:
    """Return several lists as the whole table has them, if possible from one scan for all."""
    if _asks_for_support(task):
        return [counted_on_table(one, task) for one in rule_lists]
    counted = all_with_table_counts(rule_lists, task)
    return [Counted(relabelled(one, task), is_whole=True) for one in counted]


def supported(rule_list: RuleList, task: Task) -> RuleList:
    """Return the list counted on the table, without rules that decide too little of it.

    Rules are taken out one by one, the first first: what it decided goes to later ones, so they
    decide more than before, never less. At most one scan per rule, and mostly one in all.
    """
    counted = with_table_counts(rule_list, task)
    least = _share(task) * Fraction(sum(_amount(rule) for rule in counted))
    for number, rule in enumerate(counted.rules):
        if _amount(rule) < least:
            kept = counted.rules[:number] + counted.rules[number + 1 :]
            return supported(replace(counted, rules=kept), task)
    return counted


def _asks_for_support(task: Task) -> bool:
    """Whether some rule must decide some rows; a list without rules has nothing to keep."""
    return task.settings.min_support > 0 and task.settings.max_rules > 0


def _share(task: Task) -> Fraction:
    """Return the share of the table that every rule must decide."""
    min_support = Fraction(repr(task.settings.min_support))
    return min_support if min_support < 1 else min_support / task.source.n_rows


def _amount(rule: Rule) -> Fraction:
    return Fraction(sum(rule.weighted_counts or rule.class_counts))
