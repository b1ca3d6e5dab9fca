"""Everything the page shows, as a dict of plain values: no HTML here, and no arithmetic there."""

from collections.abc import Sequence
from decimal import ROUND_CEILING
from typing import Any

import numpy as np

from samrule.evaluation import Evaluation, evaluation_of_counts
from samrule.learning import FittedRuleList, StageResult
from samrule.rules import Operator, RuleList, Value, value_text
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
    counted = fitted.evaluation if evaluation is None else evaluation.unweighted
    rows_of = _origin(fitted, evaluation, held_out=held_out)
    unseen = unseen and evaluation is not None and not fitted.has_counted(evaluation)
    return {
        "target": fitted.target,
        **_counted(fitted.rule_list, counted, rows_of, unseen=unseen),
        "unseen": unseen,
        "groups": _groups(counted, test, unseen=unseen),
        "held_out": held_out,
        "weighting": fitted.weighting,
        "test": None if test is None else _test(fitted.rule_list, test.unweighted),
        "certificate": _certificate(fitted),
        "advice": fitted.advice,
        "strategy": {"name": fitted.strategy, "reason": fitted.reason},
        "trace": [_stage(stage) for stage in fitted.trace],
        "path": list(fitted.path),
        "cross_validation": _curve(fitted),
        "roc": None if counted is None else _roc(counted),
        "left_out": [
            {"columns": names, "reason": reason}
            for reason, names in fitted.conditions.columns_by_reason.items()
        ],
        "shape": fitted.shape,
        "fields": _fields(fitted.rule_list),
        "program": _program(fitted.rule_list),
    }


def rules_summary(rule_list: RuleList) -> dict[str, Any]:
    """Return the part of `summary` that a list alone knows: the rules, and what they decided."""
    return _counted(rule_list, evaluation_of_counts(rule_list), "the training rows")


def _origin(fitted: FittedRuleList, evaluation: Evaluation | None, *, held_out: bool) -> str:
    if evaluation is not None and fitted.has_counted(evaluation):
        return "the table given with the report, most likely the one it was learned from"
    if evaluation is not None:
        return "the table given with the report"
    if fitted.counts == "sample":
        return "the sample it was learned from"
    return f"the table it was learned from{', without the test rows' if held_out else ''}"


def _test(rule_list: RuleList, test: Evaluation) -> dict[str, Any]:
    return _counted(rule_list, test, "the test rows", unseen=True)


def _groups(
    counted: Evaluation | None, test: Evaluation | None, *, unseen: bool
) -> dict[str, Any] | None:
    """Return figures by group, of the test rows if they have some; None without groups."""
    told = [one for one in (test, counted) if one is not None and one.audit is not None]
    if not told:
        return None
    audit = told[0].audit
    assert audit is not None
    return {
        "column": audit.column,
        "unseen": unseen or told[0] is test,
        "rows": [
            {
                "group": group.name,
                "n_rows": group.n_rows,
                "class": value_text(group.classes[place].label),
                "figures": [str(one) for one in group.figures(place)],
                "expected": _number(group.classes[place].expected),
                "calibrated": group.classes[place].is_calibrated,
            }
            for group in audit.groups
            for place in audit.shown_classes
        ],
    }


