"""No sentence says more than is proven."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.theory import certify
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


ASKED = {"theta": 0.025, "max_rules": 4, "n_rules": 4, "train_rows": 2000}


def test_a_tiny_delta_is_not_certainty() -> None:
    text = str(certify(epsilon=0.5, delta=1e-12, sample_lower_bound=0.17, table_loss=0.2, **ASKED))
    assert text.startswith("With probability 1 - 1e-12, no rule list")
    assert "100 %" not in text


def test_a_third_is_not_33_33_percent() -> None:
    third = 1 / 3
    certificate = certify(
        epsilon=third, sample_lower_bound=0.17, sample_loss=0.17, log_n_lists=20.0,
        a_priori_rows=2000, **ASKED,
    )  # fmt: skip
    assert certificate.argument == "a_priori"
    assert "at most 33.34 % worse" in certificate.sentences[1]
    assert "l* + 0.3333333333333333 max(l*, 0.025)" in certificate.formal_statement


@pytest.mark.parametrize("drawn", ["whole_table", "by_weight", "with_replacement"])
def test_weighted_losses_are_called_so(drawn: str) -> None:
    certificate = certify(
        epsilon=0.5, sample_lower_bound=0.17, sample_loss=0.17, table_loss=0.17, drawn=drawn,
        weighted=drawn == "whole_table", **ASKED,
    )  # fmt: skip
    assert certificate.weighted == (drawn != "with_replacement")
    assert ("weighted loss" in certificate.sentences[0]) == certificate.weighted
    assert ("shares of the weight" in certificate.formal_statement) == certificate.weighted
