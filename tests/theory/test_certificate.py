"""Certificates: bounds, arguments, words, JSON, and what is refused."""

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samrule.errors import ParameterError
from samrule.theory import (
    Paired,
    PairedWeights,
    Shares,
    binomial_lower_limit,
    certify,
    combine,
    kl_lower,
    kl_upper,
    log_n_rule_lists,
    loss_lower_bound,
    paired_lower_bound,
    sample_size,
)
from samrule.theory.certificate import with_upper_bound

ADULT = {"epsilon": 0.5, "theta": 0.025, "max_rules": 4, "n_rules": 4}
SAMPLE = {"train_rows": 2000, "sample_lower_bound": 0.1714}


def test_adult_certificate_of_theory_part_d():
    # THEORY.md D: 2000 rows, l_S 0.1714, exact l 0.1770, delta_lb = .05/8: lb 0.1457, eps 0.215,
    # by KL, which is what rows drawn without replacement get.
    certificate = certify(
        **ADULT, **SAMPLE, table_loss=0.1770, shares=Shares(0.05 / 8), drawn="without_replacement"
    )

    assert certificate.lower_bound == pytest.approx(0.1457, abs=5e-5)
    assert certificate.achieved_epsilon == pytest.approx(0.215, abs=5e-4)
    assert certificate.holds is True
    assert certificate.argument == "a_posteriori"


def test_exact_tails_raise_the_lower_bound_for_rows_drawn_with_replacement():
    exact, by_kl = (
        loss_lower_bound(0.1714, n_rows=2000, delta=0.05, max_rules=4, with_replacement=w)
        for w in (True, False)
    )

    assert by_kl < exact < 0.1714


@settings(deadline=None)
@given(
    errors=st.integers(0, 150),
    alpha=st.sampled_from([0.0, 1e-4, 0.003, 0.1]),
    delta=st.floats(1e-4, 0.5),
    with_replacement=st.booleans(),
)
def test_lower_bound_is_the_least_over_all_lengths_of_the_optimum(
    errors, alpha, delta, with_replacement
):
    m, k = 200, 3
    b = errors / m + 2 * alpha  # an optimum of two rules
    bound = loss_lower_bound(
        b, n_rows=m, delta=delta, max_rules=k, regularization=alpha,
        with_replacement=with_replacement,
    )  # fmt: skip
    expected = []
    for j in range(k + 1):
        rest = b - alpha * j
        if with_replacement:
            count = min(m, max(0, math.ceil(m * rest - 1e-9)))
            limit = binomial_lower_limit(count, n_rows=m, delta=delta)
        else:
            limit = kl_lower(min(1.0, max(0.0, rest)), math.log(1 / delta) / m)
        expected.append(alpha * j + limit)

    assert bound == pytest.approx(min(expected), abs=1e-12)
    assert bound <= min(expected) + 1e-15


def test_rounding_in_the_solvers_bound_does_not_invent_an_error():
    # 3 errors of 10 and one rule: 0.3 + 0.1 is 0.4, and 0.4 - 0.1 is 0.30000000000000004.
    bound = loss_lower_bound(0.3 + 0.1, n_rows=10, delta=0.05, max_rules=1, regularization=0.1)

    assert bound <= 0.1 + binomial_lower_limit(3, n_rows=10, delta=0.05)
    assert bound <= binomial_lower_limit(4, n_rows=10, delta=0.05)


def test_whole_table_searched_to_the_end_is_exact():
    certificate = certify(
        **ADULT, train_rows=32561, sample_lower_bound=0.176, table_loss=0.176, drawn="whole_table"
    )

    assert certificate.argument == "exact"
    assert certificate.achieved_epsilon == 0
    assert certificate.lower_bound == certificate.upper_bound == 0.176
    assert str(certificate).startswith(
        "No rule list of this shape has a loss below that of this one, 0.1760."
    )


def test_whole_table_search_stopped_early_has_the_solvers_gap():
    certificate = certify(
        **ADULT, train_rows=32561, sample_lower_bound=0.1, table_loss=0.2, drawn="whole_table"
    )

    assert certificate.achieved_epsilon == pytest.approx(1.0)
    assert certificate.holds is False


def test_whole_table_needs_no_second_scan():
    table = {"train_rows": 50, "sample_lower_bound": 0.1, "drawn": "whole_table"}

    assert certify(**ADULT, **table, sample_loss=0.11).upper_bound == 0.11


def test_validation_splits_delta_between_both_sides():
    certificate = certify(**ADULT, **SAMPLE, validation_rows=8000, validation_errors=1420)
    lower = loss_lower_bound(0.1714, n_rows=2000, delta=0.025, max_rules=4)

    assert certificate.lower_bound == lower
    assert certificate.upper_evidence == "validation"
    assert certificate.upper_bound > 1420 / 8000 + 4e-4


