"""TABLE on the command line: files, globs, folders, databases, or standard input."""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samrule.cli.messages import in_options
from samrule.cli.screen import plain, screen
from samrule.errors import FileError, ParameterError

if TYPE_CHECKING:
    from samrule.sources.base import Source

STANDARD_INPUT = "-"


@contextmanager
def opened(tables: Sequence[str], target: str | None = None, **options: Any) -> Iterator["Source"]:
    """Open what TABLE... names, with the options of `open_table`."""
    from samrule.sources.open import open_table

    if STANDARD_INPUT not in tables:
        yield _noted(open_table(list(tables), target, **options))
        return
    if len(tables) > 1:
        raise ParameterError(
            f"standard input (-) is one of {len(tables)} tables; expected it alone.",
            hint="pass files, or pipe them all: cat a.csv b.csv | samrule ... -",
        )
    with _spooled() as path:
        yield _noted(open_table(path, target, **options))


def _noted(source: "Source") -> "Source":
    """Say on standard error what was decided on reading."""
    console = screen(stderr=True)
    for note in source.notes:
        console.print(plain(f"Note: {in_options(note)}"), soft_wrap=True)
    return source


@contextmanager
def _spooled() -> Iterator[Path]:
    """Keep standard input in a file as long as it is needed: draws read a table more than once."""
    if sys.stdin is None:
        raise FileError(
            "standard input is closed; expected CSV from a pipe or a file.",
            hint="samrule fit - --target COLUMN < table.csv",
        )
    if sys.stdin.isatty():
        raise FileError(
            "standard input is a terminal; expected CSV from a pipe or a file.",
            hint="samrule fit - --target COLUMN < table.csv",
        )
    with tempfile.TemporaryDirectory(prefix="samrule-") as folder:
        path = Path(folder) / "standard-input.csv"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        yield path
