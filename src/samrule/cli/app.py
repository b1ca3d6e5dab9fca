"""All subcommands together, and what is said when one fails: never a traceback."""

import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from samrule import __version__
from samrule.cli.alternatives import alternatives
from samrule.cli.demo import demo
from samrule.cli.evaluate import evaluate
from samrule.cli.explain import explain
from samrule.cli.export import export
from samrule.cli.fit import fit
from samrule.cli.messages import EXIT_CODES, INTERRUPTED, ExitCode, in_options
from samrule.cli.predict import predict
from samrule.cli.report import report
from samrule.cli.sample_size import sample_size
from samrule.cli.show import show
from samrule.cli.streams import (
    check_standard_output,
    is_standard_output_error,
    unwritable_message,
)
from samrule.cli.studio import studio
from samrule.errors import SamruleError


class _Commands(TyperGroup):
    """The subcommands; Ctrl-C is answered in words."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo(INTERRUPTED, err=True)
            raise typer.Exit(ExitCode.INTERRUPTED) from None


_START = "[bold]Start here:[/] samrule demo\n\n\nThen:       samrule fit --help"

app = typer.Typer(
    name="samrule",
    cls=_Commands,
    help=f"Learn provably near-optimal rule lists from tables of any size.\n\n{_START}",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
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


for _command in (
    *(fit, predict, evaluate, alternatives, studio, show, explain, report, export),
    *(sample_size, demo),
):
    app.command(epilog=EXIT_CODES)(_command)


def exit_code() -> int:
    """Run the command line, and return the code to exit with (`ExitCode`)."""
    try:
        check_standard_output()
        code = app(prog_name="samrule", standalone_mode=False)
        sys.stdout.flush()  # Else a full disk is noticed when nobody can tell any more.
    except SamruleError as error:
        code = _fail(ExitCode.ERROR, f"{type(error).__name__}: {in_options(error.words)}")
    except typer.TyperException as error:
        code = _fail(ExitCode.USAGE, _usage_message(error))
    except MemoryError:
        code = _fail(
            ExitCode.ERROR,
            "MemoryError: this machine has too little memory free for that.\n"
            "Hint: try --strategy progressive, fewer --max-terms, or fewer columns.",
        )
    except Exception as error:
        if is_standard_output_error(error):
            code = _fail(ExitCode.ERROR, unwritable_message(error))
        else:
            code = _fail(ExitCode.BUG, _bug_message(error))
    return code or ExitCode.OK


def _fail(code: ExitCode, message: str) -> ExitCode:
    typer.echo(message, err=True)
    return code


def _usage_message(error: typer.TyperException) -> str:
    if not error.format_message():
        return "Hint: name a command; samrule demo is a good start."
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else " ".join(_named_command())
    return f"UsageError: {error.format_message()}\nHint: see {command} --help."


def _named_command() -> list[str]:
    """Return the command as typed, for errors that do not know where they happened."""
    given = [one for one in sys.argv[1:2] if not one.startswith("-")]
    return ["samrule", *given]


def _bug_message(error: Exception) -> str:
    """Say that it is our fault; show where it happened only to who asks."""
    if os.environ.get("SAMRULE_TRACEBACK"):
        return traceback.format_exc()
    return (
        f"Unexpected {type(error).__name__}: {error}\n"
        "Hint: this is a bug in samrule; SAMRULE_TRACEBACK=1 shows where. Please report it."
    )
