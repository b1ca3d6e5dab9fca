"""Models on the command line: read from files, shown on the screen, written as JSON."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from samrule.cli.audit_view import audit_json, print_audit
from samrule.cli.messages import in_options
from samrule.cli.screen import bar, plain, print_facts
from samrule.rules import RuleList, column_text, value_text

if TYPE_CHECKING:
    from samrule.evaluation import Evaluation, Lift, RuleEvaluation
    from samrule.learning import FittedRuleList
    from samrule.scores import Scores

# More columns than this are not listed by name; the model file has them all.
_MOST_LISTED = 6


# What the list does on a table that it was learned from is no test of it.
SAME_TABLE = (
    "These counts are just those of the table it was learned from: most likely it is the same "
    "table, and this is no test."
)


def load_model(path: Path) -> "FittedRuleList":
    """Return the model in a file."""
    from samrule.learning import load

    return load(path)


def print_model(
    console: Console, fitted: "FittedRuleList", *, seconds: float | None = None
) -> None:
    """Print the rules, what is proven about them, how they were found, and what was left out."""
    where = "the table" if fitted.counts == "table" else "the sample"
    shares = f"shares of {where}{', every row counted once' if fitted.weighting else ''}"
    console.print(plain(f"Rules that predict {fitted.target} ({shares}):\n"))
    print_rules(console, fitted.rule_list, fitted.evaluation)
    console.print(plain(fitted.certificate.bounds_sentence))
    console.print(plain(fitted.certificate.promise_sentence))
    if fitted.alerts_sentence is not None:
        console.print(plain(fitted.alerts_sentence))
    if fitted.advice is not None:
        console.print(plain(f"\n{fitted.advice.what}"))
        console.print(plain(f"Hint: {in_options(fitted.advice.hint)}"))
    console.print()
    took = [] if seconds is None else [("time", f"{seconds:.1f} s")]
    print_facts(console, [*_facts(fitted), *took])


def print_evaluation(
    console: Console,
    evaluation: "Evaluation",
    fitted: "FittedRuleList",
    *,
    precision: float | None = None,
) -> None:
    """Print how good it is, what each rule decided, and which classes are taken for which."""
    by_rows = evaluation.unweighted
    found = _recall_at(by_rows, precision)
    alerts = _alerts(by_rows, fitted)
    print_facts(console, [*_scores(evaluation), *found, *alerts, *_weighting(evaluation, fitted)])
    console.print()
    print_rules(console, fitted.rule_list, by_rows)
    console.print(Padding(_confusion_table(by_rows), (0, 0, 0, 2), expand=False))
    if evaluation.audit is not None:
        print_audit(console, evaluation.audit, is_test=not fitted.has_counted(evaluation))


def _scores(evaluation: "Evaluation") -> Iterable[tuple[str, object]]:
    by_rows = evaluation.unweighted
    yield "error rate", f"{by_rows.error_rate:.6f} on {by_rows.n_rows:,} rows"
    yield "accuracy", f"{by_rows.accuracy:.6f}"
    yield "balanced accuracy", f"{by_rows.scores.balanced_accuracy:.6f}"
    if by_rows.scores.auc is not None:
        yield "area under ROC", f"{by_rows.scores.auc:.6f}"
        # The second class need not be the rarer one.
        yield "average precision", f"{by_rows.scores.average_precision:.6f} {by_rows.ranked}"
        yield "log loss", f"{by_rows.scores.log_loss:.6f}"
        yield "Brier score", f"{by_rows.scores.brier:.6f}"
        yield "  which is", _brier_parts(by_rows.scores)
    if evaluation.weights is not None:
        yield "weighted error rate", f"{evaluation.error_rate:.6f}, by column {evaluation.weights}"


def _brier_parts(found: "Scores") -> str:
    return (
        f"{found.reliability:.3g} reliability - {found.resolution:.3g} resolution "
        f"+ {found.uncertainty:.3g} uncertainty"
    )


def _recall_at(by_rows: "Evaluation", precision: float | None) -> Iterable[tuple[str, object]]:
    """Tell how many rows of each class are found at a precision, if one was asked for."""
    recalls = None if precision is None else by_rows.recall_at_precision(precision)
    if recalls is not None:
        shown = zip(by_rows.classes, recalls, strict=True)
        text = ", ".join(f"{value_text(one)} {percent(recall)}" for one, recall in shown)
        yield f"recall at precision {precision:g}", text


def _alerts(by_rows: "Evaluation | None", fitted: "FittedRuleList") -> Iterable[tuple[str, object]]:
    """Tell on how many rows the list alerts, if it may only on so many, and F1 if asked for."""
    if by_rows is not None and fitted.alerts is not None:
        yield f"alerts on {value_text(fitted.alert_class)}", by_rows.alerts(fitted.alert_class)
    if by_rows is not None and fitted.objective.positive is not None:
        wanted = fitted.classes[fitted.objective.positive]
        yield f"F1 of {value_text(wanted)}", f"{by_rows.alerts(wanted).f1:.6f}"


def _weighting(evaluation: "Evaluation", fitted: "FittedRuleList") -> Iterable[tuple[str, object]]:
    """Say that rows weighed something else when the list was learned."""
    if fitted.weighting is not None:
        once = "" if evaluation.weights is None else ", but for the weighted error rate"
        yield "learned", f"with rows {fitted.weighting}; here every row counts once{once}"


def print_rules(console: Console, rule_list: RuleList, evaluation: "Evaluation | None") -> None:
    """Print a numbered line per rule, with the share of rows it decides as a bar, if known."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right", style="dim")
    table.add_column("")
    table.add_column("")
    table.add_column("covers", justify="right", no_wrap=True)
    table.add_column("right", justify="right", no_wrap=True)
    lifts = None if evaluation is None else evaluation.lifts
    if evaluation is not None and lifts is not None:
        # Of a rare class rules are seldom sure: what counts is how far they raise its rate.
        table.add_column(plain(value_text(evaluation.rare_class)), justify="right")
        table.add_column("lift", justify="right", no_wrap=True)
    for number, line in enumerate(rule_list.lines):
        shares = (
            ("", "-", "-") if evaluation is None else _shares(evaluation.rules[number], console)
        )
        raised = () if lifts is None else _raised(lifts[number])
        table.add_row(str(number + 1), plain(line, "bold"), *shares, *raised)
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def _shares(rule: "RuleEvaluation", console: Console) -> tuple[str, str, str]:
    return bar(rule.coverage, console), percent(rule.coverage), percent(rule.accuracy)


