"""How many distinct conjunctions a rule can be made of (D'), counted exactly.

The number comes from the binarizer's conditions alone, never from sampled rows: the class of rule
lists must be fixed before the sample is drawn.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from samrule.checks import WholeNumber, checked_integer
from samrule.errors import Parameter, ParameterError, Words
from samrule.theory.shape import checked_shape


def n_conjunctions(n_conditions: int, *, max_terms: int = 1) -> int:
    """Return the number of conjunctions of 1 to `max_terms` (*z*) of *d* conditions.

    Guarantee
    ---------
    Exact integer arithmetic: ``binom(d, 1) + ... + binom(d, z)``, at least the number of distinct
    conjunctions of any d conditions (docs/theory/growth.md, "n_conjunctions").

    Examples
    --------
    >>> n_conjunctions(174)
    174
    >>> n_conjunctions(174, max_terms=2)
    15225
    """
    d, _, z = checked_shape(n_conditions, 1, max_terms)
    return sum(math.comb(d, i) for i in range(1, z + 1))


@dataclass(frozen=True)
class Column:
    """The conditions a binarizer made from one column, as far as counting needs to know.

    Parameters
    ----------
    n_conditions
        Conditions on this column, each of which a rule may use alone.
    n_pairs
        Pairs of them that a rule may use together: neither contradictory (two levels of one
        categorical column) nor equal to one of the two (two thresholds of one direction).

    Examples
    --------
    >>> Column.numeric(n_thresholds=4)
    Column(n_conditions=8, n_pairs=6)
    """

    n_conditions: int
    n_pairs: int = 0

    def __post_init__(self) -> None:
        checked_integer("n_conditions", self.n_conditions, WholeNumber(at_least=0))
        most = math.comb(self.n_conditions, 2)
        checked_integer("n_pairs", self.n_pairs, WholeNumber(at_least=0, at_most=most))

    @classmethod
    def binary(cls) -> Self:
        """Return a 0/1 column: one condition, the value 1.

        Examples
        --------
        >>> Column.binary()
        Column(n_conditions=1, n_pairs=0)
        """
        return cls(1)

    @classmethod
    def categorical(cls, n_levels: int, *, missing: bool = False) -> Self:
        """One condition per kept level, and one for "is missing"; any two exclude each other.

        Examples
        --------
        >>> Column.categorical(5, missing=True)
        Column(n_conditions=6, n_pairs=0)
        """
        return cls(checked_integer("n_levels", n_levels) + bool(missing))

    @classmethod
    def numeric(cls, n_thresholds: int, *, missing: bool = False) -> Self:
        """Two conditions per threshold t, ``>= t`` and ``< t``, and one for "is missing".

        Two of them say something new together only as ``>= low and < high`` with low < high.

        Examples
        --------
        >>> Column.numeric(4, missing=True)
        Column(n_conditions=9, n_pairs=6)
        """
        t = checked_integer("n_thresholds", n_thresholds, WholeNumber(at_least=0))
        return cls(2 * t + bool(missing), math.comb(t, 2))


def n_conjunctions_of_columns(columns: Iterable[Column], *, max_terms: int = 1) -> int:
    """Return the number of conjunctions neither contradictory nor redundant by construction.

    Guarantee
    ---------
    Exact: every conjunction of 1 to `max_terms` conditions on these columns is equivalent to one
    that is counted, or never true (docs/theory/growth.md, "n_conjunctions_of_columns").

    Examples
    --------
    Six conditions, of which ">= 1 and >= 2", ">= 2 and < 1" and the like need no place:

    >>> columns = [Column.numeric(2), Column.categorical(2)]
    >>> n_conjunctions_of_columns(columns, max_terms=2), n_conjunctions(6, max_terms=2)
    (15, 21)
    """
    z = checked_integer("max_terms", max_terms)
    by_length = [1] + [0] * z
    for column in columns:
        by_length = _with_column(by_length, column)
    return sum(by_length[1:])


def checked_n_conjunctions(value: object, n_conditions: int, max_terms: int) -> int:
    """D', if it is possible for d conditions and z terms; counted when `value` is None.

    Examples
    --------
    >>> checked_n_conjunctions(None, 174, 1)
    174
    """
    most = n_conjunctions(n_conditions, max_terms=max_terms)
    if value is None:
        return most
    number = checked_integer("n_conjunctions", value)
    if number > most:
        possible = WholeNumber(at_least=1, at_most=most).expected
        raise ParameterError(
            Words(
                Parameter("n_conjunctions"),
                f" is {number}; expected {possible}, all conjunctions of at most {max_terms} of "
                f"{n_conditions} conditions.",
            )
        )
    return number


def _with_column(by_length: list[int], column: Column) -> list[int]:
    """Multiply by the column's polynomial 1 + n_conditions x + n_pairs x^2, truncated."""
    padded = [0, 0, *by_length]
    return [
        padded[i + 2] + column.n_conditions * padded[i + 1] + column.n_pairs * padded[i]
        for i in range(len(by_length))
    ]
