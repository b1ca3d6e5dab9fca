"""What leaving out a column costs: the best list without it beside the best one with it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samrule.conditions import Conditions
from samrule.constraints import Constraints
from samrule.errors import ParameterError
from samrule.learning.learn import learn
from samrule.rules import Condition, RuleList, column_text
from samrule.sources.base import Source

if TYPE_CHECKING:
    from samrule.learning.model import FittedRuleList


@dataclass(frozen=True, slots=True)
class ColumnPrice:
    """What the best list loses without one column, on all rows of a table.

    Parameters
    ----------
    column
        The column left out.
    loss_with, loss_without
        Loss of the list found with all conditions, and of that found without this column's.
    least_with, least_without
        What no list of either kind is below: the same as the losses if both searches ended.
    rule_list
        The list found without the column.

    Examples
    --------
    >>> from samrule import Rule
    >>> price = ColumnPrice("sex", 0.15, 0.17, 0.15, 0.16, RuleList((), Rule((), "no"), ("no",)))
    >>> price.least, price.most
    (0.01, 0.02)
    >>> print(price)
    without sex the best loss rises by 0.0100 to 0.0200
    """

    column: str
    loss_with: float
    loss_without: float
    least_with: float
    least_without: float
    rule_list: RuleList

    @property
    def least(self) -> float:
        """The least that leaving the column out can cost, proven."""
        return max(0.0, round(self.least_without - self.loss_with, 12))

    @property
    def most(self) -> float:
        """The most that it can cost, proven."""
        return max(0.0, round(self.loss_without - self.least_with, 12))

    @property
    def is_proven(self) -> bool:
        """Whether both searches ended, so that the price is known."""
        return math.isclose(self.least, self.most, abs_tol=1e-9)

    def __str__(self) -> str:
        amount = f"{self.least:.4f}" if self.is_proven else f"{self.least:.4f} to {self.most:.4f}"
        return f"without {column_text(self.column)} the best loss rises by {amount}"


def column_prices(
    fitted: "FittedRuleList",
    table: Any,
    columns: Sequence[str] | None = None,
    *,
    time_limit: float | None = None,
    threads: int | None = None,
) -> tuple[ColumnPrice, ...]:
    """Return what leaving out each column that the list uses would cost, the dearest first.

    Parameters
    ----------
    fitted
        The model: its conditions, settings, objective, weights and constraints are used again.
    table
        A table with the target and every column that conditions ask about; best the one that the
        model was learned from. All its rows are searched.
    columns
        Columns to leave out, one at a time; those that the list uses if not given.
    time_limit, threads
        As in `learn`, for each search.

    Guarantee
    ---------
    That of `Certificate`, for certain: no list of this shape without the column has a loss below
    `least_without`, none with it one below `least_with`.
    """
    wanted = list(fitted.columns) if columns is None else list(columns)
    for name in wanted:
        if name not in fitted.conditions.columns:
            raise ParameterError(
                f"no condition asks about column {name!r}, so leaving it out costs nothing.",
                hint=f"columns with conditions: {', '.join(fitted.conditions.columns[:10])}.",
            )
        _check_free(name, fitted.constraints)

    def searched(conditions: Conditions) -> "FittedRuleList":
        settings, weights = fitted.settings, fitted.class_weight
        has_some = len(conditions) > 0
        return learn(
            table,
            fitted.target,
            max_rules=settings.max_rules if has_some else 0,
            max_terms=settings.max_terms,
            regularization=settings.regularization,
            min_support=settings.min_support,
            strategy="exact",
            binarizer=conditions if has_some else fitted.conditions,
            weights=None if isinstance(table, Source) else fitted.weights,
            class_weight=None
            if weights is None
            else dict(zip(fitted.classes, weights, strict=True)),
            objective=fitted.objective,  # type: ignore[arg-type]
            **fitted.constraints.parameters(),
            time_limit=time_limit,
            threads=threads,
        )

    whole = searched(fitted.conditions).certificate
    found = []
    for name in wanted:
        without = searched(_without(fitted.conditions, name))
        rest = without.certificate
        found.append(
            ColumnPrice(
                column=name,
                loss_with=whole.upper_bound,
                loss_without=rest.upper_bound,
                least_with=whole.lower_bound,
                least_without=rest.lower_bound,
                rule_list=without.rule_list,
            )
        )
    return tuple(sorted(found, key=lambda one: -one.least))


def _without(conditions: Conditions, column: str) -> Conditions:
    return conditions.without({one for one in conditions if one.column == column}, "left out")


def _check_free(column: str, constraints: Constraints) -> None:
    """Refuse to leave out what the list must use."""
    named = [*constraints.require, *constraints.fixed_conditions]
    named += [one for some in constraints.together for one in some]
    if column in {one.column if isinstance(one, Condition) else one for one in named}:
        raise ParameterError(
            f"column {column!r} cannot be left out: the list was to obey {constraints}.",
            hint="name other columns, or learn without these constraints.",
        )
