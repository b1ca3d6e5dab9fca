"""All lists nearly as good as the best one, and what they have in common."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.checks import checked
from samrule.constraints import Constraints, checked_constraints
from samrule.editing.without_column import without_column
from samrule.editing.workbench import Workbench, workbench_of
from samrule.errors import InputError, Parameter, ParameterError, Words
from samrule.export.frame import frame_of
from samrule.learning import ColumnPrice, FittedRuleList, learn
from samrule.learning.constrained import searched_constraints
from samrule.rules import Condition, RuleList
from samrule.solver import Status
from samrule.solver.good_lists import GoodLists, good_lists

# Lists that are compared with each other to find those that differ most.
COMPARED_LISTS = 1000


@dataclass(frozen=True, slots=True)
class Alternative:
    """A list that is nearly as good as the best one.

    Parameters
    ----------
    rule_list
        The list.
    loss
        Its loss on the rows at hand.
    """

    rule_list: RuleList
    loss: float

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it uses."""
        return tuple(dict.fromkeys(one.column for one in _conditions_of(self.rule_list)))

    def __str__(self) -> str:
        return str(self.rule_list)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the lists use: what all of them do, what some do, and what none does."""

    in_all: tuple[Any, ...]
    in_some: tuple[Any, ...]
    in_none: tuple[Any, ...]


class Alternatives(Sequence[Alternative]):
    """Every list with a loss of at most 1 + `within` times the least, best first.

    Under constraints, every list that obeys them, and the least is that of these lists.
    Lists that predict the same on every row count as one: the one with the least loss. Iterating
    makes the lists one by one.
    """

    def __init__(
        self, workbench: Workbench, found: GoodLists, within: float, constraints: Constraints
    ) -> None:
        self._workbench = workbench
        self._found = found
        self._constraints = constraints
        self.within = within

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, place: int) -> Alternative: ...

    @overload
    def __getitem__(self, place: slice) -> list[Alternative]: ...

    def __getitem__(self, place: int | slice) -> Alternative | list[Alternative]:
        """Return the list at this place, or some of them."""
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        return Alternative(*self._found.rule_list(range(len(self))[place]))

    def __iter__(self) -> Iterator[Alternative]:
        return (self[place] for place in range(len(self)))

    @property
    def complete(self) -> bool:
        """Whether it is proven that these are all; never if only a sample of the rows is known."""
        return self._found.complete and not self._workbench.is_sample

    @property
    def complete_up_to(self) -> float:
        """Every list with at most this loss on the rows at hand is here; -1 if nothing is known."""
        return max(self._found.complete_up_to, -1.0)

    @property
    def least_loss(self) -> float:
        """The loss of the best list found."""
        return self._found.best.loss

    @property
    def most_loss(self) -> float:
        """Lists with a greater loss were not looked for."""
        return self._found.most_loss

    @property
    def status(self) -> Status:
        """Why the search ended: ``optimal`` if it went through all lists."""
        return self._found.status

    @property
    def n_rows(self) -> int:
        """The rows at hand."""
        return int(self._workbench.rows.num_rows)

    @cached_property
    def columns(self) -> Usage:
        """The columns that all, some and none of the lists use."""
        wanted = self._workbench.conditions.columns
        return self._usage(wanted, lambda condition: condition.column)

    @cached_property
    def conditions(self) -> Usage:
        """The conditions that all, some and none of the lists use."""
        return self._usage(tuple(self._workbench.conditions), lambda condition: condition)

    def without(self, column: str) -> ColumnPrice:
        """Return the best list that does without a column, and its price: proven, both."""
        return without_column(self._workbench, column, self._found.best, self._constraints)

    def most_different(self, n_lists: int = 5) -> list[Alternative]:
        """Return a handful of lists that predict as differently as can be, the best one first.

        Each next one differs from those before it on as many rows as possible: from the nearest of
        them. Of very many lists the best 1,000 are compared.
        """
        if n_lists < 1:
            raise ParameterError(
                Words(Parameter("n_lists"), f" is {n_lists}; expected at least 1."), hint="try 5."
            )
        n_compared = min(len(self), COMPARED_LISTS)
        if n_compared == 0:
            return []
        predicted = np.stack([self._found.predicted(place) for place in range(n_compared)])
        chosen = [0]
        nearest = _n_different(predicted, 0)
        while len(chosen) < min(n_lists, n_compared):
            farthest = int(np.argmax(nearest))
            chosen.append(farthest)
            nearest = np.minimum(nearest, _n_different(predicted, farthest))
        return [self[place] for place in chosen]

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the lists as a dataframe of pandas, polars or pyarrow: a row for each."""
        return frame_of(self._arrow_table, backend)

    def _arrow_table(self) -> Any:
        lists = list(self)
        return pa.table(
            {
                "loss": pa.array([one.loss for one in lists], pa.float64()),
                "rules": pa.array([one.rule_list.n_rules for one in lists], pa.int64()),
                "columns": pa.array([list(one.columns) for one in lists], pa.list_(pa.string())),
                "rule_list": pa.array([str(one.rule_list) for one in lists], pa.string()),
            }
        )

    @property
    def sentence(self) -> str:
        """What was found, and what is proven about it, in a sentence or two."""
        many = "1 list has" if len(self) == 1 else f"{len(self):,} lists have"
        most = (
            f"at most {self.most_loss:.6g}, {100 * self.within:.10g} % above {self.least_loss:.6g}"
        )
        counted = "lists that predict the same on every row counted once"
        if self.complete:
            return f"{many} a loss of {most}; these are all there are, {counted}."
        if self._workbench.is_sample:
            return (
                f"On a sample of {self.n_rows:,} rows {many} a loss of {most}, {counted}. Nothing "
                "is claimed about the whole table: lists may be missing that are as good there."
            )
        reason = {
            Status.OPTIMAL: "the limit on lists",
            Status.TIME_LIMIT: "the time limit",
            Status.MEMORY_LIMIT: "the memory limit",
        }.get(self.status, "an interrupt")
        return f"{many} a loss of {most}, {counted}; there may be others, for {reason} was reached."

    def __str__(self) -> str:
        used = self.columns
        lines = [self.sentence]
        if used.in_all:
            lines.append(f"All use {', '.join(used.in_all)}.")
        if used.in_some:
            lines.append(f"Some use {', '.join(used.in_some)}.")
        for place in range(min(3, len(self))):
            one = self[place]
            lines += ["", f"{place + 1}. loss {one.loss:.6g}", str(one.rule_list)]
        return "\n".join(lines)

    def _usage(self, wanted: Sequence[Any], what: Any) -> Usage:
        packed = self._workbench.packed.conditions
        counts: Counter[Any] = Counter()
        for rules in self._found.found:
            counts.update({what(packed[place]) for terms in rules for place in terms})
        return Usage(
            in_all=tuple(one for one in wanted if len(self) and counts[one] == len(self)),
            in_some=tuple(one for one in wanted if 0 < counts[one] < len(self)),
            in_none=tuple(one for one in wanted if counts[one] == 0),
        )


