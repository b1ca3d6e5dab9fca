"""Everything the page shows, as a dict of plain values: no HTML here, and no arithmetic there."""

from collections.abc import Iterator, Sequence
from typing import Any

from samrule.evaluation import Evaluation
from samrule.learning import FittedRuleList, StageResult
from samrule.rules import Condition, Operator, Rule, RuleList, value_text
from samrule.theory import sample_size
from samrule.theory.binomial import binomial_lower_limit, binomial_upper_limit

# Chance that the true probability of a rule's class lies outside the interval shown.
_DOUBT = 0.05
# Classes that can be told apart by colour, and class counts that can be read in a line.
_N_COLOURS = 8
_N_READ = 4


def summary(fitted: FittedRuleList, evaluation: Evaluation | None = None) -> dict[str, Any]:
    """Return what is known about a model, on the rows it knows or on those of an evaluation.

    Parameters
    ----------
    fitted
        The model.
    evaluation
        What its list does on another table; all counts are then of that table's rows.
    """
    classes = fitted.classes if evaluation is None else evaluation.classes
    counts = _counts(fitted.rule_list, evaluation)
    rows_of = _origin(fitted, evaluation)
    return {
        "target": fitted.target,
        **_counted(fitted.rule_list, counts, classes, rows_of),
        "certificate": _certificate(fitted),
        "advice": fitted.advice,
        "strategy": {"name": fitted.strategy, "reason": fitted.reason},
        "trace": [_stage(stage) for stage in fitted.trace],
        "path": list(fitted.trace[-1].path) if fitted.trace else [],
        "confusion": _confusion(fitted.rule_list, counts, classes),
        "predicted": _predicted(fitted.rule_list, classes),
        "roc": _roc(counts) if len(classes) == 2 else None,
        "left_out": [
            {"column": one.column, "reason": one.reason} for one in fitted.binarizer.left_out
        ],
        "shape": fitted.shape,
        "fields": _fields(fitted.rule_list),
        "program": _program(fitted.rule_list),
    }


def rules_summary(rule_list: RuleList) -> dict[str, Any]:
    """Return the part of `summary` that a list alone knows: the rules, and what they decided."""
    return _counted(rule_list, _counts(rule_list, None), rule_list.classes, "the training rows")


def _counts(rule_list: RuleList, evaluation: Evaluation | None) -> list[Sequence[float]]:
    """Return per rule, the default last, the weight it decided of each class."""
    if evaluation is None:
        return [rule.class_counts or (0,) * len(rule_list.classes) for rule in rule_list]
    return [one.class_counts for one in evaluation.rules]


def _origin(fitted: FittedRuleList, evaluation: Evaluation | None) -> str:
    if evaluation is not None:
        return "the table given with the report"
    return "the whole table" if fitted.counts == "table" else "the sample it was learned from"


def _counted(
    rule_list: RuleList, counts: list[Sequence[float]], classes: Sequence[Any], rows_of: str
) -> dict[str, Any]:
    right = [_right(rule, found, classes) for rule, found in zip(rule_list, counts, strict=True)]
    total = sum(sum(found) for found in counts)
    names = [value_text(one) for one in classes]
    colours = _colours([sum(column) for column in zip(*counts, strict=True)])
    return {
        "classes": names,
        "colours": colours,
        "legend": _legend(names, colours),
        "rows": {"n": total, "of": rows_of},
        "accuracy": sum(right) / total if total else None,
        "rules": list(_rules(rule_list, counts, right, total)),
    }


def _right(rule: Rule, counts: Sequence[float], classes: Sequence[Any]) -> float:
    return counts[classes.index(rule.prediction)]


def _colours(weights: Sequence[float]) -> list[int]:
    """Return a colour per class; if there are too many classes, the rare ones share the last."""
    if len(weights) <= _N_COLOURS:
        return list(range(len(weights)))
    frequent = sorted(range(len(weights)), key=lambda place: -weights[place])[: _N_COLOURS - 1]
    own = {place: colour for colour, place in enumerate(sorted(frequent))}
    return [own.get(place, _N_COLOURS - 1) for place in range(len(weights))]


def _legend(names: list[str], colours: list[int]) -> list[dict[str, Any]]:
    shared = colours.count(_N_COLOURS - 1)
    entries = [
        {"name": name, "colour": colour}
        for name, colour in zip(names, colours, strict=True)
        if colour < _N_COLOURS - 1 or shared == 1
    ]
    others = {"name": f"{shared} others", "colour": _N_COLOURS - 1}
    return [*entries, others] if shared > 1 else entries


def _rules(
    rule_list: RuleList, counts: list[Sequence[float]], right: list[float], total: float
) -> Iterator[dict[str, Any]]:
    before = 0.0
    for number, (rule, found, correct) in enumerate(zip(rule_list, counts, right, strict=True)):
        support, most = sum(found), _most(found)
        yield {
            "number": number + 1,
            "lead": _lead(number, rule_list.n_rules),
            "conditions": [str(condition) for condition in rule.conditions],
            "prediction": value_text(rule.prediction),
            "support": support,
            "counts": list(found),
            "most": most,
            "others": support - sum(found[place] for place in most or []),
            "before": before / total if total else 0.0,
            "coverage": support / total if total else 0.0,
            "purity": correct / support if support else None,
            "interval": _interval(correct, support),
        }
        before += support


