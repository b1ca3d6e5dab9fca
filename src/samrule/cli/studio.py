"""`samrule studio`: a local page to argue with a list."""

import atexit
import os
import sys
import tempfile
import webbrowser
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from samrule.checks import CHOSEN_BY_SCHEME, DEFAULTS
from samrule.cli.constraint_options import Forbid, Require, constraints_of
from samrule.cli.model_view import load_model
from samrule.cli.options import (
    CostsOfClasses,
    Exclude,
    HowToJudge,
    Include,
    Intervals,
    MaxConditions,
    MaxRules,
    MaxTerms,
    MissingTarget,
    NThresholds,
    Query,
    Quiet,
    RulePrice,
    Seed,
    Sets,
    Weights,
    column_names,
    costs_of,
    max_conditions_of,
    objective_of,
    price_of,
)
from samrule.cli.parts import Parts, parts_of
from samrule.cli.reading import with_reading
from samrule.cli.run import learn_with_progress
from samrule.cli.screen import plain, screen
from samrule.cli.tables import opened
from samrule.errors import MissingExtraError, ParameterError

if TYPE_CHECKING:
    from samrule.learning import FittedRuleList
    from samrule.studio.desk import Desk

# Rows that are held out unless one asks otherwise.
_TEST_SHARE = "0.2"


