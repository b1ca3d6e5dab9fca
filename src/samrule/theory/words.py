"""Numbers in sentences: rounded so that no more is said than is proven."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

# Below this a percentage would be nines only; the probability of being wrong is easier to read.
_TINY_DELTA = Decimal("1e-6")
# Less than this nobody needs to know of a share that is rounded up.
_TINY_SHARE = Decimal("1e-6")


def probability_text(delta: float) -> str:
    """Return 1 - delta, rounded down.

    >>> probability_text(0.05), probability_text(1 / 3), probability_text(1e-12)
    ('95 %', '66.666666 %', '1 - 1e-12')
    """
    doubt = _as_written(delta)
    if doubt < _TINY_DELTA:
        return f"1 - {_rounded(doubt, 3, ROUND_CEILING).normalize()}".lower()
    return f"{_plain((100 - 100 * doubt).quantize(_TINY_DELTA, rounding=ROUND_FLOOR))} %"


def percent_text(share: float, rounding: str, digits: int = 4) -> str:
    """Return a share in percent, with a few digits, rounded as asked.

    >>> percent_text(1 / 3, ROUND_CEILING), percent_text(0.07, ROUND_CEILING)
    ('33.34 %', '7 %')
    >>> percent_text(7.5e-12, ROUND_CEILING)
    '0.0001 %'
    """
    exact = _as_written(share)
    if rounding == ROUND_CEILING and 0 < exact < _TINY_SHARE:
        exact = _TINY_SHARE
    return f"{_plain(_rounded(100 * exact, digits, rounding))} %"


def loss_text(loss: float, rounding: str) -> str:
    """Return a loss with four digits, rounded as asked.

    >>> loss_text(0.12345, ROUND_CEILING), loss_text(0.12345, ROUND_FLOOR)
    ('0.1235', '0.1234')
    """
    return "0" if loss == 0 else f"{_rounded(_as_written(loss), 4, rounding):f}"


def product_text(first: float, second: float) -> str:
    """Return a product with four digits, rounded up.

    >>> product_text(1 / 3, 0.1)
    '0.03334'
    """
    return _plain(_rounded(_as_written(first) * _as_written(second), 4, ROUND_CEILING))


def exact_text(number: float) -> str:
    """Return a number with every digit it has.

    >>> exact_text(0.5), exact_text(1.0), exact_text(1 / 3)
    ('0.5', '1', '0.3333333333333333')
    """
    return repr(float(number)).removesuffix(".0")


def _as_written(number: float) -> Decimal:
    return Decimal(repr(float(number)))  # What it is meant to be: 0.176, not 0.17599999999999998.


def _rounded(number: Decimal, digits: int, rounding: str) -> Decimal:
    return number.quantize(Decimal(1).scaleb(number.adjusted() + 1 - digits), rounding=rounding)


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"