def alternatives(
    fitted_or_table: Any,
    table_or_target: Any = None,
    *,
    within: float = 0.02,
    limit: int = 10_000,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    **learning: Any,
) -> Alternatives:
    """Return every list whose loss is at most 1 + `within` times the least there is.

    Parameters
    ----------
    fitted_or_table
        A list that `learn` returned, or a table to learn one from: a source, or anything
        `open_table` takes.
    table_or_target
        For a list read from a file, the table that it was learned from. For a table, the column to
        predict.
    within
        How much greater than the least loss a loss may be, as a share of it.
    limit
        Most lists to keep: the best ones, if there are more.
    time_limit, memory_limit, threads
        As in `solve`; `Alternatives.complete` says whether all lists were found within them.
    **learning
        For a table: what `learn` takes, such as `max_rules`, `objective` or `exclude`.

    Returns
    -------
    Alternatives
        Iterating gives the lists in order of their loss, each with `rule_list` and `loss`; lists
        that predict the same on every row count as one.

    Guarantee
    ---------
    If `Alternatives.complete`, no other list of the shape asked for that obeys the constraints has
    a loss of at most `most_loss`, unless it predicts on every row what one of these does
    (docs/alternatives.md). Constraints may forbid columns and conditions, columns together, and
    more than so many columns or rules on a column; `alternatives` takes no others. Of
    tables with more than a million rows a sample is searched, and nothing is claimed about the
    table.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> rng = np.random.default_rng(0)
    >>> age, wait = rng.integers(18, 80, 1000), rng.integers(0, 60, 1000)
    >>> happy = (wait < 20) ^ (rng.random(1000) < 0.1)
    >>> guests = pa.table({"age": age, "wait": wait, "hours": wait / 60, "happy": happy})
    >>> found = alternatives(guests, "happy", max_rules=1, within=0.01)
    >>> print(found.sentence)  # doctest: +NORMALIZE_WHITESPACE
    1 list has a loss of at most 0.122311, 1 % above 0.1211; these are all there are, lists that
    predict the same on every row counted once.
    >>> print(found[0].rule_list)
    if wait >= 20 then False
    else True
    >>> found.columns.in_all, found.without("wait").most
    (('wait',), 0.0)
    """
    within, limit = checked("within", within), checked("limit", limit)
    if isinstance(fitted_or_table, FittedRuleList):
        if learning:
            name, value = next(iter(learning.items()))
            raise ParameterError(
                Words(Parameter(name), f" is {value!r}, but the list is learned already."),
                hint="pass the table instead of the list to learn with other parameters.",
            )
        fitted, table = fitted_or_table, table_or_target
    else:
        asked = {"strategy": "exact", "time_limit": time_limit, "threads": threads, **learning}
        fitted, table = learn(fitted_or_table, table_or_target, **asked), None
    check_constraints(fitted)
    workbench = workbench_of(fitted, table, threads=threads, memory_limit=memory_limit)
    return alternatives_on(
        workbench,
        fitted.constraints,
        within=within,
        limit=limit,
        time_limit=checked("time_limit", time_limit),
        memory_limit=checked("memory_limit", memory_limit),
        threads=checked("threads", threads),
    )


