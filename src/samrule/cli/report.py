"""`samrule report`: one HTML page about a model."""

from pathlib import Path
from typing import Annotated, Any

import typer

from samrule.cli.model_view import load_model
from samrule.cli.options import (
    Groups,
    MissingTarget,
    Model,
    Prices,
    Query,
    TrueClasses,
)
from samrule.cli.outputs import check_outputs
from samrule.cli.reading import with_reading
from samrule.cli.tables import opened
from samrule.errors import ParameterError


@with_reading
def report(
    model: Model,
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            help="Count on this table; without, on the rows the model knows.",
            metavar="[TABLE...]",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")],
    target: TrueClasses = None,
    query: Query = None,
    reading: dict[str, Any],
    missing_target: MissingTarget = "error",
    unseen: Annotated[
        bool,
        typer.Option(
            "--unseen",
            help="The list never saw the rows of TABLE: show what they say about rows to come.",
        ),
    ] = False,
    groups: Groups = None,
    prices: Prices = False,
) -> None:
    """Write one HTML page: rules, certificate, errors, and a row to try.

    [bold]Examples[/]

    [green]samrule report model.json -o page.html[/]
    [green]samrule report model.json test.parquet --unseen --groups sex -o page.html[/]
    """
    fitted = load_model(model)
    check_outputs([output], tables=tables or [], files=[model])
    if (groups is not None or prices) and not tables:
        raise ParameterError(
            f"{'--prices' if groups is None else '--groups'} is given, and no table to count on.",
            hint="name the table: samrule report model.json test.csv --groups sex -o page.html.",
        )
    if not tables:
        fitted.report(output)
    else:
        options = {"query": query, "missing_target": missing_target, **reading}
        with opened(tables, target or fitted.target, **options) as source:
            fitted.report(output, source, unseen=unseen, groups=groups, prices=prices)
    typer.echo(f"Wrote {output}.")
