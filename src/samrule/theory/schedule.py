"""A progressive run, fixed before looking: which sizes to try, and what each may spend of delta.

Most tables need far fewer rows than the worst case. A run draws little, tries to certify, and draws
more only if that fails; because it may stop anywhere, all its stages share one delta.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from samrule.checks import Method, checked_integer, checked_number
from samrule.errors import ParameterError
from samrule.theory.paired import PairedWeights
from samrule.theory.rounding import round_down
from samrule.theory.sample_size import sample_size
from samrule.theory.shares import Shares, equal_share

# Of delta, for the first stage of a planned run; what may come after it shares the rest.
PLANNED_SHARE = 0.6


@dataclass(frozen=True)
class Stage:
    """One attempt: rows to learn from, fresh rows to check on, and its shares of delta.

    With `weights` its lower bound is measured from a list that is known (`paired_lower_bound`).

    Examples
    --------
    >>> Stage(train_rows=250, validation_rows=0, shares=Shares(lower=0.00625)).shares.lower
    0.00625
    """

    train_rows: int
    validation_rows: int
    shares: Shares
    weights: PairedWeights | None = None


@dataclass(frozen=True)
class Schedule:
    """The stages of a progressive run, and the delta they share.

    Guarantee
    ---------
    The exact sum of all shares is at most `delta`; otherwise there is an error and no schedule
    (docs/theory/schedule.md, "Schedule").

    Examples
    --------
    >>> Schedule((Stage(10, 0, Shares(0.04)), Stage(20, 0, Shares(0.04))), delta=0.05)
    Traceback (most recent call last):
    ...
    samrule.errors.ParameterError: the stages spend 0.08; expected at most delta = 0.05.
    """

    stages: tuple[Stage, ...]
    delta: float

    def __post_init__(self) -> None:
        sizes = [stage.train_rows for stage in self.stages]
        if not sizes or sizes != sorted(set(sizes)):
            raise ParameterError(f"the stages have {sizes} rows; expected sizes that grow.")
        if self.exact_total > Fraction(self.delta):
            spent = float(self.exact_total)
            raise ParameterError(
                f"the stages spend {spent:.10g}; expected at most delta = {self.delta:g}."
            )

    @property
    def exact_total(self) -> Fraction:
        """What all stages spend together, without rounding.

        Examples
        --------
        >>> Schedule((Stage(10, 0, Shares(0.05)),), delta=0.05).exact_total == Fraction(0.05)
        True
        """
        return sum((stage.shares.exact_total for stage in self.stages), Fraction(0))

    @property
    def a_priori_rows(self) -> int | None:
        """The last size, if it suffices once the search on it is finished; None if it need not.

        Examples
        --------
        >>> progressive_schedule(175, max_rules=4, epsilon=0.5, theta=0.025).a_priori_rows
        23377
        """
        last = self.stages[-1]
        return last.train_rows if last.shares.uniform else None


def progressive_schedule(
    n_conditions: int,
    *,
    max_rules: int,
    max_terms: int = 1,
    epsilon: float,
    theta: float,
    delta: float = 0.05,
    method: Method = "tight",
    n_classes: int = 2,
    regularization: float = 1e-4,
    n_conjunctions: int | None = None,
    first_rows: int = 250,
    growth: float = 2.0,
    validation_ratio: float = 0.0,
) -> Schedule:
    """Sizes and delta shares of a progressive run, from `first_rows` up to the a-priori size.

    Parameters
    ----------
    n_conditions, max_rules, max_terms, epsilon, theta, delta, method, n_classes, regularization, \