def test_a_priori_argument_covers_a_finished_search_on_enough_rows():
    shares = Shares.split(0.05, validated=True, a_priori=True)
    m = sample_size(
        175, max_rules=4, epsilon=0.5, theta=0.025, method="tight", delta=shares.a_priori_delta
    )
    sample = {"train_rows": m, "sample_loss": 0.02, "a_priori_rows": m, "shares": shares}
    sample |= {"validation_rows": 20, "validation_errors": 1}  # too few to prove anything
    finished = certify(**ADULT, **sample, sample_lower_bound=0.02)
    stopped = certify(**ADULT, **sample, sample_lower_bound=0.0199)
    too_few = certify(**ADULT, **(sample | {"train_rows": m - 1}), sample_lower_bound=0.02)

    assert (finished.argument, finished.holds, finished.achieved_epsilon) == ("a_priori", True, 0.5)
    assert (stopped.argument, stopped.holds) == ("a_posteriori", False)
    assert (too_few.argument, too_few.holds) == ("a_posteriori", False)


@pytest.mark.parametrize("loss", [4e-4, 0.01, 0.03, 0.2, 0.4])
def test_training_rows_alone_prove_what_the_a_priori_size_promises(loss):
    # On as many rows as the tight size, the bound for all lists is close enough by construction.
    log_n = log_n_rule_lists(175, max_rules=4)
    m = sample_size(175, max_rules=4, epsilon=0.5, theta=0.025, method="tight")
    sample = {"train_rows": m, "sample_loss": loss, "log_n_lists": log_n}
    certificate = certify(**ADULT, **sample, sample_lower_bound=loss)
    named = certify(**ADULT, **sample, sample_lower_bound=loss, a_priori_rows=m)
    b = (log_n + math.log(2 / 0.05)) / m

    assert certificate.holds
    assert certificate.upper_evidence == "all_lists"
    assert certificate.upper_bound == pytest.approx(kl_upper(loss - 4e-4, b) + 4e-4, abs=1e-12)
    assert dataclasses.replace(named, argument="a_posteriori") == certificate
    assert named.argument == "a_priori"


def test_a_priori_argument_spends_delta_once():
    shares = Shares.split(0.05, validated=False, a_priori=True)

    assert shares.a_priori_delta == 0.05
    assert shares.total == 0.05


def test_pilot_rows_without_replacement_scale_the_lower_bound():
    rows = {"drawn": "without_replacement", "table_loss": 0.18}
    plain = certify(**ADULT, **SAMPLE, **rows)
    piloted = certify(**ADULT, **SAMPLE, **rows, pilot_rows=1000, table_rows=10_000)

    assert piloted.lower_bound == pytest.approx(0.9 * plain.lower_bound, rel=1e-12)


@settings(deadline=None)
@given(
    m=st.integers(1, 5000),
    loss=st.floats(0, 1),
    found=st.floats(0, 1),
    epsilon=st.floats(0.01, 1),
    theta=st.floats(0.001, 1),
)
def test_bounds_are_ordered_and_holds_means_achieved(m, loss, found, epsilon, theta):
    certificate = certify(
        epsilon=epsilon, theta=theta, max_rules=3, n_rules=2, train_rows=m,
        sample_lower_bound=loss, table_loss=found,
    )  # fmt: skip

    assert 0 <= certificate.lower_bound <= certificate.upper_bound
    assert certificate.holds == (certificate.achieved_epsilon <= epsilon)
    lower, upper = certificate.lower_bound, certificate.upper_bound
    if certificate.holds:
        assert upper <= lower + epsilon * max(lower, theta) + 1e-12


def test_combining_stages_takes_the_best_of_each_side():
    common = {"epsilon": 0.25, "theta": 0.025, "max_rules": 4, "n_rules": 4}
    share = {"shares": Shares(0.025)}
    first = certify(**common, **share, train_rows=500, sample_lower_bound=0.15, table_loss=0.18)
    second = certify(**common, **share, train_rows=1000, sample_lower_bound=0.17, table_loss=0.19)
    both = combine([first, second])

    assert (both.lower_bound, both.upper_bound) == (second.lower_bound, first.upper_bound)
    assert both.train_rows == 1000
    assert (first.holds, second.holds, both.holds) == (False, False, True)
    assert combine([first]) == first


