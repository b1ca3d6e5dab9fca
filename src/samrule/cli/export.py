"""`samrule export`: a learned rule list in the words of other systems."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from samrule.cli.model_view import load_model
from samrule.cli.outputs import check_outputs
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
    ONNX = "onnx"


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
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="SQL and Python: give the probability of each class; ONNX does anyway.",
        ),
    ] = False,
    rule: Annotated[
        bool,
        typer.Option("--rule", help="SQL, Python, ONNX: give the number of the deciding rule."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; printed without.")
    ] = None,
) -> None:
    """Write a rule list as SQL, Python, JSON, Markdown, LaTeX or ONNX."""
    if to is not Target.SQL and (dialect or table):
        raise ParameterError(
            f"--dialect and --table were given with --to {to}; they go with --to sql alone.",
            hint="leave them out.",
        )
    details = {"probabilities": probabilities, "rule": rule}
    if to not in (Target.SQL, Target.PYTHON, Target.ONNX) and any(details.values()):
        raise ParameterError(
            f"--probabilities or --rule was given with --to {to}; they go with --to sql, python "
            "and onnx.",
            hint="leave them out.",
        )
    check_outputs([output], files=[model])
    written = _written(load_model(model).rule_list, to, dialect or "duckdb", table, details)
    if output is None:
        # As bytes: echo would take what looks like colours out of a text.
        typer.echo(written, nl=False)
    else:
        write_whole(output, written)


def _written(
    rule_list: RuleList, to: Target, dialect: str, table: str | None, details: dict[str, Any]
) -> bytes:
    if to is Target.ONNX:
        return rule_list.to_onnx(rule=details["rule"])
    if to is Target.SQL:
        return _lines(rule_list.to_sql(dialect, table, **details))
    if to is Target.PYTHON:
        return _lines(rule_list.to_python(**details))
    write = {
        Target.JSON: rule_list.to_json,
        Target.MARKDOWN: rule_list.to_markdown,
        Target.LATEX: rule_list.to_latex,
    }[to]
    return _lines(write())


def _lines(text: str) -> bytes:
    return f"{text.rstrip(chr(10))}\n".encode()
