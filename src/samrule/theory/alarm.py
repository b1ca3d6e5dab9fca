"""When a sample cannot be what it should be: too far from the table, however it was looked at."""

from samrule.checks import checked_integer, checked_number
from samrule.theory.deviation import kl
from samrule.theory.rounding import log_inverse, round_up

# Error rates are quotients of sums of doubles: off by a part in 2^52 per row, at most.
_ROUNDED = 1e-6


def is_plausible_draw(
    sample_rate: float, table_rate: float, *, n_rows: int, log_n_lists: float, delta: float
) -> bool:
    """Tell whether a list's error rates on sample and table can stem from independent draws.

    Guarantee
    ---------
    For `n_rows` independent draws, uniform or by weight, from the table: with probability at
    least ``1 - delta`` it is True of all lists of the class at once, whose number has the
    logarithm `log_n_lists`. So one that is False means that the draw is broken
    (docs/theory/certificate.md, "is_plausible_draw").

    Examples
    --------
    >>> asked = {"n_rows": 2000, "log_n_lists": 20.0, "delta": 1e-9}
    >>> is_plausible_draw(0.15, 0.2, **asked), is_plausible_draw(0.15, 0.35, **asked)
    (True, False)
    """
    m = checked_integer("n_rows", n_rows)
    log_n = checked_number("log_n_lists", log_n_lists)
    budget = round_up((log_n + log_inverse(checked_number("delta", delta), parts=2)) / m)
    return kl(sample_rate, table_rate) <= budget * (1 + _ROUNDED)
