"""Checks shared by all of `theory`: every message names the value and the range it missed."""

import math
import operator
from numbers import Real
from typing import SupportsIndex

from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words

# What to try in place of a value that cannot be.
_TYPICAL = {
    "n_conditions": 100,
    "max_rules": 4,
    "max_terms": 1,
    "regularization": 0.0001,
    "epsilon": 0.1,
    "theta": 0.05,
    "delta": 0.05,
}


class NotAnIntegerError(ParameterError, ParameterTypeError):
    """A number such as 2.5 where an integer is needed: wrong value and wrong type at once."""


def checked_integer(name: str, value: object, *, low: int, high: int | None = None) -> int:
    """`value` as an int, if it is an integer from `low` to `high` (both included).

    Examples
    --------
    >>> checked_integer("max_rules", 4, low=1)
    4
    >>> checked_integer("max_rules", 0, low=1)
    Traceback (most recent call last):
    ...
    samrule.errors.ParameterError: max_rules is 0; expected an integer of at least 1.
    Hint: try max_rules=4.
    """
    expected = f"expected an integer {_integer_range(low, high)}."
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        kind = NotAnIntegerError if isinstance(value, Real) else ParameterTypeError
        raise kind(
            Words(Parameter(name), f" is {value!r}; {expected}"), hint=_integer_hint(name, value)
        )
    number = operator.index(value)
    if number < low or (high is not None and number > high):
        raise ParameterError(
            Words(Parameter(name), f" is {number}; {expected}"), hint=_typical_hint(name)
        )
    return number


def checked_number(
    name: str,
    value: object,
    *,
    low: float,
    high: float,
    low_included: bool = True,
    high_included: bool = True,
) -> float:
    """`value` as a float, if it is a number in the given range; NaN never is.

    Examples
    --------
    >>> checked_number("theta", 0.025, low=0, high=1, low_included=False)
    0.025
    >>> checked_number("theta", 0, low=0, high=1, low_included=False)
    Traceback (most recent call last):
    ...
    samrule.errors.ParameterError: theta is 0; expected a number in (0, 1].
    Hint: try theta=0.05.
    """
    left, right = "[" if low_included else "(", "]" if high_included else ")"
    expected = f"expected a number in {left}{low:g}, {high:g}{right}."
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterTypeError(
            Words(Parameter(name), f" is {value!r}; {expected}"), hint=_typical_hint(name)
        )
    number = float(value)
    above = number >= low if low_included else number > low
    below = number <= high if high_included else number < high
    if not (above and below):  # also true for NaN, which is neither
        raise ParameterError(
            Words(Parameter(name), f" is {value}; {expected}"), hint=_typical_hint(name)
        )
    return number


def checked_epsilon(epsilon: object) -> float:
    """Epsilon, the relative accuracy, if it lies in (0, 1].

    Examples
    --------
    >>> checked_epsilon(0.5)
    0.5
    """
    return checked_number("epsilon", epsilon, low=0, high=1, low_included=False)


def checked_theta(theta: object) -> float:
    """Theta, the loss below which accuracy is absolute, if it lies in (0, 1].

    Examples
    --------
    >>> checked_theta(0.025)
    0.025
    """
    return checked_number("theta", theta, low=0, high=1, low_included=False)


def checked_delta(delta: object, name: str = "delta") -> float:
    """Delta, the probability of failure, if it lies in (0, 1).

    Examples
    --------
    >>> checked_delta(0.05)
    0.05
    """
    return checked_number(name, delta, low=0, high=1, low_included=False, high_included=False)


def checked_regularization(regularization: object) -> float:
    """Alpha, the price of a rule, if it lies in [0, 1].

    Examples
    --------
    >>> checked_regularization(1e-4)
    0.0001
    """
    return checked_number("regularization", regularization, low=0, high=1)


def checked_shape(
    n_conditions: object, max_rules: object, max_terms: object
) -> tuple[int, int, int]:
    """Return the class of rule lists (d, k, z), if k and z are at least 1 and z is at most d.

    Examples
    --------
    >>> checked_shape(174, 4, 1)
    (174, 4, 1)
    """
    d = checked_integer("n_conditions", n_conditions, low=1)
    k = checked_integer("max_rules", max_rules, low=1)
    z = checked_integer("max_terms", max_terms, low=1)
    if z > d:
        raise ParameterError(
            Words(
                Parameter("max_terms"),
                f" is {z}; expected an integer from 1 to {d}, the number of conditions.",
            ),
            hint=Words(
                "a rule cannot use more than all conditions; pass ",
                Parameter("max_terms", d),
                " or less.",
            ),
        )
    return d, k, z


def _integer_range(low: int, high: int | None) -> str:
    return f"of at least {low}" if high is None else f"from {low} to {high}"


def _integer_hint(name: str, value: object) -> str | None:
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return Words("pass ", Parameter(name, int(value)), ".")
    return _typical_hint(name)


def _typical_hint(name: str) -> str | None:
    return Words("try ", Parameter(name, _TYPICAL[name]), ".") if name in _TYPICAL else None
