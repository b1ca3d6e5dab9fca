"""What to do about a list that predicts one class for every row: often best, seldom wanted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samrule.errors import Parameter, Words
from samrule.rules import value_text
from samrule.solver import Status

if TYPE_CHECKING:
    from samrule.learning.model import FittedRuleList

# Where the other classes have a smaller share of the rows than this, missing them all costs little.
_RARE = 0.25


@dataclass(frozen=True, slots=True)
class Advice:
    """What happened, and what to do about it."""

    what: str
    hint: str


def one_class_advice(fitted: "FittedRuleList") -> Advice | None:
    """Return why the list says the same of every row, and what to try; None if it does not.

    Nothing is advised that is in force already.
    """
    if len({rule.prediction for rule in fitted.rule_list}) > 1:
        return None
    always = value_text(fitted.rule_list.default.prediction)
    what = f"This list predicts {always} for every row{_missed(fitted)}."
    return Advice(what, Words(Words.joined("; ", _steps(fitted)), "."))


def _missed(fitted: "FittedRuleList") -> str:
    others, n_rows = _other_rows(fitted)
    if not n_rows:
        return ""
    rows = "rows of the table" if fitted.counts == "table" else "rows of the sample"
    return f", so it is wrong in the {others:,} of {n_rows:,} {rows} that are of another class"


def _steps(fitted: "FittedRuleList") -> Iterator[str]:
    settings = fitted.settings
    others, n_rows = _other_rows(fitted)
    if fitted.trace[-1].status is not Status.OPTIMAL:
        yield "the search was stopped early, so give it more time or memory"
    if fitted.class_weight is None and n_rows and others < _RARE * n_rows:
        yield Words(
            "every row counts the same, and the other classes are rare: ",
            Parameter("class_weight", "balanced"),
            " makes each class count as much as the others",
        )
    if settings.regularization > 0:
        price = settings.regularization * n_rows
        gain = (
            f" ({price:,.4g} rows here, and there are only {others:,} to gain)"
            if n_rows and price >= others
            else ""
        )
        yield Words(
            "a rule must gain more than its price, ",
            Parameter("regularization", settings.regularization),
            f"{gain}: a smaller one allows rules that gain less",
        )
    if settings.max_terms == 1:
        yield Words(Parameter("max_terms", 2), " finds what two conditions tell only together")
    else:
        yield "perhaps the columns do not tell the classes apart, and others would"


def _other_rows(fitted: "FittedRuleList") -> tuple[int, int]:
    """Return how many rows are not of the class predicted, and how many there are."""
    rule_list = fitted.rule_list
    if not all(rule.class_counts for rule in rule_list):
        return 0, 0
    place = rule_list.classes.index(rule_list.default.prediction)
    n_rows = round(sum(sum(rule.class_counts) for rule in rule_list))
    return n_rows - round(sum(rule.class_counts[place] for rule in rule_list)), n_rows
