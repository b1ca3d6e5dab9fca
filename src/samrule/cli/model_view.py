"""Models on the command line: read from files, shown on the screen, written as JSON."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from samrule.cli.messages import in_options
from samrule.cli.screen import bar, plain, print_facts
from samrule.rules import RuleList, value_text

if TYPE_CHECKING:
    from samrule.evaluation import Evaluation
    from samrule.learning import FittedRuleList

# What a rule decided: the share of all rows, and the share of those that it gets right.
Decided = tuple[float, float]

# More columns than this are not listed by name; the model file has them all.
_MOST_LISTED = 6


def load_model(path: Path) -> "FittedRuleList":
    """Return the model in a file."""
    from samrule.learning import load

    return load(path)


def print_model(
    console: Console, fitted: "FittedRuleList", *, seconds: float | None = None
) -> None:
    """Print the rules, what is proven about them, how they were found, and what was left out."""
    where = "the table" if fitted.counts == "table" else "the sample"
    console.print(plain(f"Rules that predict {fitted.target} (shares of {where}):\n"))
    print_rules(console, fitted.rule_list, _decided(fitted.rule_list))
    for sentence in str(fitted.certificate).splitlines()[:2]:
        console.print(plain(sentence))
    if fitted.advice is not None:
        console.print(plain(f"\n{fitted.advice.what}"))
        console.print(plain(f"Hint: {in_options(fitted.advice.hint)}"))
    console.print()
    took = [] if seconds is None else [("time", f"{seconds:.1f} s")]
    print_facts(console, [*_facts(fitted), *took])


def print_evaluation(console: Console, evaluation: "Evaluation", rule_list: RuleList) -> None:
    """Print the error, what each rule decided, and which classes are taken for which."""
    print_facts(
        console,
        [
            ("error", f"{evaluation.error:.6f} on {evaluation.n_rows:,} rows"),
            ("accuracy", f"{evaluation.accuracy:.6f}"),
        ],
    )
    console.print()
    decided = [(rule.coverage, rule.accuracy) for rule in evaluation.rules]
    print_rules(console, rule_list, decided)
    console.print(Padding(_confusion_table(evaluation), (0, 0, 0, 2), expand=False))


def print_rules(console: Console, rule_list: RuleList, decided: Sequence[Decided]) -> None:
    """Print a numbered line per rule, with the share of rows it decides as a bar."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right", style="dim")
    table.add_column("")
    table.add_column("")
    table.add_column("covers", justify="right", no_wrap=True)
    table.add_column("right", justify="right", no_wrap=True)
    lines = zip(str(rule_list).splitlines(), decided, strict=True)
    for number, (line, (coverage, right)) in enumerate(lines, start=1):
        shares = (bar(coverage, console), percent(coverage), percent(right))
        table.add_row(str(number), plain(line, "bold"), *shares)
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def evaluation_json(evaluation: "Evaluation") -> dict[str, Any]:
    """Return an evaluation as JSON values; what is not a number is null."""
    from samrule.export.json import value_to_json

    return {
        "n_rows": evaluation.n_rows,
        "weight": evaluation.weight,
        "error": evaluation.error,
        "accuracy": evaluation.accuracy,
        "classes": [value_to_json(one) for one in evaluation.classes],
        "confusion": evaluation.confusion.tolist(),
        "rules": [
            {
                "rule": str(one.rule),
                "n_rows": one.n_rows,
                "coverage": one.coverage,
                "accuracy": None if math.isnan(one.accuracy) else one.accuracy,
            }
            for one in evaluation.rules
        ],
    }


def model_json(fitted: "FittedRuleList") -> dict[str, Any]:
    """Return what there is to know about a model as JSON values."""
    from samrule.export.json import rule_list_to_dict

    return {
        "target": fitted.target,
        "text": str(fitted.rule_list),
        "rule_list": rule_list_to_dict(fitted.rule_list),
        "certificate": asdict(fitted.certificate),
        "strategy": fitted.strategy,
        "reason": fitted.reason,
        "counts": fitted.counts,
        "rows_used": rows_used(fitted),
        "paper_rows": paper_rows(fitted),
        "path": list(fitted.trace[-1].path),
        "advice": None if fitted.advice is None else asdict(fitted.advice),
        "left_out": [asdict(one) for one in fitted.binarizer.left_out],
    }


def rows_used(fitted: "FittedRuleList") -> int:
    """Return how many rows were learned from, pilot and validation rows included."""
    certificate = fitted.certificate
    if certificate.argument == "exact":
        return certificate.train_rows
    return certificate.pilot_rows + certificate.train_rows + certificate.validation_rows


def paper_rows(fitted: "FittedRuleList") -> int:
    """Return how many rows the paper would draw for the same promise."""
    from samrule.theory import sample_size

    settings, n_conditions = fitted.settings, len(fitted.binarizer)
    max_terms = min(settings.max_terms, n_conditions)
    return sample_size(
        n_conditions,
        max_rules=settings.max_rules,
        max_terms=max_terms,
        epsilon=settings.epsilon,
        theta=settings.theta,
        delta=settings.delta,
        n_classes=len(fitted.classes),
        n_conjunctions=fitted.binarizer.n_conjunctions(max_terms),
    )


def percent(share: float) -> str:
    """Return a share as people read it.

    >>> percent(0.0351), percent(float("nan"))
    ('3.5 %', '-')
    """
    return "-" if math.isnan(share) else f"{100 * share:.1f} %"


def _decided(rule_list: RuleList) -> list[Decided]:
    total = rule_list.support
    places = [rule_list.classes.index(rule.prediction) for rule in rule_list]
    return [
        (
            rule.support / total if total else 0.0,
            rule.class_counts[place] / rule.support if rule.support else math.nan,
        )
        for rule, place in zip(rule_list, places, strict=True)
    ]


def _facts(fitted: "FittedRuleList") -> Iterable[tuple[str, object]]:
    yield "strategy", f"{fitted.strategy}: {fitted.reason}"
    yield "rows used", _rows_text(fitted)
    yield "conditions", f"{len(fitted.binarizer):,} on {len(fitted.binarizer.columns):,} columns"
    steps = (f"{loss:.4f} with {n}" for n, loss in enumerate(fitted.trace[-1].path))
    yield "least loss", ", ".join(steps) + " rules"
    left_out = fitted.binarizer.left_out
    if left_out:
        named = "; ".join(str(one) for one in left_out[:_MOST_LISTED])
        more = len(left_out) - _MOST_LISTED
        yield "left out", f"{named}; and {more:,} more" if more > 0 else named


def _rows_text(fitted: "FittedRuleList") -> str:
    certificate = fitted.certificate
    if certificate.argument == "exact":
        return f"all {certificate.train_rows:,}"
    parts = [
        f"{certificate.pilot_rows:,} for the conditions",
        f"{certificate.train_rows:,} to learn",
    ]
    if certificate.validation_rows:
        parts.append(f"{certificate.validation_rows:,} to validate")
    return f"{', '.join(parts)}; the paper would draw {paper_rows(fitted):,} to learn"


def _confusion_table(evaluation: "Evaluation") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("true \\ predicted")
    for one in evaluation.classes:
        table.add_column(plain(value_text(one)), justify="right")
    for one, row in zip(evaluation.classes, evaluation.confusion, strict=True):
        table.add_row(plain(value_text(one)), *(f"{count:,.10g}" for count in row))
    return table