def alternatives_on(
    workbench: Workbench, constraints: Constraints, *, within: float, limit: int, **limits: Any
) -> Alternatives:
    """Return the same for rows that are in memory; limits are those of `good_lists`.

    The conditions of the workbench are those that constraints do not forbid.
    """
    settings = workbench.task.settings
    asked = checked_constraints(**searched_constraints(constraints, workbench.conditions))
    found = good_lists(
        workbench.packed,
        workbench.labels,
        within=within,
        limit=limit,
        classes=workbench.task.classes,
        weights=workbench.weights,
        max_rules=settings.max_rules,
        max_terms=settings.max_terms,
        regularization=settings.regularization,
        min_support=settings.min_support,
        objective=workbench.task.objective,
        constraints=asked,
        **limits,
    )
    return Alternatives(workbench, found, within, asked)


def check_constraints(fitted: FittedRuleList) -> None:
    """Refuse constraints under which all good lists cannot be found."""
    if not fitted.constraints.holds_for_parts:
        raise InputError(
            f"the list was learned to obey: {fitted.constraints}; all good lists are found where "
            "columns or conditions are forbidden, or columns and rules on them limited in number.",
            hint="learn without the other constraints, and choose among the lists found.",
        )


def _conditions_of(rule_list: RuleList) -> Iterator[Condition]:
    return (condition for rule in rule_list for condition in rule.conditions)


def _n_different(predicted: NDArray[np.int32], place: int) -> NDArray[np.int64]:
    return np.asarray(np.count_nonzero(predicted != predicted[place], axis=1))