def _raised(one: "Lift") -> tuple[str, str]:
    if math.isnan(one.rate):
        return "-", "-"
    return f"{100 * one.rate:.3g} %", f"{one.lift:.3g}"


def evaluation_json(
    evaluation: "Evaluation", fitted: "FittedRuleList", *, precision: float | None = None
) -> dict[str, Any]:
    """Return an evaluation as JSON values; what is not a finite number is null."""
    from samrule.export.json import value_to_json

    by_rows = evaluation.unweighted
    return {
        "n_rows": by_rows.n_rows,
        **_figures(by_rows),
        "classes": [value_to_json(one) for one in by_rows.classes],
        "confusion": by_rows.confusion.astype(int).tolist(),
        "rules": [
            {
                "rule": str(one.rule),
                "n_rows": one.n_rows,
                "coverage": one.coverage,
                "accuracy": _finite(one.accuracy),
                "class_counts": list(one.row_counts),
            }
            for one in by_rows.rules
        ],
        "lifts": None if by_rows.lifts is None else _lifts_json(by_rows),
        "alerts": _alerts_json(by_rows, fitted),
        "weighted": None if evaluation.weights is None else _weighted_json(evaluation),
        "learned_with": fitted.weighting,
        "recall_at_precision": _recall_json(by_rows, precision),
        "groups": None if evaluation.audit is None else audit_json(evaluation.audit),
    }


