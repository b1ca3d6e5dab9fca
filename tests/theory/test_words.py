"""No sentence says more than is proven."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from samrule.theory.words import exact_text, loss_text, percent_text, probability_text, product_text

shares = st.floats(1e-300, 1, exclude_min=True, exclude_max=True)


def number(text: str) -> Fraction:
    if text.startswith("1 - "):
        return 1 - Fraction(text.removeprefix("1 - "))
    return Fraction(Decimal(text.removesuffix(" %"))) / 100


@given(shares)
def test_probabilities_are_never_rounded_up(delta: float) -> None:
    assert number(probability_text(delta)) <= 1 - Fraction(repr(delta))


@given(shares)
def test_percentages_and_losses_lean_as_asked(share: float) -> None:
    exact = Fraction(repr(share))
    assert number(percent_text(share, ROUND_CEILING)) >= exact
    assert number(percent_text(share, ROUND_FLOOR)) <= exact
    assert Fraction(loss_text(share, ROUND_CEILING)) >= exact
    assert Fraction(loss_text(share, ROUND_FLOOR)) <= exact
    assert float(exact_text(share)) == share


@given(st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_products_are_never_rounded_down(first: float, second: float) -> None:
    assert Fraction(product_text(first, second)) >= Fraction(repr(first)) * Fraction(repr(second))