def test_combining_keeps_an_a_priori_certificate_for_its_own_list():
    m = sample_size(20, max_rules=2, epsilon=0.5, theta=0.025, method="tight", delta=0.05)
    common = {"epsilon": 0.5, "theta": 0.025, "max_rules": 2, "n_rules": 2}
    early = certify(**common, train_rows=100, sample_lower_bound=0.0, table_loss=0.05)
    late = certify(
        **common, train_rows=m, sample_lower_bound=0.02, sample_loss=0.02, a_priori_rows=m,
        table_loss=0.05, shares=Shares.split(0.05, validated=False, a_priori=True),
    )  # fmt: skip

    assert late.argument == "a_priori"
    assert combine([early, late]) == late


def test_certificates_of_different_promises_do_not_combine():
    one = certify(**ADULT, **SAMPLE, table_loss=0.177)
    other = dataclasses.replace(one, epsilon=0.25)
    with pytest.raises(ParameterError, match="2 different promises"):
        combine([one, other])


def test_the_allowed_loss_is_where_the_promise_ends():
    one = certify(**ADULT, **SAMPLE, table_loss=0.177)
    assert one.allowed_loss == one.lower_bound + 0.5 * one.lower_bound
    low = dataclasses.replace(one, lower_bound=0.001)
    assert low.allowed_loss == 0.001 + 0.5 * 0.025


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table_loss": None}, "nothing bounds the list's loss"),
        ({"table_loss": None, "log_n_lists": 3.0}, "sample_loss is None"),
        ({"drawn": "blocks"}, "drawn is 'blocks'; expected one of with_replacement"),
        ({"n_rules": 5}, "n_rules is 5; expected a whole number from 0 to 4"),
        ({"shares": Shares(0.06)}, "the shares add up to 0.06; expected at most delta = 0.05"),
        ({"shares": Shares(0.0)}, "shares.lower is 0.0; expected a number, above 0 and below 1"),
        ({"train_rows": 0}, "train_rows is 0; expected a whole number, at least 1"),
        ({"sample_lower_bound": math.nan}, "sample_lower_bound is nan; expected a number"),
        ({"table_loss": -0.1}, "table_loss is -0.1; expected a finite number"),
        ({"validation_rows": 5, "validation_errors": 6}, "validation_errors is 6; expected"),
        (
            {
                "table_loss": None,
                "validation_rows": 9,
                "validation_errors": 1,
                "drawn": "without_replacement",
            },
            "rows drawn without replacement",
        ),
        (
            {"pilot_rows": 5, "drawn": "without_replacement", "table_rows": 2004},
            "table_rows is 2004; expected a whole number, at least 2,005",
        ),
        (
            {
                "pilot_rows": 5,
                "drawn": "without_replacement",
                "table_rows": 9999,
                "a_priori_rows": 9,
            },
            "pilot_rows is 5 for rows drawn without replacement",
        ),
    ],
)
def test_what_cannot_be_certified_is_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        certify(**(ADULT | SAMPLE | {"table_loss": 0.177} | change))


def test_a_list_without_rules_pays_for_none():
    exact = binomial_lower_limit(300, n_rows=1000, delta=0.05)
    assert loss_lower_bound(0.3, n_rows=1000, delta=0.05, max_rules=0) == pytest.approx(exact)
    found = certify(
        epsilon=0.5, theta=0.05, max_rules=0, n_rules=0, train_rows=1000, sample_lower_bound=0.3,
        table_loss=0.31,
    )  # fmt: skip
    assert found.holds
    with pytest.raises(ParameterError, match="n_rules is 1"):
        certify(
            epsilon=0.5, theta=0.05, max_rules=0, n_rules=1, train_rows=1000,
            sample_lower_bound=0.3, table_loss=0.31,
        )  # fmt: skip


BRIER = {"epsilon": 0.1, "theta": 0.05, "max_rules": 2, "n_rules": 1, "train_rows": 1000,
         "sample_lower_bound": 0.1, "loss_name": "Brier loss"}  # fmt: skip


def test_losses_that_are_no_errors_have_no_binomial_bounds() -> None:
    """Two classes: the calibrated bound, sharper than KL, weaker than binomial tails of errors."""
    bounds = {
        (name, n_classes): certify(
            **BRIER | {"loss_name": name, "n_classes": n_classes, "table_loss": 0.1}
        ).lower_bound
        for name, n_classes in (
            ("loss", 2),
            ("Brier loss", 2),
            ("Brier loss", 3),
            ("mixed loss", 2),
            ("cost", 2),
        )
    }
    weakest = bounds["Brier loss", 3]
    assert bounds["mixed loss", 2] == bounds["cost", 2] == weakest
    assert weakest == pytest.approx(
        min(kl_lower(0.1 - 1e-4 * j, math.log(20) / 1000) + 1e-4 * j for j in range(3)), abs=1e-9
    )
    assert weakest < bounds["Brier loss", 2]
    assert weakest < bounds["loss", 2]