def _lifts_json(by_rows: "Evaluation") -> dict[str, Any]:
    from samrule.export.json import value_to_json

    return {
        "class": value_to_json(by_rows.rare_class),
        "rules": [
            {"rate": _finite(one.rate), "lift": _finite(one.lift)} for one in by_rows.lifts or ()
        ],
    }


def _alerts_json(by_rows: "Evaluation | None", fitted: "FittedRuleList") -> dict[str, Any] | None:
    from samrule.export.json import value_to_json

    if by_rows is None or fitted.alerts is None:
        return None
    counted = {
        name: _finite(one) for name, one in asdict(by_rows.alerts(fitted.alert_class)).items()
    }
    asked = {"class": value_to_json(fitted.alert_class), "asked": fitted.alerts.share}
    return {**asked, **counted}


def _recall_json(by_rows: "Evaluation", precision: float | None) -> dict[str, Any] | None:
    recalls = None if precision is None else by_rows.recall_at_precision(precision)
    if recalls is None:
        return None
    return {"precision": precision, "recall": [_finite(one) for one in recalls]}


def _figures(evaluation: "Evaluation") -> dict[str, Any]:
    found = evaluation.scores
    return {
        "error_rate": evaluation.error_rate,
        "accuracy": evaluation.accuracy,
        "balanced_accuracy": _finite(found.balanced_accuracy),
        "auc": _finite(found.auc),
        "average_precision": _finite(found.average_precision),
        "log_loss": _finite(found.log_loss),
        "brier": _finite(found.brier),
        "reliability": _finite(found.reliability),
        "resolution": _finite(found.resolution),
        "uncertainty": _finite(found.uncertainty),
        "precision": [_finite(one) for one in found.precision],
        "recall": [_finite(one) for one in found.recall],
    }


def _weighted_json(evaluation: "Evaluation") -> dict[str, Any]:
    return {
        "column": evaluation.weights,
        "weight": evaluation.weight,
        **_figures(evaluation),
        "confusion": evaluation.confusion.tolist(),
    }


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def model_json(fitted: "FittedRuleList") -> dict[str, Any]:
    """Return what there is to know about a model as JSON values."""
    from samrule.export.json import rule_list_to_dict

    curve = fitted.cross_validation
    return {
        "target": fitted.target,
        "text": str(fitted.rule_list),
        "rule_list": rule_list_to_dict(fitted.rule_list),
        "certificate": asdict(fitted.certificate),
        "objective": asdict(fitted.objective),
        "loss_name": fitted.loss_name,
        "alerts": _alerts_json(fitted.evaluation, fitted),
        "most_found": fitted.most_found,
        "strategy": fitted.strategy,
        "reason": fitted.reason,
        "counts": fitted.counts,
        "weights": fitted.weights,
        "class_weight": None if fitted.class_weight is None else list(fitted.class_weight),
        "rows_used": None if fitted.rows_used is None else asdict(fitted.rows_used),
        "paper_rows": fitted.paper_rows,
        "path": list(fitted.path),
        "cross_validation": None
        if curve is None
        else {**asdict(curve), "max_rules": curve.max_rules},
        "advice": None if fitted.advice is None else asdict(fitted.advice),
        "constraints": [text for text, _ in fitted.constraints.each()],
        "left_out": [asdict(one) for one in fitted.conditions.left_out],
    }


def percent(share: float) -> str:
    """Return a share as people read it.

    >>> percent(0.0351), percent(float("nan"))
    ('3.5 %', '-')
    """
    return "-" if math.isnan(share) else f"{100 * share:.1f} %"


