"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Model = Annotated[Path, typer.Argument(help="A model file.", show_default=False)]
Tables = Annotated[
    list[str],
    typer.Argument(
        help="CSV, Parquet, JSON lines, Arrow or SVMlight files, globs, folders, a DuckDB "
        "database; - for CSV on standard input.",
        metavar="TABLE...",
        show_default=False,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        help="SQL whose rows are the table, if TABLE is a DuckDB database.", metavar="SQL"
    ),
]
TrueClasses = Annotated[
    str | None,
    typer.Option(help="Column with the true classes, if not that of the model.", metavar="COL"),
]
MissingTarget = Annotated[
    Literal["error", "drop"],
    typer.Option(help="What to do with rows that have no class: stop, or leave them out."),
]
Weights = Annotated[
    str | None, typer.Option(help="Column with the weight of each row.", metavar="COL")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
