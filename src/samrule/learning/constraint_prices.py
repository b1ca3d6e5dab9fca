"""What each constraint costs: the best loss with it and without it, both proven."""

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING
from typing import Any

from samrule.conditions import Binarizer, Conditions
from samrule.constraints import Constraints, checked_constraints, constraint_parameters
from samrule.learning.constrained import kept_columns
from samrule.learning.learn import learn
from samrule.theory import Certificate
from samrule.theory.words import loss_text


@dataclass(frozen=True, slots=True)
class ConstraintPrice:
    """How much more the best list loses because of one constraint.

    Parameters
    ----------
    constraint
        The constraint, in words.
    obeyed
        What is proven of the list that obeys all constraints.
    without
        What is proven of the list that obeys all but this one.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.integers(0, 10, (500, 2))
    >>> [price] = constraint_prices(rows, rows[:, 0] >= 4, forbid=["x0"], random_state=0)
    >>> print(price)
    forbid x0: 0.3921 (loss 0.3922 with it, 0.0001000 without)
    """

    constraint: str
    obeyed: Certificate
    without: Certificate

    @property
    def least(self) -> float:
        """The price is no less than this."""
        return max(0.0, self.obeyed.lower_bound - self.without.upper_bound)

    @property
    def most(self) -> float:
        """The price is no more than this."""
        return max(0.0, self.obeyed.upper_bound - self.without.lower_bound)

    def __str__(self) -> str:
        least, most = f"{self.least:.4g}", f"{self.most:.4g}"
        price = least if least == most else f"{least} to {most}"
        obeyed, without = (
            loss_text(one.upper_bound, ROUND_CEILING) for one in (self.obeyed, self.without)
        )
        name = self.obeyed.loss_name
        return f"{self.constraint}: {price} ({name} {obeyed} with it, {without} without)"


def constraint_prices(
    table: Any, target: Any = None, **parameters: Any
) -> tuple[ConstraintPrice, ...]:
    """Return the price of each constraint, by learning once with all and once without each.

    Parameters
    ----------
    table, target, parameters
        As for `learn`; one of the parameters must be a constraint.

    Guarantee
    ---------
    The best loss of lists that obey all constraints is from `least` to `most` above that of lists
    that obey all but one, wherever both certificates hold. After exact searches that ended by
    themselves both ends are the same, and certain.
    """
    names = constraint_parameters()
    others = {name: one for name, one in parameters.items() if name not in names}
    asked = checked_constraints(**{name: one for name, one in parameters.items() if name in names})
    obeying = learn(table, target, **others, **asked.parameters())
    others["binarizer"] = _same_conditions(others.get("binarizer"), obeying.conditions, asked)
    return tuple(
        ConstraintPrice(
            text,
            obeying.certificate,
            learn(table, target, **others, **rest.parameters()).certificate,
        )
        for text, rest in asked.each()
    )


def _same_conditions(
    binarizer: Binarizer | Conditions | None, made: Conditions, asked: Constraints
) -> Binarizer | Conditions:
    """Return the binarizer that makes the same conditions whichever constraints are left out."""
    if isinstance(binarizer, Conditions):
        return binarizer
    binarizer = binarizer or Binarizer()
    columns = [*made.columns, *(one.column for one in made.left_out)]
    return replace(
        binarizer,
        keep=[*binarizer.keep, *kept_columns(asked, columns)],
        # Where lists are constrained, nothing is left out because it does not pay.
        sets=bool(binarizer.sets),
        intervals=bool(binarizer.intervals),
    )
