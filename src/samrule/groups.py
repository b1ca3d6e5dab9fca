"""A rule list group by group: how often it selects, how it errs, whether its shares hold.

The groups are the values of one column, whether the list uses it or not. All figures count rows,
each once, and come with exact binomial intervals.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samrule.rules import Condition, Operator, Rule, RuleList, smoothed, value_text
from samrule.theory.binomial import binomial_lower_limit, binomial_upper_limit

# Chance that a share of rows to come lies outside its interval.
DOUBT = 0.05


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows, and where it lies for rows to come.

    Parameters
    ----------
    n_hits, n_rows
        Rows that count, and all of them.

    Examples
    --------
    >>> share = Share(10, 100)
    >>> share.value, [round(end, 3) for end in share.interval]
    (0.1, [0.049, 0.176])
    >>> print(share, Share(0, 0))
    10.0 % (4.9 to 17.6) -
    """

    n_hits: int
    n_rows: int

    @property
    def value(self) -> float:
        """The share; NaN without rows."""
        return self.n_hits / self.n_rows if self.n_rows else math.nan

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the share of rows to come lies, but for a chance of 0.05; None without rows.

        Guarantee
        ---------
        If the rows are independent of the list and drawn like those to come (Clopper and Pearson's
        limits, docs/theory/deviation.md, "binomial_upper_limit"). Rows that the list was learned
        from are not independent of it.
        """
        if not self.n_rows:
            return None
        return (
            binomial_lower_limit(self.n_hits, n_rows=self.n_rows, delta=DOUBT / 2),
            binomial_upper_limit(self.n_hits, n_rows=self.n_rows, delta=DOUBT / 2),
        )

    def __str__(self) -> str:
        if self.interval is None:
            return "-"
        low, high = (100 * end for end in self.interval)
        return f"{100 * self.value:.1f} % ({low:.1f} to {high:.1f})"


@dataclass(frozen=True, slots=True)
class ClassInGroup:
    """What a list says of one class in one group.

    Parameters
    ----------
    label
        The class.
    selected
        How many rows of the group it predicts the class for: the selection rate.
    false_positives
        How many of the group's rows of other classes it takes for it.
    false_negatives
        How many of the group's rows of the class it takes for another.
    actual
        How many rows of the group are of the class.
    expected
        The mean probability that the list gives the class on these rows: it should lie in the
        interval of `actual`. None if the list knows no probabilities.
    """

    label: Hashable
    selected: Share
    false_positives: Share
    false_negatives: Share
    actual: Share
    expected: float | None

    @property
    def is_calibrated(self) -> bool | None:
        """Whether `expected` lies in the interval of `actual`; None if one is not known."""
        interval = self.actual.interval
        if interval is None or self.expected is None:
            return None
        return interval[0] <= self.expected <= interval[1]


@dataclass(frozen=True, slots=True)
class Group:
    """One group: its value (None where it is missing), rows, errors, and each class."""

    value: Hashable
    n_rows: int
    errors: Share
    classes: tuple[ClassInGroup, ...]

    def figures(self, place: int) -> tuple[Share, ...]:
        """Return errors, and of a class: selected, false positives, false negatives, actual."""
        one = self.classes[place]
        return self.errors, one.selected, one.false_positives, one.false_negatives, one.actual

    @property
    def name(self) -> str:
        """The group's value, as people read it."""
        return "missing" if self.value is None else value_text(self.value)