@with_reading
def studio(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="A table to learn from, with --target; or a model file and the table that it was "
            "learned from.",
            metavar="TABLE... | MODEL TABLE...",
            show_default=False,
        ),
    ],
    *,
    target: Annotated[
        str | None,
        typer.Option(help="Column to predict; a model knows its own.", metavar="COL"),
    ] = None,
    exclude: Exclude = None,
    include: Include = None,
    weights: Weights = None,
    objective: HowToJudge = DEFAULTS["objective"],
    cost: CostsOfClasses = None,
    query: Query = None,
    reading: dict[str, Any],
    missing_target: MissingTarget = "error",
    test: Annotated[
        str | None,
        typer.Option(
            help="Rows to judge lists on that they were not learned from: a share such as 0.2 of "
            "the table, another table, or none.  [default: 0.2; none with a model]",
            metavar="TABLE|SHARE|none",
        ),
    ] = None,
    max_rules: MaxRules = DEFAULTS["max_rules"],
    max_terms: MaxTerms = DEFAULTS["max_terms"],
    n_thresholds: NThresholds = DEFAULTS["n_thresholds"],
    sets: Sets = None,
    intervals: Intervals = None,
    max_conditions: MaxConditions = CHOSEN_BY_SCHEME,
    regularization: RulePrice = str(DEFAULTS["regularization"]),
    forbid: Forbid = None,
    require: Require = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds for the first search.", metavar="SECONDS")
    ] = 10.0,
    seed: Seed = DEFAULTS["seed"],
    port: Annotated[
        int, typer.Option(help="Where to listen; 0 takes any port that is free.", min=0, max=65535)
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Open a page on this machine to argue with a rule list: every change priced at once.

    The page works offline, and only who knows the address, which has a token, can use it. It ends
    with Ctrl-C, or with its terminal.

    [bold]Examples[/]

    [green]samrule studio customers.csv --target churn[/]
    [green]samrule studio loans.parquet --target paid --forbid zip --max-rules 5[/]

    A list that samrule fit learned with any of its options, on the same rows:
    [green]samrule fit loans.csv --target paid --test 0.2 --objective brier -o model.json[/]
    [green]samrule studio model.json loans.csv --test 0.2[/]
    """
    listening, serve = _server()
    fitted, tables = _named(tables, target)
    options = {"weights": weights, "missing_target": missing_target, **reading}
    if fitted is not None:
        target, options["weights"] = fitted.target, fitted.weights
    roles = {"exclude": column_names(exclude), "include": column_names(include)}
    share = test or (_TEST_SHARE if fitted is None else "none")
    with (
        listening(port) as address,
        opened(tables, target, query=query, **roles, **options) as source,
        parts_of(source, None if share == "none" else share, seed, **options) as parts,
    ):
        if fitted is None:
            fitted = _learned(
                parts,
                quiet=quiet,
                seed=seed,
                max_rules=max_rules,
                max_terms=max_terms,
                regularization=price_of(regularization),
                objective=objective_of(objective),
                costs=costs_of(cost),
                time_limit=time_limit,
                conditions={
                    "n_thresholds": n_thresholds,
                    "sets": "auto" if sets is None else sets,
                    "intervals": "auto" if intervals is None else intervals,
                    "max_conditions": max_conditions_of(max_conditions),
                    "force": roles["include"] or [],
                },
                **_said(forbid, require),
            )
            desk = _desk(fitted, None, parts, source.name)
        else:
            desk = _desk(fitted, parts.learning, parts, source.name)
        with tempfile.TemporaryDirectory(prefix="samrule-studio-") as folder:
            page = None if no_browser else Path(folder) / "open.html"
            ended_by = serve(desk, address, ready=lambda: _show(desk, address.url, page))
    _end(ended_by)


def _server() -> tuple[Any, Any]:
    """Return who listens and who serves."""
    try:
        from samrule.studio.server import listening, serve
    except ImportError as error:
        raise MissingExtraError(
            f"the studio needs the package {error.name}, which is not installed.",
            hint="run: pip install 'samrule[studio]'",
        ) from None
    return listening, serve


def _named(tables: list[str], target: str | None) -> "tuple[FittedRuleList | None, list[str]]":
    """Return the model that was named, if one was, and the tables."""
    if target is not None:
        return None, tables
    if len(tables) < 2:
        raise ParameterError(
            f"{tables[0]} is given alone; expected --target for a table, or a model file and its "
            "table.",
            hint="samrule studio customers.csv --target churn, or samrule studio model.json "
            "customers.csv.",
        )
    return load_model(Path(tables[0])), tables[1:]


def _said(forbid: list[str] | None, require: list[str] | None) -> dict[str, Any]:
    """Return what was said of columns, as `learn` takes it."""
    names = ("forbid_together", "at_most", "first", "last", "monotone", "max_columns", "together")
    nothing = dict.fromkeys([*names, "file"])
    return constraints_of(forbid=forbid, require=require, **nothing)


def _learned(
    parts: Parts, *, quiet: bool, seed: int, conditions: dict[str, Any], **settings: Any
) -> "FittedRuleList":
    """Return the list that the studio begins with: the best one, if its rows are in memory."""
    from samrule.conditions import Binarizer
    from samrule.editing.workbench import MOST_ROWS

    return learn_with_progress(
        parts.learning,
        quiet=quiet,
        strategy="exact" if parts.learning.n_rows <= MOST_ROWS else "progressive",
        binarizer=Binarizer(**conditions),
        random_state=seed,
        **settings,
    )


def _desk(fitted: "FittedRuleList", table: Any, parts: Parts, name: str) -> "Desk":
    from samrule.studio.desk import desk_of

    return desk_of(fitted, table, parts.testing, name=name)


def _show(desk: "Desk", url: str, page: Path | None) -> None:
    """Say where the studio is, and open it through a page to be written, if one is named."""
    view, console = desk.view, screen()
    held_out = f", {view.n_test_rows:,} held out" if view.n_test_rows else ""
    console.print(plain(f"{view.table}: {view.n_rows:,} rows in memory{held_out}"))
    console.print(plain(f"The studio is at {url}"), soft_wrap=True)
    console.print("Ctrl-C ends it.")
    console.file.flush()
    if page is not None:
        # Addresses among a browser's arguments can be read by everyone on the machine.
        address = escape(url, quote=True)
        page.write_text(f'<meta http-equiv="refresh" content="0; url={address}">')
        _open(page)


def _open(page: Path) -> None:
    """Open a page in a browser with a window; one without would take the terminal."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(page.as_uri())


def _end(number: int) -> NoReturn:
    """End the process at once, by custom with 128 and the number of the signal.

    Searches that nobody waits for any more may still run, and Python would wait for them.
    """
    atexit._run_exitfuncs()
    with suppress(OSError):  # The terminal may be gone.
        typer.echo("The studio has ended.", err=True)
        sys.stdout.flush()
    os._exit(128 + number)
