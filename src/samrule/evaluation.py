"""How good a rule list is on a whole table: one scan of the columns it uses."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.checks import checked
from samrule.errors import (
    InputError,
    Parameter,
    ParameterError,
    ParameterTypeError,
    TargetError,
    Words,
)
from samrule.groups import GroupAudit, audit_of_counts, by_group
from samrule.rules import Rule, RuleList, column_text, smoothed, value_text
from samrule.scores import Scores, recall_at_precision, roc_points, scores
from samrule.sources.base import Source
from samrule.sources.counts import Tally
from samrule.sources.open import open_table
from samrule.theory.binomial import binomial_lower_limit, binomial_upper_limit

# A class with a smaller share of the rows than this is rare: rules are judged by how they raise it.
RARE = 0.25
# Groups that are told apart; a column of more values is a number or a name.
MOST_GROUPS = 20
# Chance that the share of rows to come that a rule gets right lies outside the interval shown.
DOUBT = 0.05


@dataclass(frozen=True, slots=True)
class RuleEvaluation:
    """What one rule did on the table: share of the weight it decided, share of that it got right.

    `accuracy` is NaN for a rule that decided nothing. `class_counts` is the weight it decided of
    each of the evaluation's classes, `row_counts` the rows. Without weights the two are the same.
    `n_right` is the number of rows it got right.
    """

    rule: Rule
    n_rows: int
    coverage: float
    accuracy: float
    class_counts: tuple[float, ...]
    row_counts: tuple[int, ...]
    n_right: int

    @property
    def accuracy_interval(self) -> tuple[float, float] | None:
        """Where the share of rows to come that it gets right lies (see `accuracy_interval`)."""
        return accuracy_interval(self.n_right, self.n_rows)


@dataclass(frozen=True, slots=True)
class Lift:
    """How frequent a rare class is among the rows a rule decides, and how many times as on all.

    Both are NaN for a rule that decided nothing.

    Examples
    --------
    >>> print(Lift(rate=0.2, lift=50.0))
    20% (lift 50)
    """

    rate: float
    lift: float

    def __str__(self) -> str:
        return "-" if math.isnan(self.rate) else f"{100 * self.rate:.3g}% (lift {self.lift:.3g})"


@dataclass(frozen=True, slots=True)
class Alerts:
    """What a list does that alerts on rows: it predicts a class that is to be found.

    `rate` is the share of the rows alerted on, `precision` how many of these are of the class,
    `recall` how many of the class are among them, `lift` how many times as frequent the class is
    there as on all rows. What would be divided by nothing is NaN.

    Examples
    --------
    >>> print(Alerts(rate=0.00195, precision=0.223, recall=0.409, lift=210.0))
    on 0.195 % of the rows, of which 22.3 % are of it (lift 210): 40.9 % of all
    """

    rate: float
    precision: float
    recall: float
    lift: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if nothing is found."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both > 0 else 0.0

    def __str__(self) -> str:
        rate = f"on {100 * self.rate:.3g} % of the rows"
        if math.isnan(self.precision):
            return rate
        return (
            f"{rate}, of which {100 * self.precision:.3g} % are of it (lift {self.lift:.3g}): "
            f"{100 * self.recall:.3g} % of all"
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Exact quality of a rule list on a table.

    Every figure is weighted if weights were asked for; `unweighted` counts every row once.

    Parameters
    ----------
    n_rows
        Rows in the table.
    weights
        The column that weighs them; None if every row counts once.
    weight
        Their total weight; the number of rows if they carry none.
    error_rate
        Share of the weight that is misclassified; the price of rules is no part of it.
    classes
        The list's classes, then those that only the table has: rows and columns of `confusion`.
    confusion
        Weight by true class (rows) and predicted class (columns).
    scores
        Balanced accuracy, AUC, average precision, log loss, Brier score, precision and recall.
    rules
        Per rule what it decided, the default last.
    audit
        The same figures by group, every row counted once, if groups were asked for.
    """

    n_rows: int
    weights: str | None
    weight: float
    error_rate: float
    classes: tuple[Hashable, ...]
    confusion: NDArray[np.float64]
    scores: Scores
    rules: tuple[RuleEvaluation, ...]
    audit: GroupAudit | None = None

    @property
    def accuracy(self) -> float:
        """Share of the weight that is classified correctly."""
        return 1 - self.error_rate

    @property
    def unweighted(self) -> "Evaluation":
        """The same rows, each counted once."""
        if self.weights is None:
            return self
        rows = np.array([one.row_counts for one in self.rules], dtype=np.float64)
        once = evaluation_by_rule([one.rule for one in self.rules], self.classes, rows, rows, None)
        return replace(once, audit=self.audit)

    @property
    def rare_class(self) -> Hashable | None:
        """The rarer of two classes, if less than a quarter of the weight is of it; else None."""
        place = self._rare_place
        return None if place is None else self.classes[place]

    @property
    def ranked(self) -> str:
        """Whose ranking AUC and average precision measure: the second of two classes, or all."""
        return f"of {value_text(self.classes[1])}" if len(self.classes) == 2 else "mean of classes"

    @property
    def lifts(self) -> tuple[Lift, ...] | None:
        """Per rule, how it raises or lowers the rate of the rare class; None if there is none.

        Examples
        --------
        >>> from samrule.rules import Condition
        >>> large = Rule((Condition("amount", ">=", 900),), "fraud", (80, 20))
        >>> rules = RuleList((large,), Rule((), "fine", (9880, 20)), ("fine", "fraud"))
        >>> evaluation_of_counts(rules).lifts[0]
        Lift(rate=0.2, lift=50.0)
        """
        place = self._rare_place
        if place is None:
            return None
        counts = self._counts
        base = float(counts[:, place].sum() / counts.sum())
        with np.errstate(invalid="ignore"):
            rates = counts[:, place] / counts.sum(axis=1)
        return tuple(Lift(rate, rate / base) for rate in rates.tolist())

    @property
    def _rare_place(self) -> int | None:
        of_class = self._counts.sum(axis=0)
        place = int(of_class.argmin())
        is_rare = len(of_class) == 2 and 0 < of_class[place] < RARE * of_class.sum()
        return place if is_rare else None

    def alerts(self, wanted: Hashable) -> Alerts:
        """Return how often a class is predicted, how often rightly, and how much of it is found."""
        place = self.classes.index(wanted)
        hits, alerts = self.confusion[place, place], self.confusion[:, place].sum()
        of_class, total = self.confusion[place].sum(), self.confusion.sum()
        with np.errstate(invalid="ignore"):
            precision = hits / alerts
            found = alerts / total, precision, hits / of_class, precision / (of_class / total)
        return Alerts(*map(float, found))

    @property
    def roc_curve(self) -> NDArray[np.float64] | None:
        """Points of the second of two classes' ROC curve, by the probability that rules give it.

        None if there are not two classes with weight, or the list knows no probabilities.
        """
        counts, probabilities = self._counts, self._probabilities
        if len(self.classes) != 2 or probabilities is None or not counts.sum(axis=0).all():
            return None
        return roc_points(counts, probabilities[:, 1], 1)

    @property
    def reliability_curve(self) -> NDArray[np.float64] | None:
        """What rules say beside what is so: a line per rule that decided rows.

        The probability that the rule gives the second of two classes, the share of the class among
        the rows it decided, and their weight; None as for `roc_curve`. Where the probabilities can
        be trusted, the first two are about the same.
        """
        counts, probabilities = self._counts, self._probabilities
        if len(self.classes) != 2 or probabilities is None:
            return None
        met = counts.sum(axis=1) > 0
        weight = counts[met].sum(axis=1)
        return np.column_stack([probabilities[met, 1], counts[met, 1] / weight, weight])

    def recall_at_precision(self, precision: float) -> tuple[float, ...] | None:
        """Return per class how many of its rows are found if so many of those found must be so.

        Rows count as found in the order of the probability that rules give the class. None if the
        list knows no probabilities.

        Parameters
        ----------
        precision
            The least share of the rows found that must be of the class.
        """
        wanted = checked("precision", precision)
        probabilities = self._probabilities
        if probabilities is None:
            return None
        return tuple(
            recall_at_precision(self._counts, probabilities[:, place], place, wanted)
            for place in range(len(self.classes))
        )

    @property
    def _counts(self) -> NDArray[np.float64]:
        return np.array([one.class_counts for one in self.rules], dtype=np.float64)

    @property
    def _probabilities(self) -> NDArray[np.float64] | None:
        return _probabilities([one.rule for one in self.rules], len(self.classes))

    def __str__(self) -> str:
        by_rows = self.unweighted
        lines = [f"error rate {by_rows.error_rate:.6f} on {self.n_rows:,} rows"]
        if self.weights is not None:
            column = column_text(self.weights)
            lines.append(f"weighted error rate {self.error_rate:.6f} (by {column})")
        lines += [
            f"  {rule.rule}: covers {rule.coverage:.2%}, right in {rule.accuracy:.2%}"
            for rule in by_rows.rules
        ]
        return "\n".join(lines)