def _score_lines(counted: Evaluation) -> dict[str, Any]:
    """Return figures as a table of names and numbers, and per class; None for what is none."""
    found = counted.scores
    return {
        "overall": [
            {"name": name, "value": _number(value)}
            for name, value in (
                ("accuracy", found.accuracy),
                ("balanced accuracy", found.balanced_accuracy),
                ("area under the ROC curve", found.auc),
                (f"average precision, {counted.ranked}", found.average_precision),
                ("log loss", found.log_loss),
                ("Brier score", found.brier),
                ("= reliability (0 is best)", found.reliability),
                ("- resolution (more is better)", found.resolution),
                ("+ uncertainty of the rows", found.uncertainty),
            )
        ],
        "by_class": [
            {"name": value_text(one), "precision": _number(precision), "recall": _number(recall)}
            for one, precision, recall in zip(
                counted.classes, found.precision, found.recall, strict=True
            )
        ],
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


def _counted(
    rule_list: RuleList, counted: Evaluation | None, rows_of: str, *, unseen: bool = False
) -> dict[str, Any]:
    """Return what rules decide and how good they are; without figures if no row was counted."""
    classes = rule_list.classes if counted is None else counted.classes
    names = [value_text(one) for one in classes]
    n_of_class = [0.0] * len(classes) if counted is None else counted.confusion.sum(axis=1).tolist()
    colours = _colours(n_of_class)
    return {
        "classes": names,
        "colours": colours,
        "legend": _legend(names, colours),
        "rows": {"n": 0 if counted is None else counted.weight, "of": rows_of},
        "error_rate": None if counted is None else counted.error_rate,
        "accuracy": None if counted is None else counted.accuracy,
        "rules": [
            _rule(number, rule_list, counted, unseen=unseen)
            for number in range(rule_list.n_rules + 1)
        ],
        "scores": None if counted is None else _score_lines(counted),
        "confusion": [] if counted is None else counted.confusion.tolist(),
        "reliability": None if counted is None else _reliability(counted),
        "predicted": sorted({classes.index(rule.prediction) for rule in rule_list}),
    }


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


def _rule(
    number: int, rule_list: RuleList, counted: Evaluation | None, *, unseen: bool
) -> dict[str, Any]:
    rule = list(rule_list)[number]
    found = {
        "number": number + 1,
        "lead": _lead(number, rule_list.n_rules),
        "conditions": [str(condition) for condition in rule.conditions],
        "prediction": value_text(rule.prediction),
    }
    if counted is None:
        return found | _decided_nothing(len(rule_list.classes))
    return found | _decided(number, counted, unseen=unseen)


def _decided(number: int, counted: Evaluation, *, unseen: bool) -> dict[str, Any]:
    """Return what one rule decided; `before` is the share that the rules before it decided."""
    rule = counted.rules[number]
    most, support = _most(rule.class_counts), sum(rule.class_counts)
    return {
        "support": support,
        "counts": list(rule.class_counts),
        "most": most,
        "others": support - sum(rule.class_counts[place] for place in most or []),
        "before": sum(one.coverage for one in counted.rules[:number]),
        "coverage": rule.coverage,
        "accuracy": _number(rule.accuracy),
        "right": rule.n_right,
        "interval": rule.accuracy_interval if unseen else None,
        "rare": _rare(number, counted),
    }


def _rare(number: int, counted: Evaluation) -> str | None:
    """Return how the rule raises the rate of a rare class, in words; None if none is."""
    if counted.lifts is None or counted.rare_class is None:
        return None
    return f"{value_text(counted.rare_class)} in {counted.lifts[number]}"


def _decided_nothing(n_classes: int) -> dict[str, Any]:
    """Return what is said of a rule if no row was counted."""
    return {
        "support": 0,
        "counts": [0] * n_classes,
        "most": None,
        "others": 0,
        "before": 0.0,
        "coverage": 0.0,
        "accuracy": None,
        "right": 0,
        "interval": None,
        "rare": None,
    }


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
    return {
        "bounds_sentence": certificate.bounds_sentence,
        "promise_sentence": certificate.promise_sentence,
        "alerts_sentence": fitted.alerts_sentence,
        "formal_statement": certificate.formal_statement,
        "holds": certificate.holds,
        "epsilon": None
        if certificate.epsilon is None
        else percent_text(certificate.epsilon, ROUND_CEILING),
        "theta": exact_text(certificate.theta),
        "achieved_epsilon": percent_text(certificate.achieved_epsilon, ROUND_CEILING),
        "loss": certificate.kind_of_loss,
        "lower_bound": certificate.lower_bound,
        "upper_bound": certificate.upper_bound,
        "allowed_loss": certificate.allowed_loss,
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


def _curve(fitted: FittedRuleList) -> dict[str, Any] | None:
    """Return what chose the number of rules; None if it was asked for."""
    curve = fitted.cross_validation
    if curve is None:
        return None
    return {
        "losses": list(curve.losses),
        "standard_errors": list(curve.standard_errors),
        "max_rules": curve.max_rules,
        "sentence": f"{curve}.".capitalize(),
    }


def _roc(counted: Evaluation) -> dict[str, Any] | None:
    """Return the ROC curve of the second of two classes, and the area under it."""
    points = counted.roc_curve
    return None if points is None else {"points": points.tolist(), "area": counted.scores.auc}


def _reliability(counted: Evaluation) -> dict[str, Any] | None:
    """Return what rules say of the second of two classes, and what is so."""
    curve = counted.reliability_curve
    if curve is None:
        return None
    return {"class": value_text(counted.classes[1]), "curve": curve.tolist()}


def _fields(rule_list: RuleList) -> list[dict[str, Any]]:
    """Return what to fill in to try a row: each column once, with the values rules compare with."""
    fields: dict[str, dict[str, Any]] = {}
    for condition in (one for rule in rule_list for one in rule.conditions):
        field = fields.setdefault(
            condition.column, {"column": condition.column, "type": None, "suggestions": []}
        )
        if condition.op != Operator.IS_MISSING:
            field["type"] = str(condition.type)
        if condition.op != Operator.IS_MISSING and condition.unit is None:
            values = [_exact_text(one) for one in condition.values[:_MOST_SUGGESTIONS]]
            field["suggestions"] += [one for one in values if one not in field["suggestions"]]
    return list(fields.values())


_MOST_SUGGESTIONS = 50


def _program(rule_list: RuleList) -> list[dict[str, Any]]:
    """Return the rules as the page's own script reads them."""
    return [
        {
            "conditions": [
                {
                    "column": condition.column,
                    "op": str(condition.op),
                    "type": str(condition.type),
                    "unit": condition.unit,
                    "values": [_exact_text(one) for one in condition.values],
                }
                for condition in rule.conditions
            ],
        }
        for rule in rule_list
    ]


def _exact_text(value: Value) -> str:
    """Return the value with every digit, as the script compares it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    isoformat = getattr(value, "isoformat", None)
    if isoformat is not None:
        return str(isoformat())
    return repr(value) if isinstance(value, float) else str(value)
