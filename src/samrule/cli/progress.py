"""How a run of `learn` is shown while it goes on: one live line in a terminal, else plain lines."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

if TYPE_CHECKING:
    from samrule.learning import LearningProgress

Tell = Callable[["LearningProgress"], object]

# Seconds between plain lines of one and the same phase.
_PAUSE = 5.0
# The share of a search that is done tells little about the rest at its beginning and its end.
_TOO_EARLY, _TOO_LATE = 0.02, 0.98
# Seconds after which a search is long enough to say how to end it.
_LONG = 20.0


@contextmanager
def shown_progress(console: Console, *, quiet: bool) -> Iterator[Tell | None]:
    """Give the callback that shows progress on standard error; None if nobody wants to see it."""
    if quiet:
        yield None
    elif console.is_terminal:
        line = _LiveLine(console)
        with Live(get_renderable=line.spinner, console=console, transient=True):
            yield line
    else:
        yield PlainLines(lambda text: console.print(text, markup=False, soft_wrap=True))


class _LiveLine:
    """One line that is drawn anew many times a second; its clock runs between reports."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._spinner = Spinner("dots", "opening the table")
        self._at: LearningProgress | None = None
        self._told = self._began = 0.0

    def __call__(self, at: "LearningProgress") -> None:
        if self._at is None or _phase(at) != _phase(self._at):
            self._began = at.elapsed
        self._at, self._told = at, time.monotonic()

    def spinner(self) -> Spinner:
        if self._at is not None:
            now = self._at.elapsed + time.monotonic() - self._told
            text = _text(replace(self._at, elapsed=now), self._began)
            self._spinner.update(text=_cut(text, self._console.width - 2))
        return self._spinner


class PlainLines:
    """A line when a phase begins, and another one every few seconds while it goes on.

    >>> from samrule.learning import LearningProgress
    >>> lines = PlainLines(print)
    >>> lines(LearningProgress("searching", 2, 7, 4000, None, None, 0.0, 1.0))
    stage 2 of at most 7: searching 4,000 rows, 1 s
    >>> lines(LearningProgress("searching", 2, 7, 4000, 0.19, 0.12, 0.2, 3.0))
    >>> lines(LearningProgress("searching", 2, 7, 4000, 0.18, 0.15, 0.5, 7.0))
    stage 2 of at most 7: searching 4,000 rows, best loss 0.1800, proven 0.1500, 7 s, about 6 s left
    >>> lines(LearningProgress("searching", 2, 7, 4000, 0.18, 0.15, 0.0, 60.0, certified=0.2345))
    stage 2 of at most 7: searching 4,000 rows, best loss 0.1800, proven 0.1500, before: within \
23.5 % of the best, 60 s; Ctrl-C ends it with the best list so far
    """

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._phase: tuple[object, ...] = ()
        self._began = self._next = 0.0

    def __call__(self, at: "LearningProgress") -> None:
        """Take note, and tell if it is time."""
        if _phase(at) != self._phase:
            self._phase, self._began, self._next = _phase(at), at.elapsed, at.elapsed
        if at.elapsed >= self._next:
            self._next = at.elapsed + _PAUSE
            self._tell(_text(at, self._began))


def _phase(at: "LearningProgress") -> tuple[object, ...]:
    return at.phase, at.stage, at.rows


def _text(at: "LearningProgress", began: float) -> str:
    """Return stage, what is done with how many rows, the bounds, time gone and time left."""
    stage = f"stage {at.stage} of at most {at.n_stages}: " if at.n_stages > 1 else ""
    parts = [f"{stage}{at.phase} {at.rows:,} rows"]
    if at.loss is not None and at.lower_bound is not None:
        parts.append(f"best loss {at.loss:.4f}, proven {at.lower_bound:.4f}")
    if at.certified is not None:
        parts.append(f"before: within {math.ceil(1000 * at.certified) / 10:.1f} % of the best")
    parts.append(f"{at.elapsed:.0f} s")
    if _TOO_EARLY < at.share < _TOO_LATE:
        parts.append(f"about {(at.elapsed - began) * (1 - at.share) / at.share:.0f} s left")
    is_long = at.phase == "searching" and at.elapsed - began >= _LONG
    return ", ".join(parts) + ("; Ctrl-C ends it with the best list so far" if is_long else "")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"
