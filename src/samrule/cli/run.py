"""A run of `learn` as commands make it: progress shown, files written, an interruption told."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from samrule.cli.messages import ExitCode, in_options
from samrule.cli.progress import shown_progress
from samrule.cli.screen import plain, screen
from samrule.errors import LongSearchWarning, SamruleError

if TYPE_CHECKING:
    from samrule.evaluation import Evaluation
    from samrule.learning import FittedRuleList
    from samrule.sources.base import Source


def learn_with_progress(source: "Source", *, quiet: bool, **settings: Any) -> "FittedRuleList":
    """Return the list learned from the source, with progress on standard error."""
    from samrule.learning import learn

    console = screen(stderr=True)
    with shown_progress(console, quiet=quiet) as tell, _warnings_on(console):
        return learn(source, progress=tell, **settings)


@contextmanager
def _warnings_on(console: Console) -> Iterator[None]:
    """Show our warnings as messages are shown, in the words of the command line."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        text = in_options(message.words) if isinstance(message, SamruleError) else str(message)
        console.print(plain(f"Warning: {text}"), soft_wrap=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", LongSearchWarning)
        warnings.showwarning = show
        yield


def written_model(fitted: "FittedRuleList", path: Path | None) -> tuple[Path, ...]:
    """Write the model if asked for, whole or not at all, and return its path."""
    if path is None:
        return ()
    fitted.save(path)
    return (path,)


def written_report(
    fitted: "FittedRuleList",
    path: Path | None,
    test: "Evaluation | None" = None,
    *,
    held_out: bool = False,
) -> tuple[Path, ...]:
    """Write the page if asked for, with what the list does on test rows, and return its path."""
    if path is None:
        return ()
    from samrule.report import write_report

    write_report(fitted, path, test=test, held_out=held_out)
    return (path,)


def end_interrupted(written: tuple[Path, ...]) -> None:
    """Say what was kept, and end with the code of an interruption."""
    where = f"; it is in {written[0]}" if written else ""
    typer.echo(f"Interrupted: this is the best list found until then{where}.", err=True)
    raise typer.Exit(ExitCode.INTERRUPTED)