def accuracy_interval(right: int, n_rows: int) -> tuple[float, float] | None:
    """Return where the share of rows to come that a rule gets right lies; None without rows.

    Guarantee
    ---------
    If the rows counted are independent of the list and drawn like those to come, the share lies
    outside with probability at most 0.05 (Clopper and Pearson's limits, docs/theory/deviation.md,
    "binomial_upper_limit"). Rows that the list was learned from are not independent of it: it was
    chosen because it is right there.

    Examples
    --------
    >>> low, high = accuracy_interval(90, 100)
    >>> round(low, 4), round(high, 4)
    (0.8238, 0.951)
    """
    if not n_rows:
        return None
    wrong = n_rows - right
    return (
        1 - binomial_upper_limit(wrong, n_rows=n_rows, delta=DOUBT / 2),
        1 - binomial_lower_limit(wrong, n_rows=n_rows, delta=DOUBT / 2),
    )


def evaluation_of_counts(rule_list: RuleList) -> Evaluation | None:
    """Return the quality of a list on the rows that its own class counts count; None without any.

    Examples
    --------
    >>> from samrule.rules import Condition
    >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
    >>> print(evaluation_of_counts(RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes"))))
    error rate 0.250000 on 100 rows
      if age < 25 then yes: covers 20.00%, right in 75.00%
      always no: covers 80.00%, right in 75.00%
    """
    if not rule_list.support:
        return None
    nothing = (0,) * len(rule_list.classes)
    counts = np.array([rule.class_counts or nothing for rule in rule_list], dtype=np.float64)
    return evaluation_by_rule(list(rule_list), rule_list.classes, counts, counts, None)