def _most(counts: Sequence[float]) -> list[int] | None:
    """Return the places of the most frequent classes if it would take too long to read all."""
    if len(counts) <= _N_READ:
        return None
    present = [place for place in range(len(counts)) if counts[place]]
    return sorted(present, key=lambda place: -counts[place])[: _N_READ - 1]


def _lead(number: int, n_rules: int) -> str:
    if n_rules == 0:
        return "always"
    return "else" if number == n_rules else "if" if number == 0 else "else if"


def _interval(correct: float, support: float) -> list[float] | None:
    """Return where the probability of the rule's class lies; None for real weights or no rows."""
    if not support or int(correct) != correct or int(support) != support:
        return None
    wrong, n_rows = int(support - correct), int(support)
    return [
        1 - binomial_upper_limit(wrong, n_rows=n_rows, delta=_DOUBT / 2),
        1 - binomial_lower_limit(wrong, n_rows=n_rows, delta=_DOUBT / 2),
    ]


def _certificate(fitted: FittedRuleList) -> dict[str, Any]:
    certificate = fitted.certificate
    allowed = certificate.lower_bound + certificate.epsilon * max(
        certificate.lower_bound, certificate.theta
    )
    return {
        "sentences": str(certificate).split("\n")[:2],
        "formal": str(certificate).split("\n")[-1],
        "holds": certificate.holds,
        "epsilon": certificate.epsilon,
        "theta": certificate.theta,
        "delta": certificate.delta,
        "achieved_epsilon": certificate.achieved_epsilon,
        "lower_bound": certificate.lower_bound,
        "upper_bound": certificate.upper_bound,
        "allowed": allowed,
        "rows_used": certificate.train_rows,
        "paper_rows": _paper_rows(fitted),
    }


def _paper_rows(fitted: FittedRuleList) -> int | None:
    """Return the rows the paper's theorem asks for; None if it was told an epsilon of 0."""
    asked, n_conditions = fitted.settings, len(fitted.binarizer)
    if not asked.epsilon or not n_conditions:
        return None
    return sample_size(
        n_conditions,
        max_rules=asked.max_rules,
        max_terms=min(asked.max_terms, n_conditions),
        epsilon=asked.epsilon,
        theta=asked.theta,
        delta=asked.delta,
        n_classes=len(fitted.classes),
        regularization=asked.regularization,
    )


def _stage(stage: StageResult) -> dict[str, Any]:
    return {
        "rows": stage.rows,
        "n_rules": stage.n_rules,
        "loss": stage.loss,
        "lower_bound": stage.lower_bound,
        "table_loss": stage.table_loss,
        "validation_rows": stage.validation_rows,
        "validation_errors": stage.validation_errors,
        "status": str(stage.status),
    }


def _confusion(
    rule_list: RuleList, counts: list[Sequence[float]], classes: Sequence[Any]
) -> list[list[float]]:
    """Return weight by true class (rows) and predicted class (columns)."""
    table = [[0.0] * len(classes) for _ in classes]
    for rule, found in zip(rule_list, counts, strict=True):
        predicted = classes.index(rule.prediction)
        for actual, weight in enumerate(found):
            table[actual][predicted] += weight
    return table


def _predicted(rule_list: RuleList, classes: Sequence[Any]) -> list[int]:
    """Return the places of the classes that some rule predicts; no row is in another column."""
    return sorted({classes.index(rule.prediction) for rule in rule_list})


def _roc(counts: list[Sequence[float]]) -> dict[str, Any] | None:
    """Return the ROC curve of the second class, rules in order of its share, and its area."""
    negatives, positives = (sum(found[c] for found in counts) for c in (0, 1))
    if not negatives or not positives:
        return None
    points, x, y, area = [[0.0, 0.0]], 0.0, 0.0, 0.0
    decided = [found for found in counts if sum(found)]
    for found in sorted(decided, key=lambda one: one[1] / sum(one), reverse=True):
        dx, dy = found[0] / negatives, found[1] / positives
        area += dx * (y + dy / 2)
        x, y = x + dx, y + dy
        points.append([x, y])
    return {"points": points, "area": area}


def _fields(rule_list: RuleList) -> list[dict[str, Any]]:
    """Return what somebody who tries a row must fill in: each column once, with what is asked."""
    fields: dict[str, dict[str, Any]] = {}
    for condition in (one for rule in rule_list for one in rule.conditions):
        field = fields.setdefault(
            condition.column, {"column": condition.column, "type": None, "suggestions": []}
        )
        if condition.op != Operator.IS_MISSING:
            field["type"] = str(condition.type)
            if (value := _exact_text(condition)) not in field["suggestions"]:
                field["suggestions"].append(value)
    return list(fields.values())


def _program(rule_list: RuleList) -> list[dict[str, Any]]:
    """Return the rules as the page's own script reads them."""
    return [
        {
            "conditions": [
                {
                    "column": condition.column,
                    "op": str(condition.op),
                    "type": str(condition.type),
                    "value": _exact_text(condition),
                }
                for condition in rule.conditions
            ],
        }
        for rule in rule_list
    ]


def _exact_text(condition: Condition) -> str | None:
    """Return the value with every digit, as the script compares it."""
    value = condition.value
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    isoformat = getattr(value, "isoformat", None)
    if isoformat is not None:
        return str(isoformat())
    return repr(value) if isinstance(value, float) else str(value)
