"""The `samrule` command: one thin file per subcommand, errors without tracebacks."""

import sys

import typer

from samrule import __version__
from samrule.cli.demo import demo
from samrule.cli.export import export
from samrule.cli.sample_size import sample_size
from samrule.errors import SamruleError

app = typer.Typer(
    name="samrule",
    help="Learn provably near-optimal rule lists from tables of any size.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"samrule {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Options that stand before the subcommand."""


app.command()(demo)
app.command()(export)
app.command("sample-size")(sample_size)


def main() -> None:
    """Run the command line; exit code 0 on success, 1 for a samrule error, 2 for bad usage."""
    try:
        app()
    except SamruleError as error:
        typer.echo(f"{type(error).__name__}: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        sys.exit(130)