def evaluate(
    rule_list: RuleList,
    table: Any,
    target: Any = None,
    weights: Any = None,
    *,
    groups: str | None = None,
) -> Evaluation:
    """Return the exact quality of a rule list on a table.

    Parameters
    ----------
    rule_list
        The rules.
    table
        A source, or anything `open_table` takes.
    target
        The column with the true classes; that of the source if not given.
    weights
        The column with row weights; that of the source if not given.
    groups
        A column of at most 20 values, such as sex: for each of them the evaluation's `audit` tells
        how often every class is predicted, how often wrongly, and whether probabilities hold.

    Examples
    --------
    >>> from samrule.rules import Condition
    >>> young = Rule((Condition("x0", "<", 25),), "yes")
    >>> rules = RuleList((young,), Rule((), "no"), ("no", "yes"))
    >>> print(evaluate(rules, np.array([[20], [30], [40]]), ["yes", "yes", "no"]))
    error rate 0.333333 on 3 rows
      if x0 < 25 then yes: covers 33.33%, right in 100.00%
      always no: covers 66.67%, right in 50.00%
    """
    if not isinstance(rule_list, RuleList):
        raise ParameterTypeError(
            f"evaluate got a {type(rule_list).__name__} for its rule list; expected a RuleList.",
            hint="a model knows its own: model.evaluate(table), or model.rule_list.",
        )
    if not isinstance(table, Source):
        source = _opened(rule_list, table, target, weights, groups)
    else:
        source = table
    # Arrays beside a table became columns of the source, under their roles' names.
    target = target if isinstance(target, str) else source.target
    weights = weights if isinstance(weights, str) else source.weights
    if target is None:
        raise ParameterError(
            f"evaluate was given no target for {source.name}.",
            hint=Words("name the column with the true classes: ", Parameter("target", ...)),
        )
    tally = source.tally(rule_list, target, weights)
    _check(tally, source.name, target)
    _check_classes(rule_list, tally, target)
    found = _counted(rule_list, tally, weights)
    if groups is None:
        return found
    return replace(found, audit=_audit(rule_list, source, target, groups))


def _audit(rule_list: RuleList, source: Source, target: str, column: str) -> GroupAudit:
    """Return the figures of every group; one more scan, which any engine can do."""
    values = _group_values(source, target, column)
    tally = source.tally(by_group(rule_list, column, values), target)
    return audit_of_counts(rule_list, column, values, tally.n_rows)


