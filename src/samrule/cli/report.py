"""`samrule report`: one HTML page about a model."""

from pathlib import Path
from typing import Annotated

import typer

from samrule.cli.model_view import load_model
from samrule.cli.options import (
    DecimalMark,
    Delimiter,
    Encoding,
    Header,
    MissingTarget,
    MissingValues,
    Model,
    Query,
    Sheet,
    TrueClasses,
    Types,
    reading,
)
from samrule.cli.outputs import check_outputs
from samrule.cli.tables import opened


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
    missing_values: MissingValues = None,
    delimiter: Delimiter = None,
    decimal: DecimalMark = None,
    encoding: Encoding = None,
    header: Header = None,
    types: Types = None,
    sheet: Sheet = None,
    missing_target: MissingTarget = "error",
    unseen: Annotated[
        bool,
        typer.Option(
            "--unseen",
            help="The list never saw the rows of TABLE: show what they say about rows to come.",
        ),
    ] = False,
) -> None:
    """Write one HTML page: rules, certificate, errors, and a row to try.

    [bold]Examples[/]

    [green]samrule report model.json -o page.html[/]
    [green]samrule report model.json test.parquet --unseen -o page.html[/]
    """
    fitted = load_model(model)
    check_outputs([output], tables=tables or [], files=[model])
    if not tables:
        fitted.report(output)
    else:
        as_written = reading(
            missing_values=missing_values,
            delimiter=delimiter,
            decimal=decimal,
            encoding=encoding,
            header=header,
            types=types,
            sheet=sheet,
        )
        options = {"query": query, "missing_target": missing_target, **as_written}
        with opened(tables, target or fitted.target, **options) as source:
            fitted.report(output, source, unseen=unseen)
    typer.echo(f"Wrote {output}.")