@dataclass(frozen=True, slots=True)
class GroupAudit:
    """A list's figures for every group of a column, the largest group first.

    Parameters
    ----------
    column
        Whose values the groups are.
    groups
        The groups.

    Examples
    --------
    >>> young = Rule((Condition("age", "<", 25),), "yes", (1, 3))
    >>> rules = RuleList((young,), Rule((), "no", (6, 2)), ("no", "yes"))
    >>> rows = {(0, "yes"): 1, (1, "yes"): 1, (2, "yes"): 1, (3, "no"): 1}
    >>> audit = audit_of_counts(rules, "sex", ["f", "m"], rows)
    >>> [(one.name, one.errors.value) for one in audit.groups]
    [('f', 0.5), ('m', 0.0)]
    >>> audit.selection_ratio("yes")
    1.0
    """

    column: str
    groups: tuple[Group, ...]

    def selection_ratio(self, label: Hashable) -> float:
        """Return the least selection rate of a group over the greatest; 1 if all are 0.

        Below 0.8 many call it a disparity (the four-fifths rule).
        """
        rates = [
            one.selected.value
            for group in self.groups
            for one in group.classes
            if one.label == label and group.n_rows
        ]
        return min(rates) / max(rates) if max(rates, default=0) > 0 else 1.0

    @property
    def shown_classes(self) -> tuple[int, ...]:
        """Places of the classes to show: of two the second, which says all of the first too."""
        n_classes = len(self.groups[0].classes) if self.groups else 0
        return (1,) if n_classes == 2 else tuple(range(n_classes))


def audit_of_counts(
    rule_list: RuleList,
    column: str,
    values: Sequence[Hashable],
    n_rows: Mapping[tuple[int, Hashable], int],
) -> GroupAudit:
    """Return the figures of every group from rows by deciding rule of `by_group` and class."""
    seen = {actual for _, actual in n_rows} - set(rule_list.classes)
    classes = (*rule_list.classes, *sorted(seen, key=str))
    place = {one: number for number, one in enumerate(classes)}
    n_rules = rule_list.n_rules + 1
    counts = np.zeros((len(values), n_rules, len(classes)), dtype=np.int64)
    for (number, actual), count in n_rows.items():
        counts[number // n_rules, number % n_rules, place[actual]] += count
    rules = list(rule_list)
    groups = (
        _group(value, rules, classes, some) for value, some in zip(values, counts, strict=True)
    )
    return GroupAudit(column, tuple(groups))


def by_group(rule_list: RuleList, column: str, values: Sequence[Hashable]) -> RuleList:
    """Return a list whose rule number g * n + r decides what rule r decides in group g.

    So every engine counts groups with what it has to count rules.
    """
    of_groups = [
        Condition(column, Operator.IS_MISSING)
        if value is None
        else Condition(column, Operator.EQUAL, value)  # type: ignore[arg-type]
        for value in values
    ]
    rules = [
        Rule((*rule.conditions, asked), rule.prediction)
        for asked in of_groups
        for rule in rule_list
    ]
    return RuleList(tuple(rules), Rule((), rule_list.default.prediction), rule_list.classes)


def _group(
    value: Hashable, rules: Sequence[Rule], classes: Sequence[Hashable], counts: NDArray[np.int64]
) -> Group:
    """Return the figures of a group from its rows by rule and class."""
    predicted = np.array([classes.index(rule.prediction) for rule in rules])
    n_rows = int(counts.sum())
    right = int(counts[np.arange(len(rules)), predicted].sum())
    return Group(
        value=value,
        n_rows=n_rows,
        errors=Share(n_rows - right, n_rows),
        classes=tuple(
            _class_in_group(rules, classes, counts, predicted, place)
            for place in range(len(classes))
        ),
    )


def _class_in_group(
    rules: Sequence[Rule],
    classes: Sequence[Hashable],
    counts: NDArray[np.int64],
    predicted: NDArray[np.int64],
    place: int,
) -> ClassInGroup:
    said, of_class = counts[predicted == place], counts[:, place]
    hits, selected = int(said[:, place].sum()), int(said.sum())
    n_rows, n_class = int(counts.sum()), int(of_class.sum())
    return ClassInGroup(
        label=classes[place],
        selected=Share(selected, n_rows),
        false_positives=Share(selected - hits, n_rows - n_class),
        false_negatives=Share(n_class - hits, n_class),
        actual=Share(n_class, n_rows),
        expected=_expected(rules, counts.sum(axis=1), place),
    )


def _expected(rules: Sequence[Rule], decided: NDArray[np.int64], place: int) -> float | None:
    if not all(rule.class_counts or rule.weighted_counts for rule in rules) or not decided.sum():
        return None
    # A class that only the table has is behind those of the list, with probability 0.
    shares = [smoothed(rule) for rule in rules]
    said = np.array([one[place] if place < len(one) else 0.0 for one in shares])
    return float(said @ decided / decided.sum())