def _group_values(source: Source, target: str, column: str) -> list[Hashable]:
    """Return the groups: the column's values, and None if some are missing."""
    if column == target:
        raise ParameterError(
            Words(Parameter("groups"), f" is {column!r}, the target itself."),
            hint="name a column that says whom a row is about.",
        )
    levels = source.levels(column)
    if len(levels.values) > MOST_GROUPS:
        raise ParameterError(
            Words(
                Parameter("groups"),
                f" is {column!r}, which holds {len(levels.values):,} different values; expected at "
                f"most {MOST_GROUPS}.",
            ),
            hint="make a column of a few groups first, such as ranges of age.",
        )
    return [*levels.values, *([None] if levels.n_missing else [])]


def _opened(
    rule_list: RuleList, table: Any, target: Any, weights: Any, groups: str | None
) -> Source:
    """Open only what the list asks about: a query's columns are copied."""
    used = {condition.column for rule in rule_list for condition in rule.conditions}
    used |= set() if groups is None else {groups}
    others = {one for one in (target, weights) if isinstance(one, str)}
    return open_table(table, target, weights=weights, include=sorted(used - others) or None)


def _check_classes(rule_list: RuleList, tally: Tally, target: str) -> None:
    """Refuse a table without a single class of the list: it is most likely of another type."""
    found = {actual for _, actual in tally.n_rows}
    if found.isdisjoint(rule_list.classes):
        shown, known = (
            ", ".join(sorted(map(repr, some))[:5]) for some in (found, rule_list.classes)
        )
        raise TargetError(
            f"target column {target!r} holds {shown}; the list predicts {known}, none of them.",
            hint="write the classes as the table does that the list was learned from, types "
            "included: CSV knows text and numbers only.",
        )


def _check(tally: Tally, name: str, target: str) -> None:
    n_rows = sum(tally.n_rows.values())
    n_missing = sum(count for (_, actual), count in tally.n_rows.items() if actual is None)
    if n_missing:
        raise TargetError(
            f"target column {target!r} is missing in {n_missing:,} of {n_rows:,} rows; "
            "every row needs a class.",
            hint=Words("pass ", Parameter("missing_target", "drop"), " to leave those rows out."),
        )
    if not sum(tally.weight.values()) > 0:
        raise InputError(
            f"{name} has {n_rows:,} rows and no weight; there is nothing to evaluate on.",
            hint="check the filter or the query that made it.",
        )


def _counted(rule_list: RuleList, tally: Tally, weights: str | None) -> Evaluation:
    seen = sorted({actual for _, actual in tally.n_rows} - set(rule_list.classes), key=str)
    classes = (*rule_list.classes, *seen)
    place = {one: number for number, one in enumerate(classes)}
    rows, table = np.zeros((2, rule_list.n_rules + 1, len(classes)))
    for (number, actual), weight in tally.weight.items():
        table[number, place[actual]] += weight
        rows[number, place[actual]] += tally.n_rows[number, actual]
    return evaluation_by_rule(list(rule_list), classes, rows, table, weights)


def evaluation_by_rule(
    rules: Sequence[Rule],
    classes: tuple[Hashable, ...],
    rows: NDArray[np.float64],
    table: NDArray[np.float64],
    weights: str | None,
) -> Evaluation:
    """Return what follows from rows and weight by rule, the default last, and by class."""
    predicted = np.array([classes.index(rule.prediction) for rule in rules])
    confusion = np.zeros((len(classes), len(classes)))
    np.add.at(confusion.T, predicted, table)
    covered = table.sum(axis=1)
    right = table[np.arange(len(predicted)), predicted]
    total = float(covered.sum())
    return Evaluation(
        n_rows=int(rows.sum()),
        weights=weights,
        weight=total,
        error_rate=float((covered - right).sum()) / total,
        classes=classes,
        confusion=confusion,
        scores=scores(table, predicted.tolist(), _probabilities(rules, len(classes))),
        rules=tuple(
            RuleEvaluation(
                rule=rule,
                n_rows=int(rows[number].sum()),
                coverage=float(covered[number]) / total,
                accuracy=float(right[number] / covered[number]) if covered[number] else np.nan,
                class_counts=tuple(table[number].tolist()),
                row_counts=tuple(map(int, rows[number])),
                n_right=int(rows[number, predicted[number]]),
            )
            for number, rule in enumerate(rules)
        ),
    )


def _probabilities(rules: Sequence[Rule], n_classes: int) -> NDArray[np.float64] | None:
    """Return what each rule says each class's probability is; None if one does not know.

    Classes that only the table has, behind those of the list, have probability 0.
    """
    if not all(rule.class_counts or rule.weighted_counts for rule in rules):
        return None
    known = np.array([smoothed(rule) for rule in rules])
    return np.pad(known, ((0, 0), (0, n_classes - known.shape[1])))
