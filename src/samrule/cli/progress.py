"""How a run of `learn` is shown while it goes on: one live line in a terminal, else plain lines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

if TYPE_CHECKING:
    from samrule.learning import LearningProgress

Tell = Callable[["LearningProgress"], object]

# Seconds between plain lines of one and the same search.
_PAUSE = 5.0
# Below this share of a search nothing can be said about the rest.
_TOO_EARLY = 0.02


@contextmanager
def shown_progress(console: Console, *, quiet: bool) -> Iterator[Tell | None]:
    """Give the callback that shows progress on standard error; None if nobody wants to see it."""
    if quiet:
        yield None
    elif console.is_terminal:
        spinner = Spinner("dots", "starting")
        with Live(spinner, console=console, transient=True):
            yield Teller(lambda text: spinner.update(text=_cut(text, console.width - 2)), pause=0)
    else:
        yield Teller(lambda text: console.print(text, markup=False, soft_wrap=True), pause=_PAUSE)


class Teller:
    """Tells when a phase begins, and after every pause while it goes on.

    >>> from samrule.learning import LearningProgress
    >>> teller = Teller(print, pause=0)
    >>> teller(LearningProgress("searching", 2, 7, 4000, None, None, 0.0, 1.0))
    stage 2 of at most 7: searching 4,000 rows, 1 s
    >>> teller(LearningProgress("searching", 2, 7, 4000, 0.18, 0.15, 0.25, 3.0))
    stage 2 of at most 7: searching 4,000 rows, best loss 0.1800, proven 0.1500, 3 s, about 6 s left
    """

    def __init__(self, tell: Callable[[str], object], *, pause: float) -> None:
        self._tell = tell
        self._pause = pause
        self._phase: tuple[object, ...] = ()
        self._began = 0.0
        self._next = 0.0

    def __call__(self, at: "LearningProgress") -> None:
        """Take note, and tell if it is time."""
        phase = (at.phase, at.stage, at.rows)
        if phase != self._phase:
            self._phase, self._began, self._next = phase, at.elapsed, at.elapsed
        if at.elapsed >= self._next:
            self._next = at.elapsed + self._pause
            self._tell(_text(at, self._began))


def _text(at: "LearningProgress", began: float) -> str:
    """Return stage, what is done with how many rows, the bounds, time gone and time left."""
    stage = f"stage {at.stage} of at most {at.n_stages}: " if at.n_stages > 1 else ""
    parts = [f"{stage}{at.phase} {at.rows:,} rows"]
    if at.incumbent is not None and at.lower_bound is not None:
        parts.append(f"best loss {at.incumbent:.4f}, proven {at.lower_bound:.4f}")
    parts.append(f"{at.elapsed:.0f} s")
    if at.share > _TOO_EARLY:
        parts.append(f"about {(at.elapsed - began) * (1 - at.share) / at.share:.0f} s left")
    return ", ".join(parts)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"
