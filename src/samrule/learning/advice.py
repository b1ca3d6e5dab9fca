"""What to do where a list is of little use: it says one thing, promises nothing, or gives away."""

from collections.abc import Iterator
from dataclasses import dataclass

from samrule.checks import Relative
from samrule.errors import Parameter, Words
from samrule.learning.outcome import Counts
from samrule.learning.task import Settings
from samrule.objective import Objective
from samrule.rules import RuleList, column_text, value_text
from samrule.solver import Status
from samrule.theory import Certificate

# Where the other classes have a smaller share of the rows than this, missing them all costs little.
_RARE = 0.25
# A list that is proven this near the best has what it needs, whatever was promised.
_LITTLE = 0.01
# What a rule may cost of all there is to gain, if that is to be small.
_SMALL_SHARE = 0.001
# A column that leaves less than this of the errors made without rules, of at least so many, has
# more likely been made from the target than found to foretell it.
_LEFT, _ENOUGH = 0.01, 100


@dataclass(frozen=True, slots=True)
class Advice:
    """What happened, and what to do about it."""

    what: str
    hint: str


def one_class_advice(
    rule_list: RuleList,
    settings: Settings,
    *,
    counts: Counts,
    is_weighted_by_class: bool,
    was_stopped: bool,
    objective: Objective,
    limits_alerts: bool = False,
) -> Advice | None:
    """Return why the list says the same of every row, and what to try; None if it does not.

    Nothing is advised that is in force already.

    Parameters
    ----------
    rule_list
        The list, with its class counts.
    settings
        What was asked for.
    counts
        Which rows the class counts are of.
    is_weighted_by_class
        Whether rows weighed as much as their class.
    was_stopped
        Whether the last search was stopped before it was complete.
    objective
        What was minimized. Where shares count, rules that predict the same class tell different
        probabilities, and only a list without rules says the same of every row.
    limits_alerts
        Whether a rate of alerts was asked for, which goes with nothing else that is minimized.
    """
    if objective.is_probabilistic and rule_list.n_rules:
        return None
    if len({rule.prediction for rule in rule_list}) > 1:
        return None
    others, n_rows = _other_rows(rule_list)
    always = value_text(rule_list.default.prediction)
    what = f"This list predicts {always} for every row{_missed(others, n_rows, counts)}."
    steps = []
    if was_stopped:
        steps.append(Words("the search was stopped early, so give it more time or memory"))
    is_rare = settings.max_rules > 0 and 0 < others < _RARE * n_rows and not limits_alerts
    if is_rare and not is_weighted_by_class:
        steps.append(_balanced_step())
    if is_rare and not objective.is_probabilistic:
        steps.append(_brier_step())
    if is_rare and len(rule_list.classes) == 2 and objective.is_error and not is_weighted_by_class:
        steps.append(_alerts_step())
    steps += _promise_steps(settings, others, n_rows, is_weighted_by_class=is_weighted_by_class)
    steps += _shape_steps(settings, others, n_rows)
    return Advice(what, Words(Words.joined("; ", steps), "."))


def empty_promise_advice(
    settings: Settings, certificate: Certificate, whole: float
) -> Advice | None:
    """Return what to ask for if any list is as good as promised; None if not.

    Parameters
    ----------
    settings
        What was asked for.
    certificate
        What is proven.
    whole
        The loss of the list without rules: small where a class is rare.
    """
    if settings.epsilon is None:
        return None
    allowed = settings.epsilon * settings.theta
    is_empty = 0 < whole <= allowed and certificate.holds and settings.max_rules > 0
    if not is_empty or certificate.upper_bound - certificate.lower_bound <= _LITTLE * whole:
        return None
    name = certificate.kind_of_loss
    what = (
        f"Without any rule the {name} would be {whole:.3g}, and the promise asked for allows "
        f"{allowed:.3g} above the best: every list keeps it."
    )
    return Advice(what, Words(Words.joined("; ", [_theta_step(settings, whole)]), "."))


def unproven_advice(settings: Settings, certificate: Certificate, status: Status) -> Advice | None:
    """Return what proves more if a search that ended so proved too little; None if nothing does."""
    if certificate.holds or settings.epsilon is None:
        return None
    if status not in (Status.WORK_LIMIT, Status.TIME_LIMIT):
        return None
    steps = []
    if status is Status.TIME_LIMIT:
        steps.append(Words("a longer ", Parameter("time_limit"), " proves more"))
    elif settings.strategy == "auto":
        strategy = "exact" if certificate.argument == "exact" else "progressive"
        more = Parameter("strategy", strategy), " with ", Parameter("time_limit", 60)
        steps.append(Words(*more, " goes on for a minute"))
    if settings.max_terms > 1:
        steps.append(_sooner_step(Parameter("max_terms", settings.max_terms - 1)))
    elif settings.max_rules > 1:
        steps.append(_sooner_step(Parameter("max_rules", settings.max_rules - 1)))
    if not steps:
        return None
    what = "The list may still be one of the best; the search ended before that was proven."
    return Advice(what, Words(Words.joined("; ", steps), "."))


