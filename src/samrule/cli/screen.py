"""Where commands print: a terminal of any width, or a pipe."""

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

# A file or a pipe has no edge; this is as wide as people like to read.
_PIPE_WIDTH = 100
_NARROW = 72


def screen(*, stderr: bool = False) -> Console:
    """Return the console for results, or for what is said beside them."""
    file = sys.stderr if stderr else sys.stdout
    console = Console(file=file, highlight=False)
    if console.is_terminal:
        return console
    pipe: Any = _Pipe(file)
    return Console(file=pipe, highlight=False, width=_PIPE_WIDTH)


def program() -> str:
    """Return what to type to run samrule: its name, or its path if it is not installed for all."""
    started = Path(sys.argv[0])
    return str(started) if started.name == "samrule" and not shutil.which("samrule") else "samrule"


def bar(share: float, console: Console) -> str:
    """Return a bar that is full for a share of 1; none on a narrow screen.

    >>> bar(0.5, Console(width=100))
    '█████     '
    """
    if console.width < _NARROW:
        return ""
    block = "█" if console.encoding.lower().startswith("utf") else "#"
    length = max(round(10 * share), 1 if share else 0)
    return f"{block * length:<10}"


def plain(text: object, style: str = "") -> Text:
    r"""Return text from a table as it is: no markup, nothing that steers a terminal.

    >>> plain("[bold]\x1b[31m").plain
    '[bold]\\x1b[31m'
    """
    shown = "".join(
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode()
        for one in str(text)
    )
    return Text(shown, style=style)


def print_facts(console: Console, facts: Iterable[tuple[str, object]]) -> None:
    """Print lines of the kind ``loss  0.1760``, the names in one column."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, value in facts:
        table.add_row(name, value if isinstance(value, Text) else plain(value))
    console.print(table)


class _Pipe:
    """A file that gets no spaces at the ends of lines: tables are padded for the eye alone."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> Any:
        return self._file.write(re.sub(r" +(?=\n)", "", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
