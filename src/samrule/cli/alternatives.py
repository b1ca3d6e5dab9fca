"""`samrule alternatives`: all lists nearly as good as the best one, and what they share."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samrule.checks import DEFAULTS
from samrule.cli.model_view import load_model
from samrule.cli.options import AsJson, MissingTarget, Model, Query, Tables
from samrule.cli.reading import with_reading
from samrule.cli.screen import plain, screen
from samrule.cli.tables import opened

if TYPE_CHECKING:
    from samrule.editing import Alternatives

Within = Annotated[
    float,
    typer.Option(help="How far above the least loss a loss may be: 0.02 is 2 %.", metavar="SHARE"),
]
Limit = Annotated[int, typer.Option(help="Most lists to find: the best ones.", metavar="N")]
Show = Annotated[int, typer.Option(help="How many of them to print.", metavar="N", min=0)]
Different = Annotated[
    bool, typer.Option("--different", help="Print those that predict as differently as can be.")
]
Prices = Annotated[
    bool, typer.Option("--prices", help="What it costs to do without each column that all use.")
]
TimeLimit = Annotated[
    float, typer.Option(help="Stop searching after so many seconds.", metavar="SECONDS")
]


@with_reading
def alternatives(
    model: Model,
    tables: Tables,
    *,
    within: Within = DEFAULTS["within"],
    limit: Limit = DEFAULTS["limit"],
    show: Show = 5,
    different: Different = False,
    prices: Prices = False,
    query: Query = None,
    reading: dict[str, Any],
    missing_target: MissingTarget = "error",
    time_limit: TimeLimit = 60,
    as_json: AsJson = False,
) -> None:
    """List every rule list that is nearly as good as the best one, for a model and its table.

    Lists that predict the same on every row count as one. If the time limit ends the search, those
    found until then are listed, and it is said that there may be others.

    [bold]Examples[/]

    [green]samrule alternatives model.json guests.parquet[/]
    [green]samrule alternatives model.json guests.parquet --within 0.05 --different --prices[/]
    [green]samrule alternatives model.json guests.parquet --json[/]
    """
    from samrule.editing import alternatives as alternatives_of

    fitted = load_model(model)
    options = {"weights": fitted.weights, "query": query, "missing_target": missing_target}
    with opened(tables, fitted.target, **options, **reading) as source:
        with screen(stderr=True).status("looking for all good lists", spinner="dots"):
            found = alternatives_of(
                fitted, source, within=within, limit=limit, time_limit=time_limit
            )
        if as_json:
            typer.echo(json.dumps(_json(found), indent=1, allow_nan=False))
            return
        _print(found, found.most_different(show) if different else found[:show], prices)


def _print(found: "Alternatives", shown: Any, prices: bool) -> None:
    from samrule.rules import column_text

    console, used = screen(), found.columns
    console.print(plain(found.sentence))
    for names, word in ((used.in_all, "All"), (used.in_some, "Some"), (used.in_none, "None")):
        if names:
            verb = "uses" if word == "None" else "use"
            console.print(plain(f"{word} {verb} {', '.join(map(column_text, names))}."))
    for column in used.in_all if prices else ():
        without = found.without(column)
        proven = "" if without.is_proven else ", as far as the search went"
        console.print(
            plain(
                f"Without {column_text(column)} the least loss is {without.loss_without:.6g}, "
                f"{without.most:.6g} more{proven}."
            )
        )
    for number, one in enumerate(shown, start=1):
        console.print(plain(f"\n{number}. loss {one.loss:.6g}\n{one.rule_list}"))


def _json(found: "Alternatives") -> dict[str, Any]:
    from samrule.export.json import rule_list_to_dict

    used = found.columns
    return {
        "complete": found.complete,
        "within": found.within,
        "least_loss": found.least_loss,
        "most_loss": found.most_loss,
        "columns": {"in_all": used.in_all, "in_some": used.in_some, "in_none": used.in_none},
        "lists": [
            {"loss": one.loss, "rule_list": rule_list_to_dict(one.rule_list)} for one in found
        ],
    }