def giveaway_advice(rule_list: RuleList, target: str, *, counts: Counts) -> Advice | None:
    """Return which column tells nearly every class by itself, and what to do; None if none does.

    Parameters
    ----------
    rule_list
        The list, with its class counts.
    target
        The column it predicts.
    counts
        Which rows the class counts are of.
    """
    columns = {condition.column for rule in rule_list for condition in rule.conditions}
    if len(columns) != 1 or not all(rule.class_counts for rule in rule_list):
        return None
    of_class = [sum(some) for some in zip(*(rule.class_counts for rule in rule_list), strict=True)]
    others = sum(of_class) - max(of_class)
    wrong = sum(of_class) - sum(_right_rows(rule_list))
    if others < _ENOUGH or wrong > _LEFT * others:
        return None
    (column,) = columns
    name, of_what = column_text(column), column_text(target)
    rows = f"{round(sum(of_class)):,} rows of the {counts}"
    right = f"all but {wrong:,.0f} of the {rows}" if wrong else f"all {rows}"
    hint = Words(
        f"if {name} is known only once {of_what} is, or was made from it, leave it out: ",
        Parameter("exclude", [column]),
        ".",
    )
    return Advice(f"{name} alone tells {of_what}: this list is right in {right}.", hint)


def _missed(others: int, n_rows: int, counts: Counts) -> str:
    if not n_rows:
        return ""
    rows = f"rows of the {counts}"
    share = f"{100 * others / n_rows:.3g} %"
    return (
        f", so it is wrong in the {others:,} of {n_rows:,} {rows} ({share}) that are of another "
        "class"
    )


def _sooner_step(fewer: Parameter) -> Words:
    return Words("lists are proven sooner with ", fewer)


def _balanced_step() -> Words:
    return Words(
        "every row counts the same, and the other classes are rare: ",
        Parameter("class_weight", "balanced"),
        " makes each class count as much as the others",
    )


def _brier_step() -> Words:
    return Words(
        Parameter("objective", "brier"),
        " finds rules that raise the rate of a rare class, even if it stays below one half",
    )


def _alerts_step() -> Words:
    return Words(
        Parameter("alert_rate", 0.01),
        " finds most of a rare class that predicting it for one row in a hundred allows",
    )


def _promise_steps(
    settings: Settings, others: int, n_rows: int, *, is_weighted_by_class: bool
) -> Iterator[Words]:
    """Say that the promise asked for allows any list at all, if it does."""
    allowed, whole = (settings.epsilon or 0.0) * settings.theta, others / max(n_rows, 1)
    if settings.max_rules == 0 or is_weighted_by_class or not others or allowed < whole:
        return
    yield _theta_step(settings, whole)


def _theta_step(settings: Settings, whole: float) -> Words:
    allowed = (settings.epsilon or 0.0) * settings.theta
    return Words(
        Parameter("epsilon"),
        " times ",
        Parameter("theta", settings.theta),
        f" allows a loss {allowed:.3g} above the best, and this one is {whole:.3g} in all: ",
        Parameter("theta", float(f"{whole / 10:.1g}")),
        " asks for more",
    )


def _shape_steps(settings: Settings, others: int, n_rows: int) -> Iterator[Words]:
    """Yield which other lists might be better: more rules, cheaper rules, longer rules."""
    if settings.max_rules == 0:
        yield Words(Parameter("max_rules", 4), " allows rules before the default")
    elif settings.regularization > 0:
        yield _price_step(settings, others, n_rows)
    if settings.max_rules > 0 and settings.max_terms == 1:
        yield Words(Parameter("max_terms", 2), " finds what two conditions tell only together")
    elif settings.max_rules > 0:
        yield Words("perhaps the columns do not tell the classes apart, and others would")


def _price_step(settings: Settings, others: int, n_rows: int) -> Words:
    """Say what a rule costs beside all there is to gain, and how to make that less."""
    gain = settings.regularization * n_rows
    asked: float | str = settings.regularization
    if settings.relative_regularization is not None:
        asked = str(Relative(settings.relative_regularization))
    price = Words("a rule must gain more than its price, ", Parameter("regularization", asked))
    if not others:
        return Words(price, ": a smaller one allows rules that gain less")
    share = gain / others
    size = f" ({gain:,.4g} rows, {100 * share:,.3g} % of the {others:,} there are to gain)"
    if share <= _SMALL_SHARE or settings.relative_regularization is not None:
        return Words(price, f"{size}: a smaller one allows rules that gain less")
    smaller = Parameter("regularization", str(Relative(_SMALL_SHARE)))
    return Words(price, f"{size}: ", smaller, " asks for a thousandth of them")


def _other_rows(rule_list: RuleList) -> tuple[int, int]:
    """Return how many rows are not of the class predicted, and how many there are."""
    if not all(rule.class_counts for rule in rule_list):
        return 0, 0
    place = rule_list.classes.index(rule_list.default.prediction)
    n_rows = round(sum(sum(rule.class_counts) for rule in rule_list))
    return n_rows - round(sum(rule.class_counts[place] for rule in rule_list)), n_rows


def _right_rows(rule_list: RuleList) -> Iterator[float]:
    """Yield of how many of its rows each rule predicts the class."""
    for rule in rule_list:
        yield rule.class_counts[rule_list.classes.index(rule.prediction)]
