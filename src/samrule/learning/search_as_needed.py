"""Searches for a proof that needs a lower bound, not the best list: no longer than it takes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from samrule.solver import Solution, Status

# How often the bound that is needed is halved in on, and searches with ever less tolerance.
HALVINGS, MOST_SEARCHES = 9, 4
# How near the best list searches come that prove as much as they can, one after the other.
TOLERANCES = (0.1, 0.03, 0.01, 0.0)
# What a search may take, in operations, where even the best list could not prove enough; and what
# the first may take: if it does not get there, it has found a list to measure the tolerance from.
HOPELESS_WORK, FIRST_WORK = 1e8, 1e8
# A long search may find a list a little better than the first did, and would have to be made again.
SPARED = 0.01


def search_as_needed(
    search: Callable[..., Solution], known_loss: float, would_do: Callable[[float], bool]
) -> Solution:
    """Return a search that ends as soon as its lower bound is one that would do.

    Parameters
    ----------
    search
        Searches rows; takes `tolerance` and `most_work`.
    known_loss
        The loss of some list on the rows, as the search counts it: no bound can be above.
    would_do
        Whether a lower bound on all lists' loss on these rows proves enough; if so, larger ones do.

    Notes
    -----
    The bound is what counts: if a search stops early for another reason, its own is returned. Of
    several searches, the largest bound and the best list.
    """
    if not would_do(known_loss):
        return search(most_work=HOPELESS_WORK)
    needed = _least(would_do, known_loss)
    found = search(tolerance=_tolerance(needed, known_loss), most_work=FIRST_WORK)
    if found.status is Status.WORK_LIMIT and not would_do(found.lower_bound):
        best = (1 - SPARED) * min(known_loss, found.loss)
        found = both(found, search(tolerance=_tolerance(needed, best)))
    for _ in range(MOST_SEARCHES - 1):
        # A better list than the known one makes the same tolerance a smaller bound.
        is_short = found.status is Status.WITHIN_TOLERANCE and not would_do(found.lower_bound)
        if not is_short or not would_do(found.loss):
            break
        found = both(found, search(tolerance=_tolerance(needed, found.loss)))
    return found


def search_ever_closer(search: Callable[..., Solution]) -> Solution:
    """Return a search that proves as much as it can: with ever less tolerance, within its limits.

    A search with much tolerance ends soon, with a bound that one without may take long to reach.
    """
    found = search(tolerance=TOLERANCES[0])
    for tolerance in TOLERANCES[1:]:
        if found.status is not Status.WITHIN_TOLERANCE:
            break
        if found.lower_bound < (1 - tolerance) * found.loss:
            found = both(found, search(tolerance=tolerance))
    return found


def _least(would_do: Callable[[float], bool], known_loss: float) -> float:
    """Return about the least bound that would do, and one that does."""
    if would_do(0.0):
        return 0.0
    too_small, enough = 0.0, known_loss
    for _ in range(HALVINGS):
        middle = (too_small + enough) / 2
        too_small, enough = (too_small, middle) if would_do(middle) else (middle, enough)
    return enough


def _tolerance(needed: float, loss: float) -> float:
    """Return how far below a list's loss, relatively, the bound may stay."""
    a_little_less = 1 - 1e-6  # For rounding.
    return a_little_less * max(0.0, 1 - needed / loss) if loss > 0 else 0.0


def both(first: Solution, second: Solution) -> Solution:
    """Return what two searches of the same rows found and prove; the second says how it ended."""
    best: Any = min(first, second, key=lambda one: one.loss)
    return replace(
        second,
        rule_list=best.rule_list,
        loss=best.loss,
        lower_bound=min(best.loss, max(first.lower_bound, second.lower_bound)),
        path=max(first.path, second.path, key=len),
    )
