"""What a certificate says never exceeds what it proves."""

import dataclasses

import pytest

from samrule.theory import certify

ADULT = {"epsilon": 0.5, "theta": 0.025, "max_rules": 4, "n_rules": 4}
CERTIFICATE = certify(**ADULT, train_rows=2000, sample_lower_bound=0.1714, table_loss=0.177)


def test_it_prints_two_plain_sentences_and_the_formal_statement():
    bounds, promise = CERTIFICATE.bounds_sentence, CERTIFICATE.promise_sentence
    formal = CERTIFICATE.formal_statement

    assert str(CERTIFICATE) == f"{bounds}\n{promise}\n{formal}"
    assert bounds.startswith("With probability 95 %, no rule list of this shape has a loss below")
    assert "at most 12.3 % worse than the best possible" in promise
    assert "P(issued and l(R) > l* + 0.5 max(l*, 0.025)) <= 0.05" in formal


def test_printed_bounds_lean_the_safe_way():
    certificate = dataclasses.replace(CERTIFICATE, lower_bound=0.12349, upper_bound=0.17701)

    assert "below 0.1234 on" in str(certificate)
    assert "has 0.1771." in str(certificate)


def test_a_failed_certificate_says_so():
    certificate = certify(**ADULT, train_rows=10, sample_lower_bound=0.1, table_loss=0.2)

    assert certificate.holds is False
    assert "That does not prove it within the 50 % asked for" in str(certificate)


@pytest.mark.parametrize("drawn", ["whole_table", "with_replacement"])
def test_a_bound_of_nothing_is_called_nothing(drawn):
    stopped = {"train_rows": 2000, "sample_lower_bound": 0.0, "table_loss": 0.2, "drawn": drawn}
    bounds = certify(**ADULT, **stopped).bounds_sentence

    assert "rule list has a loss of 0.2000 on this table. How much less is possible" in bounds
    assert "below 0" not in bounds


def test_a_loss_below_theta_is_put_in_absolute_terms():
    certificate = certify(**ADULT, train_rows=5000, sample_lower_bound=4e-4, table_loss=0.002)

    assert certificate.holds is True
    assert "at most 0.001929 above the best possible loss" in str(certificate)


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
    assert "at most 33.34 % worse" in certificate.promise_sentence
    assert "l* + 0.3333333333333333 max(l*, 0.025)" in certificate.formal_statement


@pytest.mark.parametrize("drawn", ["whole_table", "by_weight", "with_replacement"])
def test_weighted_losses_are_called_so(drawn: str) -> None:
    certificate = certify(
        epsilon=0.5, sample_lower_bound=0.17, sample_loss=0.17, table_loss=0.17, drawn=drawn,
        weighted=drawn == "whole_table", **ASKED,
    )  # fmt: skip
    assert certificate.weighted == (drawn != "with_replacement")
    assert ("weighted loss" in certificate.bounds_sentence) == certificate.weighted
    assert ("shares of the weight" in certificate.formal_statement) == certificate.weighted
