"""How far a sample's loss can stray from the table's: the paper's forms and the sharper KL form.

Letters: p an error rate on the sample, q the one on the table, m rows, b a budget: the logarithm
of one over the allowed probability of failure, divided by m.
"""

import math
from collections.abc import Callable

from samrule.checks import checked_integer, checked_number
from samrule.errors import ParameterError
from samrule.theory.rounding import log_inverse, outer_root, round_down, round_up

# `kl` is evaluated with a relative error below this, 207 units of 2^-53 (docs/theory/deviation.md,
# "kl"); the inversions compare with a budget enlarged by twice as much.
_KL_RELATIVE_ERROR = 2.3e-14


def loss_upper_bound_paper(
    sample_loss: float, *, n_rows: int, complexity: float, delta: float
) -> float:
    """Return the paper's bound on every list's loss from its loss on the sample (A5, first).

    Guarantee
    ---------
    With probability at least ``1 - delta / 2``, ``l(R) <= loss_upper_bound_paper(l_S(R))`` for all
    rule lists R at once, where ``complexity`` is omega or ln N. Rounded up
    (docs/theory/deviation.md, "loss_upper_bound_paper").

    Examples
    --------
    >>> from samrule.theory import complexity
    >>> omega = complexity(175, max_rules=4)
    >>> round(loss_upper_bound_paper(0.17, n_rows=32497, complexity=omega, delta=0.05), 4)
    0.1907
    """
    loss = checked_number("sample_loss", sample_loss)
    m = checked_integer("n_rows", n_rows)
    omega = checked_number("complexity", complexity)
    w = (omega + log_inverse(checked_number("delta", delta), parts=2)) / m
    return round_up(loss + math.sqrt(2 * loss * w) + 2 * w)


def sample_loss_upper_bound_as_printed(loss: float, *, n_rows: int, delta: float) -> float:
    """Return the paper's bound on the sample loss of the optimum, as printed (A5, second).

    ``l + sqrt(3 l ln(2 / delta) / m)``. It needs ``m g(R*) >= 3 ln(2 / delta)`` and fails for
    near-perfect optima, where one error among few rows exceeds it; for comparison only.
    `sample_loss_upper_bound_paper` is the form the paper's sample size really uses.

    Examples
    --------
    >>> round(sample_loss_upper_bound_as_printed(0.17, n_rows=32497, delta=0.05), 4)
    0.1776
    """
    x = checked_number("loss", loss)
    m = checked_integer("n_rows", n_rows)
    return round_up(x + math.sqrt(3 * x * log_inverse(checked_number("delta", delta), parts=2) / m))


def sample_loss_upper_bound_paper(loss: float, *, n_rows: int, theta: float, delta: float) -> float:
    """Return a bound on the optimum's sample loss that holds for near-perfect optima, too (A5).

    ``l + sqrt(3 max(l, theta) ln(2 / delta) / m)``.

    Guarantee
    ---------
    If ``n_rows * theta >= 3 ln(2 / delta)`` (else an error), then with probability at least
    ``1 - delta / 2`` the optimum's loss on the sample is at most the result. Rounded up
    (docs/theory/deviation.md, "sample_loss_upper_bound_paper").

    Examples
    --------
    >>> bound = sample_loss_upper_bound_paper(0.0, n_rows=32497, theta=0.025, delta=0.05)
    >>> round(bound, 4)
    0.0029
    """
    x = checked_number("loss", loss)
    m = checked_integer("n_rows", n_rows)
    theta = checked_number("theta", theta)
    price = log_inverse(checked_number("delta", delta), parts=2)
    if m * theta < round_up(3 * price):
        raise ParameterError(
            f"n_rows * theta is {m * theta:g}; expected at least 3 ln(2 / delta) = {3 * price:g}.",
            hint=f"this bound needs n_rows={math.ceil(3 * price / theta)} or more.",
        )
    return round_up(x + math.sqrt(3 * max(x, theta) * price / m))


def kl(p: float, q: float) -> float:
    """Return the binary relative entropy ``p ln(p / q) + (1 - p) ln((1 - p) / (1 - q))`` (part C).

    Accurate to a relative 2.3e-14 even where p and q nearly agree: the formula above would lose
    all digits there, so the linear parts of both logarithms, which cancel, are left out of it.

    Examples
    --------
    >>> round(kl(0.1, 0.2), 6)
    0.03669
    >>> kl(0.5, 0.5), kl(0.5, 1.0)
    (0.0, inf)
    """
    p = checked_number("p", p)
    q = checked_number("q", q)
    return unchecked_kl(p, q)


def kl_upper(p: float, b: float) -> float:
    """Return the largest error rate q >= p on the table with ``kl(p, q) <= b``.

    Guarantee
    ---------
    Rounded up, by less than 1e-12. For one fixed list and m rows drawn with or without
    replacement, ``g(R) <= kl_upper(g_S(R), ln(1 / delta) / m)`` with probability at least
    ``1 - delta``; for all lists at once with ``ln N`` added to ``ln(1 / delta)``
    (docs/theory/deviation.md, "kl_upper").

    Examples
    --------
    >>> round(kl_upper(0.1, 0.01), 4)
    0.1477
    >>> kl_upper(1.0, 0.01)
    1.0
    """
    p, b = checked_number("p", p), checked_number("b", b)
    return _invert(_kl_and_slope_in_q(p), start=p, b=b, end=1.0)


