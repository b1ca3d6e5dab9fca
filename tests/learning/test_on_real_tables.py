"""The paper's own result, and ours, on the adult table."""

import pytest

from samrule import Binarizer, learn, open_table

pytestmark = pytest.mark.data
# CORELS and the paper's scripts agree on it: the loss of the best four rules of one condition.
OPTIMUM = 0.17603957


@pytest.fixture
def adult(data_dir):
    return open_table(data_dir / "adult.parquet", "income")


@pytest.fixture
def papers_cuts(adult):
    return Binarizer(scheme="paper").fit(adult)


def test_exact_list_with_the_papers_cuts_is_the_papers(adult, papers_cuts):
    fitted = learn(adult, strategy="exact", binarizer=papers_cuts)
    assert fitted.columns == ("capital-gain", "capital-loss", "education-num", "marital-status")
    assert fitted.certificate.upper_bound == pytest.approx(OPTIMUM, abs=1e-8)
    assert fitted.certificate.lower_bound == fitted.certificate.upper_bound
    assert learn(adult, binarizer=papers_cuts).rule_list == fitted.rule_list


@pytest.mark.parametrize("seed", range(10))
def test_progressive_certificates_hold_against_that_optimum(adult, papers_cuts, seed):
    asked = {"epsilon": 0.5, "theta": 0.025}
    fitted = learn(adult, strategy="progressive", binarizer=papers_cuts, random_state=seed, **asked)
    loss = fitted.evaluate(adult).error_rate + 1e-4 * fitted.rule_list.n_rules
    assert fitted.certificate.holds
    assert fitted.certificate.lower_bound <= OPTIMUM <= loss + 1e-8
    assert loss <= fitted.certificate.upper_bound
    assert loss <= OPTIMUM * 1.5
    assert fitted.certificate.train_rows <= 32_479 / 8  # The paper asks for 32,479.


def test_our_own_cuts_are_better(adult):
    fitted = learn(adult, random_state=0)
    assert fitted.strategy == "exact"
    assert fitted.certificate.upper_bound <= 0.157
