"""Who may spend how much of delta: the shares of the statements a certificate rests on."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from samrule.checks import checked_number
from samrule.errors import ParameterError
from samrule.theory.rounding import round_down


@dataclass(frozen=True)
class Shares:
    """Probabilities of failure of the statements about one sample; 0 means "not used".

    Parameters
    ----------
    lower
        For the lower bound on the best possible loss: one statement about one list, the optimum.
    upper
        For the upper bound on the found list's loss from validation rows.
    uniform
        For the statement about all lists at once, which the a-priori argument needs.

    Examples
    --------
    >>> Shares(lower=0.025, upper=0.025).total
    0.05
    """

    lower: float
    upper: float = 0.0
    uniform: float = 0.0

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "uniform"):
            checked_number(name, getattr(self, name))

    @property
    def exact_total(self) -> Fraction:
        """The sum of the shares without rounding.

        Examples
        --------
        >>> Shares(lower=0.25, upper=0.5).exact_total
        Fraction(3, 4)
        """
        return Fraction(self.lower) + Fraction(self.upper) + Fraction(self.uniform)

    @property
    def total(self) -> float:
        """The sum of the shares, rounded to the nearest float.

        Examples
        --------
        >>> Shares(lower=0.05).total
        0.05
        """
        return float(self.exact_total)

    @property
    def a_priori_delta(self) -> float:
        """The delta at which a sample size is covered by `lower` and `uniform`; 0 if by neither.

        A sample size at delta spends delta / 2 on the optimum and delta / 2 on all lists.

        Examples
        --------
        >>> Shares(lower=0.025, uniform=0.025).a_priori_delta
        0.05
        """
        return 2 * min(self.lower, self.uniform)

    @classmethod
    def split(cls, delta: float, *, validated: bool, a_priori: bool = False) -> Self:
        """`delta` shared equally by the statements that are used.

        Guarantee
        ---------
        The exact sum of the shares is at most `delta` (docs/theory/schedule.md, "Shares").

        Examples
        --------
        >>> Shares.split(0.05, validated=True)
        Shares(lower=0.025, upper=0.025, uniform=0.0)
        """
        delta = checked_number("delta", delta)
        share = equal_share(delta, 1 + validated + a_priori)
        return cls(share, upper=share if validated else 0.0, uniform=share if a_priori else 0.0)

    def check_within(self, delta: float) -> None:
        """Raise our error if the shares add up to more than `delta`.

        Examples
        --------
        >>> Shares(lower=0.05, upper=0.01).check_within(0.05)
        Traceback (most recent call last):
        ...
        samrule.errors.ParameterError: the shares add up to 0.06; expected at most delta = 0.05.
        """
        if self.exact_total > Fraction(delta):
            raise ParameterError(
                f"the shares add up to {self.total:.10g}; expected at most delta = {delta:g}."
            )


def equal_share(delta: float, parts: int) -> float:
    """Return the largest float that fits `parts` times into `delta`, exactly.

    Examples
    --------
    >>> equal_share(0.05, 2)
    0.025
    >>> Fraction(equal_share(0.1, 3)) * 3 <= Fraction(0.1)
    True
    """
    share = delta / parts
    while Fraction(share) * parts > Fraction(delta):
        share = round_down(share, 1)
    return share
