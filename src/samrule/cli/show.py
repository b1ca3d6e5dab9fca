"""`samrule show`: what a model file says."""

import json
from pathlib import Path
from typing import Annotated

import typer

from samrule.cli.model_view import load_model, model_json, print_model
from samrule.cli.screen import screen


def show(
    model: Annotated[Path, typer.Argument(help="A model file.", show_default=False)],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Print a model's rules, its certificate, and how it was learned."""
    fitted = load_model(model)
    if as_json:
        typer.echo(json.dumps(model_json(fitted), indent=1, allow_nan=False))
    else:
        print_model(screen(), fitted)