def _facts(fitted: "FittedRuleList") -> Iterable[tuple[str, object]]:
    yield "strategy", f"{fitted.strategy}: {fitted.reason}"
    if fitted.weighting is not None:
        yield "losses", f"rows are {fitted.weighting}"
    yield "rows used", _rows_text(fitted)
    yield "conditions", f"{len(fitted.conditions):,} on {len(fitted.conditions.columns):,} columns"
    if not fitted.objective.is_error:
        yield "objective", _alerts_text(fitted) or _objective_text(fitted)
    yield from _alerts(fitted.evaluation, fitted)
    if len(fitted.path) > 1 or not fitted.rule_list.rules:  # Constraints leave no path to show.
        steps = (f"{_short(loss)} with {n}" for n, loss in enumerate(fitted.path))
        yield f"least {fitted.loss_name}", ", ".join(steps) + " rules"
    yield from _curve(fitted)
    if fitted.constraints:
        yield "constraints", f"{fitted.constraints}"
    if fitted.conditions.left_out:
        reasons = fitted.conditions.columns_by_reason.items()
        yield "left out", "; ".join(f"{_some(names)}: {reason}" for reason, names in reasons)


def _some(names: Sequence[str]) -> str:
    """Return the first of some columns, and how many more there are."""
    named = ", ".join(column_text(name) for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{named} and {more:,} more" if more > 0 else named


def _curve(fitted: "FittedRuleList") -> Iterable[tuple[str, object]]:
    """Tell what chose the number of rules, if cross-validation did."""
    curve = fitted.cross_validation
    if curve is not None:
        steps = zip(curve.losses, curve.standard_errors, strict=True)
        texts = (f"{_short(loss)} ± {_short(error)}" for loss, error in steps)
        shown = (f"{text} with {n}" for n, text in enumerate(texts))
        yield "held out", ", ".join(shown) + " rules"
        yield "chosen", curve


def _short(loss: float) -> str:
    """Return a loss with four digits, more where it is small.

    >>> _short(0.1), _short(0.001056)
    ('0.1000', '0.00106')
    """
    return f"{loss:.4f}" if loss >= 0.01 or loss == 0 else f"{loss:.3g}"


def _alerts_text(fitted: "FittedRuleList") -> str | None:
    """Say what a missed row costs, where the rate of alerts settled it."""
    if fitted.alerts is None:
        return None
    price = float(fitted.alerts.price(fitted.objective))
    return f"rows missed, one as dear as {(1 - price) / price:.3g} alerts in vain"


def _objective_text(fitted: "FittedRuleList") -> str:
    objective = fitted.objective
    if objective.positive is not None:
        return f"F1 of class {value_text(fitted.classes[objective.positive])}"
    costs = "errors" if objective.costs is None else "costs of wrong classes"
    if not objective.is_probabilistic:
        return f"{costs}, the dearest counted as 1"
    if objective.brier_share == 1:
        return "Brier score of the class shares that rules predict"
    return f"{objective.brier_share:.3g} of it the Brier score, the rest {costs}"


def _rows_text(fitted: "FittedRuleList") -> str:
    """Tell what every row was for that was looked at."""
    certificate = fitted.certificate
    if certificate.argument == "exact":
        return f"all {certificate.train_rows:,}"
    parts = [f"{certificate.train_rows:,} to learn"]
    if certificate.pilot_rows:
        parts.insert(0, f"{certificate.pilot_rows:,} for the conditions")
    if fitted.validation_rows:
        parts.append(f"{fitted.validation_rows:,} to validate")
    if fitted.spare_rows:
        parts.append(f"{fitted.spare_rows:,} held back or drawn ahead")
    told = [", ".join(parts)]
    if fitted.rows_used is not None:
        n_scans = fitted.rows_used.scans
        scans = "once" if n_scans == 1 else f"{n_scans} times"
        told.append(f"all were scanned {scans} for classes and counts")
    if fitted.paper_rows is not None:
        told.append(f"the paper would draw {fitted.paper_rows:,} to learn")
    return "; ".join(told)


def _confusion_table(evaluation: "Evaluation") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("true \\ predicted")
    for one in evaluation.classes:
        table.add_column(plain(value_text(one)), justify="right")
    table.add_column("precision", justify="right")
    table.add_column("recall", justify="right")
    found = evaluation.scores
    lines = zip(
        evaluation.classes, evaluation.confusion, found.precision, found.recall, strict=True
    )
    for one, row, precision, recall in lines:
        counts = (f"{count:,.0f}" for count in row)
        table.add_row(plain(value_text(one)), *counts, percent(precision), percent(recall))
    return table