n_conjunctions
        As in `sample_size`, which gives the last stage's size.
    first_rows, growth
        Size of the first stage, and about how much larger each stage is than the one before.
    validation_ratio
        Fresh validation rows per training row; 0 if found lists are scanned on the whole table.

    Guarantee
    ---------
    Samples may be nested, and the run may stop after any stage for any reason: the probability
    that it issues a wrong certificate is at most `delta` (docs/theory/schedule.md,
    "progressive_schedule"). On the last stage a finished search is covered by the a-priori
    argument: its size is `sample_size` at the delta of its own shares.

    Examples
    --------
    >>> schedule = progressive_schedule(175, max_rules=4, epsilon=0.5, theta=0.025)
    >>> [stage.train_rows for stage in schedule.stages]
    [250, 478, 914, 1748, 3343, 6393, 12225, 23377]
    >>> schedule.stages[0].shares
    Shares(lower=0.00625, upper=0.0, uniform=0.0)
    >>> schedule.stages[-1].shares
    Shares(lower=0.003125, upper=0.0, uniform=0.003125)
    """
    delta = checked_number("delta", delta)
    first = checked_integer("first_rows", first_rows)
    growth = checked_number("growth", growth)
    ratio = checked_number("validation_ratio", validation_ratio)

    def last_shares(n_stages: int) -> Shares:
        stage_delta = equal_share(delta, n_stages)
        return Shares.split(stage_delta, validated=ratio > 0, a_priori=True)

    def last_rows(n_stages: int) -> int:
        return sample_size(
            n_conditions,
            max_rules=max_rules,
            max_terms=max_terms,
            epsilon=epsilon,
            theta=theta,
            delta=last_shares(n_stages).a_priori_delta,
            method=method,
            n_classes=n_classes,
            regularization=regularization,
            n_conjunctions=n_conjunctions,
        )

    n_stages, last = _settled_length(last_rows, first, growth)
    early = Shares.split(equal_share(delta, n_stages), validated=ratio > 0)
    shares = [early] * (n_stages - 1) + [last_shares(n_stages)]
    sizes = _geometric_sizes(first, last, n_stages)
    return Schedule(
        tuple(
            Stage(rows, math.ceil(ratio * rows), share)
            for rows, share in zip(sizes, shares, strict=True)
        ),
        delta,
    )


def planned_schedule(
    n_conditions: int,
    *,
    planned: Sequence[tuple[int, PairedWeights | None]],
    most_rows: int,
    max_rules: int,
    max_terms: int = 1,
    epsilon: float,
    theta: float,
    delta: float = 0.05,
    n_classes: int = 2,
    regularization: float = 1e-4,
    n_conjunctions: int | None = None,
    is_hard: bool = False,
) -> Schedule | None:
    """Delta shares of a run whose stages were planned; None if none of them is within reach.

    Parameters
    ----------
    planned
        Sizes of the stage that should do and of those in reserve, growing, each with the weights
        of its rows if its bound is measured from a known list. They may depend on pilot rows that
        are independent of all rows drawn later, and on the table.
    most_rows
        Stages of more rows are never drawn, so they get no share: the whole table is searched.
    n_conditions, max_rules, max_terms, epsilon, theta, delta, n_classes, regularization, \
