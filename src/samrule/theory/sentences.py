"""How a certificate is said: in two plain sentences, and as a formula."""

# ruff: noqa: D102  (`Certificate` documents the fields of `Proof`)

from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Protocol

from samrule.checks import LossName
from samrule.theory.evidence import Argument, Drawn, UpperEvidence
from samrule.theory.words import (
    exact_text,
    loss_text,
    percent_text,
    probability_text,
    product_text,
)


class Proof(Protocol):
    """The fields of a `Certificate` that sentences speak of; it imports us, not we it."""

    @property
    def epsilon(self) -> float | None: ...

    @property
    def theta(self) -> float: ...

    @property
    def delta(self) -> float: ...

    @property
    def train_rows(self) -> int: ...

    @property
    def lower_bound(self) -> float: ...

    @property
    def upper_bound(self) -> float: ...

    @property
    def achieved_epsilon(self) -> float: ...

    @property
    def holds(self) -> bool: ...

    @property
    def drawn(self) -> Drawn: ...

    @property
    def argument(self) -> Argument: ...

    @property
    def upper_evidence(self) -> UpperEvidence: ...

    @property
    def weighted(self) -> bool: ...

    @property
    def loss_name(self) -> LossName: ...


# Bounds closer than this differ by how finely the search prices rows that are no errors, or by how
# numbers are rounded. In 1 - F1 that is divided by the rows of one class.
_A_HAIR = {"1 - F1": "0.0000001"}
_OTHERWISE = "0.00000001"


def bounds_sentence(c: Proof) -> str:
    """Return what is proven about the losses, each bound rounded away from the other."""
    likely = "" if c.argument == "exact" else f"With probability {probability_text(c.delta)}, "
    start = f"{likely}no" if likely else "No"
    kind, lists = kind_of_loss(c), _kind_of_lists(c)
    loss = loss_text(c.upper_bound, ROUND_CEILING)
    if c.achieved_epsilon == 0:
        # Rounded down and up, the same loss would look like two.
        return f"{start} {lists} of this shape has a {kind} below that of this one, {loss}."
    if _is_best_but_for_a_hair(c):
        return (
            f"{start} {lists} of this shape has a {kind} more than {_hair(c)} below that of "
            f"this one, {loss}."
        )
    at_most = "" if c.upper_evidence == "scan" else "at most "
    if c.lower_bound <= 0 and not c.holds and c.epsilon is not None:
        # "No list has a loss below 0" would be true, and tell nothing.
        this = f"{likely}this" if likely else "This"
        return (
            f"{this} {lists} has a {kind} of {at_most}{loss} on this table. How much less is "
            "possible is not known: nothing was proven about it."
        )
    return (
        f"{start} {lists} of this shape has a {kind} below "
        f"{loss_text(c.lower_bound, ROUND_FLOOR)} on this table; this one has {at_most}{loss}."
    )


def promise_sentence(c: Proof) -> str:
    """Return how near the best possible list this one is, as far as it is proven."""
    rows = f"{c.train_rows:,} row{'s' if c.train_rows > 1 else ''}"
    if not c.holds and c.epsilon is not None:
        asked = percent_text(c.epsilon, ROUND_FLOOR)
        search = f"learning from {rows} was not enough, or the search on them"
        if c.argument == "exact":
            search = f"the search of {rows}"
        return (
            f"That does not prove it within the {asked} asked for: {search} was stopped too early."
        )
    if c.achieved_epsilon == 0:
        return f"It is therefore a best possible one, learned from {rows}."
    if _is_best_but_for_a_hair(c):
        return f"It is therefore a best possible one, but for {_hair(c)}, learned from {rows}."
    if c.argument == "a_priori" and c.epsilon is not None:
        return (
            f"It was learned from {rows}, as many as make it at most "
            f"{percent_text(c.epsilon, ROUND_CEILING)} worse than the best possible (or "
            f"{product_text(c.epsilon, c.theta)} above it, if that is more)."
        )
    if c.lower_bound >= c.theta:
        distance = f"{percent_text(c.achieved_epsilon, ROUND_CEILING, 3)} worse than the best "
        distance += "possible"
    else:
        gap = loss_text(c.upper_bound - c.lower_bound, ROUND_CEILING)
        distance = f"{gap} above the best possible {kind_of_loss(c)}"
    promised = "" if c.epsilon is None else ", as promised,"
    return f"It is therefore at most {distance}{promised} after learning from {rows}."


def kind_of_loss(c: Proof) -> str:
    """Return what the losses of a certificate are: a weighted Brier loss, for example."""
    return f"weighted {c.loss_name}" if c.weighted else c.loss_name


def _kind_of_lists(c: Proof) -> str:
    """Return which lists are compared: where shares count, rules predict them."""
    shares_count = c.loss_name in ("Brier loss", "mixed loss")
    return "probabilistic rule list" if shares_count else "rule list"


def _is_best_but_for_a_hair(c: Proof) -> bool:
    """Whether the list is proven best as finely as losses are priced and rounded."""
    return c.upper_bound - c.lower_bound <= float(_hair(c))


def _hair(c: Proof) -> str:
    return _A_HAIR.get(c.loss_name, _OTHERWISE)


def formal_statement(c: Proof) -> str:
    """Return the promise as a formula, with every digit of what was asked for."""
    how = {
        "with_replacement": "rows drawn uniformly with replacement",
        "row_by_row": "rows drawn uniformly without replacement, as many as chance had it",
        "without_replacement": "rows drawn uniformly without replacement",
        "by_weight": "rows drawn with replacement, proportionally to weight",
        "whole_table": "every row searched",
    }[c.drawn]
    # Without an epsilon that was asked for, the promise is about the one that is proven.
    epsilon = "E" if c.epsilon is None else exact_text(c.epsilon)
    claim = f"l(R) > l* + {epsilon} max(l*, {exact_text(c.theta)})"
    chance = "0" if c.argument == "exact" else exact_text(c.delta)
    losses = "" if c.loss_name == "loss" else f"; l is the {c.loss_name}"
    losses += "; losses are shares of the weight" if c.weighted else ""
    issued = "" if c.epsilon is None else "issued and "
    proven = "" if c.epsilon is not None else f" for the E that is proven, {c.achieved_epsilon:.3g}"
    return (
        f"Formally: P({issued}{claim}) <= {chance}{proven}, by the {c.argument} argument; "
        f"{how}{losses}."
    )