def kl_lower(p: float, b: float) -> float:
    """Return the least error rate q <= p on the table with ``kl(p, q) <= b``.

    Guarantee
    ---------
    Rounded down, by less than 1e-12. It inverts `kl_sample`: an error rate on the table of less
    than the result makes p on the sample improbable (docs/theory/deviation.md, "kl_lower").

    Examples
    --------
    >>> round(kl_lower(0.1, 0.01), 4)
    0.0629
    >>> kl_lower(0.0, 0.01)
    0.0
    """
    p, b = checked_number("p", p), checked_number("b", b)
    return _invert(_kl_and_slope_in_q(p), start=p, b=b, end=0.0)


def kl_sample(q: float, b: float) -> float:
    """Return the largest error rate p >= q on the sample with ``kl(p, q) <= b``; 0 for q = 0.

    Guarantee
    ---------
    Rounded up, by less than 1e-12. For one fixed list and m rows drawn with or without
    replacement, ``g_S(R) <= kl_sample(g(R), ln(1 / delta) / m)`` with probability at least
    ``1 - delta`` (docs/theory/deviation.md, "kl_sample").

    Examples
    --------
    >>> round(kl_sample(0.1, 0.01), 4)
    0.145
    >>> kl_sample(0.0, 0.01)
    0.0
    """
    q, b = checked_number("q", q), checked_number("b", b)
    if q == 0:
        return 0.0
    return _invert(_kl_and_slope_in_p(q), start=q, b=b, end=1.0)


def kl_sample_lower(q: float, b: float) -> float:
    """Return the least error rate p <= q on the sample with ``kl(p, q) <= b``; 1 for q = 1.

    Guarantee
    ---------
    Rounded down, by less than 1e-12. It inverts `kl_upper`: ``kl_upper(p, b) <= q`` for every p up
    to the result (docs/theory/deviation.md, "kl_sample_lower").

    Examples
    --------
    >>> round(kl_sample_lower(0.1, 0.01), 4)
    0.0604
    """
    q, b = checked_number("q", q), checked_number("b", b)
    if q == 1:
        return 1.0
    return _invert(_kl_and_slope_in_p(q), start=q, b=b, end=0.0)


def _invert(
    divergence_and_slope: Callable[[float], tuple[float, float]],
    *,
    start: float,
    b: float,
    end: float,
) -> float:
    """Return where the divergence reaches b between `start` and `end`, rounded towards `end`."""

    def excess_and_slope(x: float) -> tuple[float, float]:
        divergence, slope = divergence_and_slope(x)
        return (1 - 2 * _KL_RELATIVE_ERROR) * divergence - b, slope

    if start == end or excess_and_slope(end)[0] <= 0:
        return end
    # kl(x, y) >= (x - y)^2 / (2 max(x, y)) places the root; a thousandth more makes sure of it.
    reach = 1.001 * (math.sqrt(2 * start * b) + (2 * b if end > start else 0)) + math.ulp(start)
    outside = start + math.copysign(min(reach, abs(end - start)), end - start)
    if excess_and_slope(outside)[0] <= 0:
        outside = end
    root = outer_root(excess_and_slope, inside=start, outside=outside)
    return min(1.0, round_up(root, 4)) if end > start else max(0.0, round_down(root, 4))


def _kl_and_slope_in_q(p: float) -> Callable[[float], tuple[float, float]]:
    """kl(p, .) and its derivative, infinite at the ends."""
    return lambda q: (unchecked_kl(p, q), (q - p) / (q * (1 - q)) if 0 < q < 1 else math.inf)


def _kl_and_slope_in_p(q: float) -> Callable[[float], tuple[float, float]]:
    """kl(., q) and its derivative, infinite at the ends."""
    return lambda p: (
        unchecked_kl(p, q),
        math.log(p / q) - math.log((1 - p) / (1 - q)) if 0 < p < 1 else math.inf,
    )


def unchecked_kl(p: float, q: float) -> float:
    """Return `kl` of two rates that are known to be rates.

    Examples
    --------
    >>> unchecked_kl(0.1, 0.2) == kl(0.1, 0.2)
    True
    """
    return _kl_part(p, q, q - p) + _kl_part(1 - p, 1 - q, p - q)


def _kl_part(p: float, q: float, difference: float) -> float:
    """``p (x - ln(1 + x))`` with ``x = q / p - 1 = difference / p``: half of kl, never negative."""
    if p == 0:
        return difference
    if q == 0:
        return math.inf
    if abs(difference) < 0.25 * p:
        return p * _x_minus_log1p(difference / p)
    ratio = q / p
    if not 1e-300 < ratio < 1e300:  # the quotient of a subnormal number would lose digits
        return difference - p * (math.log(q) - math.log(p))
    return difference - p * math.log(ratio)


def _x_minus_log1p(x: float) -> float:
    """``x - ln(1 + x)`` for abs(x) < 0.25, without the cancellation of its leading terms.

    With s = x / (2 + x), ln(1 + x) = 2 (s + s^3/3 + s^5/5 + ...) and x - 2 s = x s.
    """
    s = x / (2 + x)
    s2 = s * s
    series = 0.0
    for odd in range(23, 1, -2):
        series = series * s2 + 1 / odd
    return s * (x - 2 * s2 * series)
