"""`samrule evaluate`: how good a model is on a table, rule by rule."""

import json
from typing import TYPE_CHECKING, Any

import typer

from samrule.checks import DEFAULTS, checked
from samrule.cli.model_view import SAME_TABLE, evaluation_json, load_model, print_evaluation
from samrule.cli.options import (
    AsJson,
    Groups,
    MissingTarget,
    Model,
    Precision,
    Prices,
    Query,
    Tables,
    TrueClasses,
    Weights,
)
from samrule.cli.reading import with_reading
from samrule.cli.screen import plain, screen
from samrule.cli.tables import opened

if TYPE_CHECKING:
    from samrule.learning import ColumnPrice


@with_reading
def evaluate(
    model: Model,
    tables: Tables,
    *,
    target: TrueClasses = None,
    weights: Weights = None,
    query: Query = None,
    reading: dict[str, Any],
    missing_target: MissingTarget = "error",
    precision: Precision = DEFAULTS["precision"],
    groups: Groups = None,
    prices: Prices = False,
    as_json: AsJson = False,
) -> None:
    """Count every row of a table: error rate, other scores, what each rule decides, confusion.

    [bold]Examples[/]

    [green]samrule evaluate model.json test.parquet[/]
    [green]samrule evaluate model.json test.csv --target label --json[/]
    [green]samrule evaluate model.json payments.csv --precision 0.5[/]
    [green]samrule evaluate model.json test.csv --groups sex[/]
    [green]samrule evaluate model.json customers.csv --prices[/]
    """
    from samrule.learning import column_prices

    checked("precision", precision)
    fitted = load_model(model)
    options = {"weights": weights, "query": query, "missing_target": missing_target, **reading}
    with opened(tables, target or fitted.target, **options) as source:
        evaluation = fitted.evaluate(source, groups=groups)
        found_prices = column_prices(fitted, source) if prices else ()
    if as_json:
        found = evaluation_json(evaluation, fitted, precision=precision)
        found["prices"] = [_price_json(one) for one in found_prices] if prices else None
        typer.echo(json.dumps(found, indent=1, allow_nan=False))
    else:
        console = screen()
        if fitted.has_counted(evaluation):
            console.print(f"{SAME_TABLE}\n")
        print_evaluation(console, evaluation, fitted, precision=precision)
        if prices:
            console.print(plain(f"\nLists of all conditions, searched on {source.name} itself:"))
        for one in found_prices:
            console.print(plain(f"  {one}"))


def _price_json(price: "ColumnPrice") -> dict[str, Any]:
    return {
        "column": price.column,
        "loss_with": price.loss_with,
        "loss_without": price.loss_without,
        "least_with": price.least_with,
        "least_without": price.least_without,
    }
