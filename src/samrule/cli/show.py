"""`samrule show`: what a model file says."""

import json

import typer

from samrule.cli.model_view import load_model, model_json, print_model
from samrule.cli.options import AsJson, Model
from samrule.cli.screen import screen


def show(
    model: Model,
    *,
    as_json: AsJson = False,
) -> None:
    """Print a model's rules, its certificate, and how it was learned."""
    fitted = load_model(model)
    if as_json:
        typer.echo(json.dumps(model_json(fitted), indent=1, allow_nan=False))
    else:
        print_model(screen(), fitted)