n_conjunctions
        As in `sample_size`, which gives the last stage's size.
    is_hard
        Whether searches will hardly end, so that more rows than the a-priori size pay, which is of
        use only to a search that does: it then comes after all that was planned.

    Guarantee
    ---------
    That of `progressive_schedule`, with found lists scanned on the whole table
    (docs/theory/schedule.md, "planned_schedule").

    Examples
    --------
    >>> asked = dict(planned=[(1200, None), (2400, None)], max_rules=4, epsilon=0.5, theta=0.025)
    >>> schedule = planned_schedule(175, most_rows=10**6, **asked)
    >>> [(stage.train_rows, round(stage.shares.total, 4)) for stage in schedule.stages]
    [(1200, 0.03), (2400, 0.01), (22532, 0.01)]
    >>> schedule = planned_schedule(175, most_rows=20_000, **asked)
    >>> [(stage.train_rows, round(stage.shares.total, 4)) for stage in schedule.stages]
    [(1200, 0.03), (2400, 0.02)]
    >>> asked["planned"] = [(30_000, None)]
    >>> [one.train_rows for one in planned_schedule(175, most_rows=10**6, **asked).stages]
    [21263]
    >>> schedule = planned_schedule(175, most_rows=10**6, is_hard=True, **asked)
    >>> [one.train_rows for one in schedule.stages]
    [30000, 30001]
    """
    delta = checked_number("delta", delta)
    rest = round_down(delta * (1 - PLANNED_SHARE))
    last_shares = Shares.split(equal_share(rest, len(planned)), validated=False, a_priori=True)
    last = sample_size(
        n_conditions,
        max_rules=max_rules,
        max_terms=max_terms,
        epsilon=epsilon,
        theta=theta,
        delta=last_shares.a_priori_delta,
        method="tight",
        n_classes=n_classes,
        regularization=regularization,
        n_conjunctions=n_conjunctions,
    )
    if is_hard:
        last = max(last, planned[-1][0] + 1)
    early = [one for one in planned if one[0] < last and one[0] <= most_rows]
    ends = [Stage(last, 0, last_shares)] if last <= most_rows else []
    # The end takes its part of the rest as if all stages before it were within reach.
    n_others = len(planned) if ends else len(early) - 1
    shares = _planned_shares(delta, rest, n_others)[: len(early)]
    stages = [
        Stage(rows, 0, Shares(lower=share), weights)
        for (rows, weights), share in zip(early, shares, strict=True)
    ]
    return Schedule((*stages, *ends), delta) if early or ends else None


def effort_schedule(
    sizes: Sequence[tuple[int, PairedWeights | None]], *, delta: float = 0.05
) -> Schedule:
    """Delta shares of a run that goes on as long as it may, and then says what is proven.

    Parameters
    ----------
    sizes
        Sizes of samples, growing, each with the weights of its rows if its bound is measured from
        a known list. They may depend on pilot rows that are independent of all rows drawn later,
        and on the table.
    delta
        Failure probability of all stages together.

    Guarantee
    ---------
    That of `progressive_schedule`, with found lists scanned on the whole table, whatever ends the
    run (docs/theory/schedule.md, "effort_schedule").

    Examples
    --------
    >>> schedule = effort_schedule([(10_000, None), (20_000, None), (40_000, None)])
    >>> [round(stage.shares.lower, 4) for stage in schedule.stages]
    [0.025, 0.0125, 0.0125]
    """
    delta = checked_number("delta", delta)
    last = len(sizes) - 1
    stages = [
        Stage(rows, 0, Shares(lower=delta / 2 ** min(place + 1, max(last, 0))), weights)
        for place, (rows, weights) in enumerate(sizes)
    ]
    return Schedule(tuple(stages), delta)


def _planned_shares(delta: float, rest: float, n_others: int) -> list[float]:
    """Return the share of the first stage, and those of the stages that divide the rest."""
    if n_others < 1:
        return [delta]
    return [round_down(delta - rest), *[equal_share(rest, n_others)] * n_others]


def _settled_length(last_rows: Callable[[int], int], first: int, growth: float) -> tuple[int, int]:
    """Return the number of stages T, and the size of the last, which depend on each other.

    More stages leave less of delta to each, so the last must be larger, so there may be room for
    one more. Going up from T = 1 this settles at the least T that agrees with its own last size.
    """
    n_stages, last = 1, last_rows(1)
    while (fitting := _fitting_length(first, last, growth)) > n_stages:
        n_stages, last = fitting, last_rows(fitting)
    return n_stages, last


def _fitting_length(first: int, last: int, growth: float) -> int:
    """How many stages lead from `first` to `last` rows in steps of about `growth`."""
    if last <= first:
        return 1
    steps = math.log(last / first) / math.log(growth)
    return 1 + min(max(1, round(steps)), last - first)


def _geometric_sizes(first: int, last: int, n_stages: int) -> list[int]:
    """`n_stages` growing sizes, evenly spaced in logarithm, from `first` to exactly `last`."""
    if n_stages == 1:
        return [last]
    ratio = (last / first) ** (1 / (n_stages - 1))
    sizes = [first]
    for t in range(1, n_stages - 1):
        room = last - (n_stages - 1 - t)  # the stages after this one need to grow, too
        sizes.append(min(room, max(sizes[-1] + 1, round(first * ratio**t))))
    return [*sizes, last]
