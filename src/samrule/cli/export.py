"""`samrule export`: a learned rule list in the words of other systems."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from samrule import load
from samrule.errors import ParameterError
from samrule.output import write_whole
from samrule.rules import RuleList


class Target(StrEnum):
    """What a rule list can become."""

    SQL = "sql"
    PYTHON = "python"
    JSON = "json"
    MARKDOWN = "markdown"
    LATEX = "latex"


def export(
    model: Annotated[Path, typer.Argument(help="Model file that 'samrule fit' wrote.")],
    *,
    to: Annotated[Target, typer.Option(help="What to write.")],
    dialect: Annotated[
        str | None,
        typer.Option(
            help="Whose SQL: duckdb (the default), postgres, spark, bigquery, snowflake, sqlite, "
            "mysql or tsql."
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(help="Write a whole SELECT on this table; without, a CASE expression."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; printed without.")
    ] = None,
) -> None:
    """Write a rule list as SQL, Python, JSON, Markdown or LaTeX."""
    if to is not Target.SQL and (dialect or table):
        raise ParameterError(
            f"--dialect and --table were given with --to {to}; they go with --to sql alone.",
            hint="leave them out.",
        )
    written = _written(load(model).rule_list, to, dialect or "duckdb", table).rstrip("\n") + "\n"
    if output is None:
        # As bytes: echo would take what looks like colours out of a text.
        typer.echo(written.encode(), nl=False)
    else:
        write_whole(output, written.encode())


def _written(rule_list: RuleList, to: Target, dialect: str, table: str | None) -> str:
    if to is Target.SQL:
        return rule_list.to_sql(dialect, table)
    return {
        Target.PYTHON: rule_list.to_python,
        Target.JSON: rule_list.to_json,
        Target.MARKDOWN: rule_list.to_markdown,
        Target.LATEX: rule_list.to_latex,
    }[to]()
