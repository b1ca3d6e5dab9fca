"""--test on the command line: rows to learn from, and rows to be tested on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samrule.cli.tables import opened

if TYPE_CHECKING:
    from samrule.sources.base import Source


@dataclass(frozen=True)
class Parts:
    """The rows to learn from, and those to test on."""

    learning: "Source"
    testing: "Source | None"


@contextmanager
def parts_of(source: "Source", test: str | None, seed: int, **options: Any) -> Iterator[Parts]:
    """Open both parts before the work begins: what is wrong with the test is told at once."""
    from samrule.sources.parts import held_out

    if test is None:
        yield Parts(source, None)
    elif (share := _as_number(test)) is not None:
        yield Parts(*held_out(source, share, random_state=seed))
    else:
        with opened([test], source.target, **options) as testing:
            yield Parts(source, testing)


def test_tables(test: str | None) -> list[str]:
    """Return the table that --test names, if it names one."""
    return [] if test is None or _as_number(test) is not None else [test]


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