@pytest.mark.parametrize(
    "evidence",
    [
        {"validation_rows": 100, "validation_errors": 9},
        {"table_loss": 0.1, "sample_loss": 0.1, "a_priori_rows": 500},
        {"sample_loss": 0.1, "log_n_lists": 5.0},
        {},
    ],
)
def test_what_is_proven_for_errors_is_refused_for_other_losses(evidence) -> None:
    with pytest.raises(ParameterError, match="Brier loss"):
        certify(**BRIER, **evidence)


def test_fresh_rows_bound_another_loss_by_kl() -> None:
    found = certify(**BRIER, validation_rows=2000, validation_loss=0.11)
    assert found.upper_evidence == "validation"
    expected = kl_upper(0.11, math.log(40) / 2000) + 1e-4
    assert found.upper_bound == pytest.approx(expected, abs=1e-9)
    with pytest.raises(ParameterError, match="validation_rows"):
        certify(**BRIER, validation_loss=0.11)


def test_sentences_name_the_loss() -> None:
    found = certify(**BRIER, table_loss=0.105)
    assert "no probabilistic rule list of this shape has a Brier loss below" in str(found)
    assert "; l is the Brier loss." in str(found)
    weighted = certify(**BRIER | {"loss_name": "cost"}, table_loss=0.105, drawn="by_weight")
    assert "no rule list of this shape has a weighted cost below" in str(weighted)


def test_a_search_that_prices_finely_proves_the_best_but_for_a_hair() -> None:
    exact = BRIER | {"drawn": "whole_table", "sample_lower_bound": 0.1 - 1e-9}
    found = str(certify(**exact, sample_loss=0.1))
    assert "more than 0.00000001 below that of this one, 0.1000." in found
    assert "a best possible one, but for 0.00000001" in found
    wider = str(certify(**exact | {"sample_lower_bound": 0.1 - 1e-7}, sample_loss=0.1))
    assert "0.00000001" not in wider


def test_a_bound_that_differs_by_rounding_alone_is_not_told_with_twenty_digits() -> None:
    sampled = certify(
        epsilon=0.1,
        theta=0.05,
        max_rules=1,
        n_rules=1,
        train_rows=197,
        sample_lower_bound=1e-4,
        table_loss=1e-4,
    )
    assert 0 < sampled.upper_bound - sampled.lower_bound < 1e-8
    assert sampled.promise_sentence == (
        "It is therefore a best possible one, but for 0.00000001, learned from 197 rows."
    )


PAIRED = {
    "epsilon": 0.1, "theta": 0.05, "max_rules": 4, "n_rules": 4, "train_rows": 4000,
    "sample_lower_bound": 0.2, "table_loss": 0.1704,
    "paired": Paired(PairedWeights(8, 9), n_wrong=680, reference_error=0.17),
}  # fmt: skip


def test_a_comparison_with_a_known_list_gives_the_paired_bound():
    certificate = certify(**PAIRED)
    expected = paired_lower_bound(
        0.2, weights=PairedWeights(8, 9), n_rows=4000, n_wrong=680, reference_error=0.17,
        delta=0.05, max_rules=4,
    )  # fmt: skip
    assert certificate.lower_bound == min(expected, 0.1704)
    assert certificate.holds


@pytest.mark.parametrize(
    "contradiction",
    [
        {"loss_name": "Brier loss"},
        {"drawn": "without_replacement"},
        {"a_priori_rows": 4000, "sample_loss": 0.2},
        {"table_loss": None, "sample_loss": 0.17, "log_n_lists": 20.0},
    ],
)
def test_a_comparison_is_refused_where_it_proves_nothing(contradiction):
    with pytest.raises(ParameterError, match="paired is given"):
        certify(**PAIRED | contradiction)


def test_another_list_has_the_bound_of_all_lists_and_its_own_loss() -> None:
    common = {"epsilon": 0.25, "theta": 0.025, "max_rules": 4, "n_rules": 4}
    first = certify(train_rows=2000, sample_lower_bound=0.15, validation_rows=4000,
                    validation_errors=700, **common)  # fmt: skip
    other = with_upper_bound(first, 0.155)
    assert (other.lower_bound, other.upper_bound) == (first.lower_bound, 0.155)
    assert other.upper_evidence == "scan"
    gap = (0.155 - first.lower_bound) / first.lower_bound
    assert other.achieved_epsilon == pytest.approx(gap)
    assert other.holds == (gap <= 0.25)
    assert not with_upper_bound(first, 0.5).holds
    below = with_upper_bound(first, first.lower_bound / 2)
    assert below.lower_bound == below.upper_bound
    assert below.achieved_epsilon == 0
