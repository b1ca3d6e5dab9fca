"""What is to be learned, from which table, within which time: shared by all strategies."""

import math
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from samrule.checks import Strategy, checked, checked_epsilon
from samrule.conditions import Binarizer, Conditions, ListsWanted
from samrule.constraints import NO_CONSTRAINTS, Constraints
from samrule.errors import InputError, Parameter, TargetError, Words
from samrule.learning.alert_rate import AlertRate
from samrule.objective import ERROR, Objective
from samrule.rules import Rule, RuleList
from samrule.rules.meaning import column_type
from samrule.sources.base import Source
from samrule.sources.counts import Levels
from samrule.sources.roles import check_target

# Conditions are learned on so many rows. Tables with no more are read once, and kept in memory.
PILOT_ROWS = 10_000
# A column with more different values than this is a number to be estimated, or a name.
MOST_CLASSES = 1000

Phase = Literal["reading", "drawing", "cross-validating", "searching", "scanning"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked for, checked; the parameters of `learn` under their own names.

    `regularization` is the price of a rule as a share of the rows, what it came to if it was asked
    for as a share of the loss without rules, `relative_regularization`. `epsilon` is None if the
    best that can be proven was asked for.
    """

    max_rules: int = 4
    max_terms: int = 1
    regularization: float = 1e-4
    epsilon: float | None = 0.1
    theta: float = 0.05
    delta: float = 0.05
    strategy: Strategy = "auto"
    min_support: float = 0.0
    relative_regularization: float | None = None

    def __post_init__(self) -> None:
        for field_ in fields(self):
            given = getattr(self, field_.name)
            value = (
                checked_epsilon(given) if field_.name == "epsilon" else checked(field_.name, given)
            )
            object.__setattr__(self, field_.name, value)  # Python's own, whatever was given.


@dataclass(frozen=True, slots=True)
class LearningProgress:
    """Where a run stands.

    Parameters
    ----------
    phase
        ``"reading"`` the table, ``"drawing"`` rows, ``"cross-validating"`` to choose how many rules
        a list may have, ``"searching"`` for the best list, ``"scanning"`` the table to see how good
        it is.
    stage, n_stages
        Which of how many stages there are at most, from 1.
    rows
        Rows of this stage.
    loss, lower_bound
        While searching: the loss of the best list so far on these rows, and the loss that no
        list is below.
    share
        While searching: the share of the search that is done.
    elapsed
        Seconds since `learn` was called.
    certified
        What earlier stages prove of the best list they found: the least epsilon it is near-optimal
        for; None before a list was checked.
    """

    phase: Phase
    stage: int
    n_stages: int
    rows: int
    loss: float | None
    lower_bound: float | None
    share: float
    elapsed: float
    certified: float | None = None


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment to be ready by; infinitely far if no limit was given."""

    started: float = field(default_factory=time.monotonic)
    seconds: float = math.inf

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def remaining(self) -> float | None:
        """Seconds left, a little more than none at least; None without a limit."""
        return None if math.isinf(self.seconds) else max(self.seconds - self.elapsed, 1e-6)

    @property
    def passed(self) -> bool:
        """Whether the time is over."""
        return self.elapsed >= self.seconds


@dataclass(slots=True)
class WorkBudget:
    """Operations that all searches of a run may still take together; infinite if nobody counts."""

    left: float = math.inf

    @property
    def is_endless(self) -> bool:
        """Whether nobody counts."""
        return math.isinf(self.left)

    def part(self, share: float) -> float | None:
        """Return what one search may take of it, as `solve` wants to be told."""
        return None if self.is_endless else max(self.left * share, 1.0)

    def spend(self, operations: int) -> None:
        """Take away what a search took."""
        self.left = max(self.left - operations, 0.0)


@dataclass(frozen=True, slots=True)
class RowsUsed:
    """How many rows of the table a run looked at, whatever for.

    Parameters
    ----------
    drawn
        Rows drawn at random, with repeats: for the conditions, to learn from, to validate on, held
        back, and drawn ahead in vain.
    scans
        How often every row was read: for the classes, to search them all, to count what a list
        does. A table of at most `PILOT_ROWS` rows is read once for all of it.
    """

    drawn: int
    scans: int


@dataclass(frozen=True, slots=True)
class Task:
    """One run of `learn`, with everything checked that can be checked before reading rows.

    Parameters
    ----------
    source
        The table; its target and weights say what is learned.
    target
        The source's target column.
    class_shares
        The classes that the target holds, in their order, and which share of the rows (of their
        weight, if they carry some) each makes up.
    settings
        What was asked for.
    binarizer
        How to make conditions, or conditions made already.
    rng
        Where every draw comes from.
    deadline, threads, progress
        Limits, and whom to tell.
    weights
        The column of row weights given; the source's own may be made of it and the classes.
    memory_limit
        Bytes a search may use; None for the solver's default.
    class_weight
        How much a row of each class counts, which the source's weights know already; None if all
        count alike.
    rows_used
        The fields of `RowsUsed` so far; every draw and scan adds to them.
    objective
        What to minimize.
    work
        What the searches may still take.
    alerts
        On how many rows the list may alert; None if on any number.
    constraints
        What the list must obey.
    chooses_rules
        Whether cross-validation is to choose the most rules, up to those of the settings.
    """

    source: Source
    target: str
    class_shares: Mapping[Hashable, float]
    settings: Settings
    binarizer: Binarizer | Conditions
    rng: np.random.Generator
    deadline: Deadline
    threads: int | None = None
    progress: Callable[[LearningProgress], object] | None = None
    weights: str | None = None
    class_weight: Mapping[Hashable, float] | None = None
    memory_limit: int | None = None
    rows_used: dict[str, int] = field(default_factory=lambda: {"drawn": 0, "scans": 0})
    objective: Objective = ERROR
    work: WorkBudget = field(default_factory=WorkBudget)
    alerts: AlertRate | None = None
    constraints: Constraints = NO_CONSTRAINTS
    chooses_rules: bool = False

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes that the target holds, in their order."""
        return tuple(self.class_shares)

    @property
    def lists_wanted(self) -> ListsWanted:
        """The lists that conditions are to serve."""
        settings = self.settings
        return ListsWanted.of(
            self.objective,
            max_rules=settings.max_rules,
            max_terms=settings.max_terms,
            regularization=settings.regularization,
            constrained=bool(self.constraints),
        )

    def count_scans(self, n_scans: int) -> None:
        """Add to how often every row was read; a small table was read once, whatever comes."""
        is_small = self.source.n_rows <= PILOT_ROWS
        self.rows_used["scans"] = 1 if is_small else self.rows_used["scans"] + n_scans

    def report(self, phase: Phase, rows: int, stage: int = 1, n_stages: int = 1) -> None:
        """Tell that a phase begins."""
        if self.progress is not None:
            self.progress(
                LearningProgress(
                    phase, stage, n_stages, rows, None, None, 0.0, self.deadline.elapsed
                )
            )


def class_shares_of(source: Source) -> dict[Hashable, float]:
    """Return the classes that some row with weight holds, sorted if possible, with their shares."""
    target = source.target
    if target is None:
        raise TargetError(
            f"{source.name} has no target: nothing says which column to predict.",
            hint="name it: learn(table, 'column').",
        )
    type_ = source.schema.field(target).type
    if column_type(type_) is None:
        raise TargetError(
            f"target column {target!r} holds {type_}; expected numbers, text, dates or truth "
            "values.",
            hint="turn the classes into text or numbers first.",
        )
    amounts = _counts(source) if source.weights is None else _weight_sums(source, target)
    if len(amounts) > MOST_CLASSES:
        raise TargetError(
            f"target column {target!r} holds {len(amounts):,} different values; expected "
            f"classes, at most {MOST_CLASSES:,}.",
            hint="group them first: a number becomes classes by comparing it with thresholds.",
        )
    total = sum(amounts.values())
    shares = {label: amount / total for label, amount in amounts.items()}
    try:
        return dict(sorted(shares.items()))
    except TypeError:
        return shares


def _counts(source: Source) -> dict[Any, float]:
    levels = source.classes()
    return dict(zip(levels.values, levels.counts, strict=True))


def _weight_sums(source: Source, target: str) -> dict[Any, float]:
    """Return the classes that have weight: a row without weight is as good as not there."""
    nothing = RuleList((), Rule((), 0), (0,))
    tally = source.tally(nothing, target, source.weights)
    counts: dict[Any, int] = {actual: count for (_, actual), count in tally.n_rows.items()}
    n_missing = counts.pop(None, 0)
    weighty = [actual for (_, actual), weight in tally.weight.items() if weight > 0]
    found = [actual for actual in weighty if actual is not None]
    if not weighty:
        raise InputError(
            Words(
                Parameter("weights"),
                f" {source.weights!r} are 0 in all {source.n_rows:,} rows of {source.name}; "
                "expected at least one positive weight.",
            ),
            hint=Words("leave ", Parameter("weights"), " out to count every row once."),
        )
    levels = Levels(tuple(found), tuple(counts[actual] for actual in found), n_missing)
    check_target(target, levels)
    return {actual: weight for (_, actual), weight in tally.weight.items() if actual in found}
