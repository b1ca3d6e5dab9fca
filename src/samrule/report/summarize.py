"""Everything the page shows, as a dict of plain values: no HTML here, and no arithmetic there."""

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING
from typing import Any

import numpy as np

from samrule.evaluation import Evaluation, accuracy_interval, probabilities_of
from samrule.learning import FittedRuleList, StageResult
from samrule.rules import Condition, Operator, Rule, RuleList, value_text
from samrule.scores import Scores, roc_points, scores
from samrule.theory.words import exact_text, percent_text

# Classes that can be told apart by colour, and class counts that can be read in a line.
_N_COLOURS = 8
_N_READ = 4


def summary(
    fitted: FittedRuleList,
    evaluation: Evaluation | None = None,
    *,
    unseen: bool = False,
    test: Evaluation | None = None,
    held_out: bool = False,
) -> dict[str, Any]:
    """Return what is known about a model, on the rows it knows or on those of an evaluation.

    Parameters
    ----------
    fitted
        The model.
    evaluation
        What its list does on another table; all counts are then of that table's rows.
    unseen
        Whether the list never saw these rows: only then do they tell about rows to come.
    test
        What it does on test rows, told beside all that.
    held_out
        Whether these were held out of the table at random: then it is known that the list never saw
        them, and not only said.
    """
    if evaluation is not None:
        evaluation = evaluation.unweighted
    classes = fitted.classes if evaluation is None else evaluation.classes
    counts = _counts(fitted.rule_list, evaluation)
    rows_of = _origin(fitted, evaluation, held_out=held_out)
    unseen = unseen and evaluation is not None and not fitted.has_counted(evaluation)
    return {
        "target": fitted.target,
        **_counted(fitted.rule_list, counts, classes, rows_of, unseen=unseen),
        "unseen": unseen,
        "held_out": held_out,
        "weighting": fitted.weighting,
        "test": None if test is None else _test(fitted.rule_list, test.unweighted),
        "certificate": _certificate(fitted),
        "advice": fitted.advice,
        "strategy": {"name": fitted.strategy, "reason": fitted.reason},
        "trace": [_stage(stage) for stage in fitted.trace],
        "path": list(fitted.trace[-1].path) if fitted.trace else [],
        "confusion": _confusion(fitted.rule_list, counts, classes),
        "predicted": _predicted(fitted.rule_list, classes),
        "scores": _scores(fitted.rule_list, counts, classes),
        "roc": _roc(fitted.rule_list, counts) if len(classes) == 2 else None,
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
    """Return per rule, the default last, the rows it decided of each class."""
    if evaluation is None:
        return [rule.class_counts or (0,) * len(rule_list.classes) for rule in rule_list]
    return [one.row_counts for one in evaluation.rules]


def _origin(fitted: FittedRuleList, evaluation: Evaluation | None, *, held_out: bool) -> str:
    if evaluation is not None and fitted.has_counted(evaluation):
        return "the table given with the report, most likely the one it was learned from"
    if evaluation is not None:
        return "the table given with the report"
    if fitted.counts == "sample":
        return "the sample it was learned from"
    return f"the table it was learned from{', without the test rows' if held_out else ''}"


def _test(rule_list: RuleList, test: Evaluation) -> dict[str, Any]:
    counts: list[Sequence[float]] = [one.row_counts for one in test.rules]
    return {
        **_counted(rule_list, counts, test.classes, "the test rows", unseen=True),
        "scores": _score_lines(test.scores, test.classes),
        "confusion": _confusion(rule_list, counts, test.classes),
        "predicted": _predicted(rule_list, test.classes),
    }


def _scores(
    rule_list: RuleList, counts: list[Sequence[float]], classes: Sequence[Any]
) -> dict[str, Any]:
    predicted = [classes.index(rule.prediction) for rule in rule_list]
    probabilities = probabilities_of(list(rule_list), len(classes))
    return _score_lines(scores(np.array(counts), predicted, probabilities), classes)


def _score_lines(found: Scores, classes: Sequence[Any]) -> dict[str, Any]:
    """Return figures as a table of names and numbers, and per class; None for what is none."""
    return {
        "overall": [
            {"name": name, "value": _number(value)}
            for name, value in (
                ("accuracy", found.accuracy),
                ("balanced accuracy", found.balanced_accuracy),
                ("area under the ROC curve", found.auc),
                ("log loss", found.log_loss),
                ("Brier score", found.brier),
            )
        ],
        "by_class": [
            {"name": value_text(one), "precision": _number(precision), "recall": _number(recall)}
            for one, precision, recall in zip(classes, found.precision, found.recall, strict=True)
        ],
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


def _counted(
    rule_list: RuleList,
    counts: list[Sequence[float]],
    classes: Sequence[Any],
    rows_of: str,
    *,
    unseen: bool = False,
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
        "rules": list(_rules(rule_list, counts, right, total, unseen=unseen)),
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
    rule_list: RuleList,
    counts: list[Sequence[float]],
    right: list[float],
    total: float,
    *,
    unseen: bool,
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
            "right": correct,
            "interval": accuracy_interval(int(correct), int(support)) if unseen else None,
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


def _certificate(fitted: FittedRuleList) -> dict[str, Any]:
    certificate = fitted.certificate
    allowed = certificate.lower_bound + certificate.epsilon * max(
        certificate.lower_bound, certificate.theta
    )
    return {
        "sentences": list(certificate.sentences),
        "formal": certificate.formal_statement,
        "holds": certificate.holds,
        "asked": percent_text(certificate.epsilon, ROUND_CEILING),
        "theta": exact_text(certificate.theta),
        "proven": percent_text(certificate.achieved_epsilon, ROUND_CEILING),
        "loss": "weighted loss" if certificate.weighted else "loss",
        "lower_bound": certificate.lower_bound,
        "upper_bound": certificate.upper_bound,
        "allowed": allowed,
        "train_rows": certificate.train_rows,
        "paper_rows": fitted.paper_rows,
    }


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


def _roc(rule_list: RuleList, counts: list[Sequence[float]]) -> dict[str, Any] | None:
    """Return the ROC curve of the second class by the probability rules give it, and its area."""
    rules, table = list(rule_list), np.array(counts, dtype=np.float64)
    probabilities = probabilities_of(rules, 2)
    if probabilities is None or not table.sum(axis=0).all():
        return None
    predicted = [rule_list.classes.index(rule.prediction) for rule in rules]
    return {
        "points": roc_points(table, probabilities[:, 1], 1).tolist(),
        "area": scores(table, predicted, probabilities).auc,
    }


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
