"""`epsilon=None`: as much is proven as time or work allow, and the promise is what is proven."""

import json
import sys
from fractions import Fraction

import pytest
from pyarrow import csv
from typer.testing import CliRunner

from samrule import RuleListClassifier, learn, load
from samrule.cli.app import app
from samrule.errors import ParameterError
from samrule.learning import plan, planned
from samrule.theory import Certificate, certify, combine, effort_schedule
from tests.learning.tables import loss_on, people

ASKED = {"strategy": "progressive", "epsilon": None, "random_state": 0, "threads": 1}


@pytest.fixture(scope="module")
def large():
    return people(60_000)


def sampled(monkeypatch):
    """Leave the search of all rows out, which would prove everything here."""
    monkeypatch.setattr(planned, "MOST_SEARCHED", 0)


def test_the_whole_table_is_searched_if_there_is_work_left(large):
    fitted = learn(large, "buys", **ASKED)
    assert fitted.certificate.argument == "exact"
    assert fitted.certificate.achieved_epsilon == 0
    assert fitted.certificate.epsilon is None
    assert fitted.certificate.holds


def test_more_rows_prove_more_and_the_certificate_says_what(large, monkeypatch):
    sampled(monkeypatch)
    fitted = learn(large, "buys", **ASKED)
    certificate = fitted.certificate
    assert certificate.upper_bound == loss_on(fitted, large)
    assert certificate.holds
    assert 0 < certificate.achieved_epsilon < 0.1
    assert certificate.train_rows > 40_000
    assert "promised" not in certificate.promise_sentence
    assert "for the E that is proven" in certificate.formal_statement
    assert fitted.paper_rows is None
    monkeypatch.setattr(plan, "MOST_EFFORTS", 1)
    less = learn(large, "buys", **ASKED).certificate
    assert less.achieved_epsilon > certificate.achieved_epsilon


def test_little_work_ends_the_run_and_all_of_it_is_certified(large, monkeypatch):
    sampled(monkeypatch)
    monkeypatch.setattr(sys.modules["samrule.learning.learn"], "AUTO_WORK", planned.MOST_WORK + 1)
    fitted = learn(large, "buys", **ASKED)
    assert len(fitted.trace) <= 3
    assert fitted.certificate.lower_bound <= loss_on(fitted, large)


def test_a_time_limit_is_spent(large):
    fitted = learn(large, "buys", **ASKED, time_limit=0.02)
    assert fitted.certificate.holds
    assert fitted.certificate.upper_bound == loss_on(fitted, large)


@pytest.mark.parametrize("n_rows", [300, 1500])
def test_small_tables_are_searched_as_a_whole(n_rows):
    fitted = learn(people(n_rows), "buys", **ASKED)
    assert fitted.certificate.argument == "exact"


@pytest.mark.parametrize("strategy", ["auto", "exact"])
def test_other_strategies_take_it_too(strategy, table):
    fitted = learn(table, "buys", **ASKED | {"strategy": strategy})
    assert fitted.certificate.epsilon is None
    assert fitted.certificate.holds


@pytest.mark.parametrize(
    "asked", [{"strategy": "paper"}, {"strategy": "tight"}, {"alert_rate": 0.1}]
)
def test_what_cannot_do_without_an_epsilon_says_so(asked, table):
    with pytest.raises(ParameterError, match=r"must know epsilon|epsilon is None"):
        learn(table, "buys", **ASKED | asked)


def test_the_model_file_and_the_classifier_know_it(large, tmp_path, monkeypatch):
    sampled(monkeypatch)
    fitted = learn(large, "buys", **ASKED)
    fitted.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["settings"]["epsilon"] is None
    assert load(tmp_path / "model.json") == fitted
    columns = large.drop_columns(["buys"]).to_pandas()
    one = RuleListClassifier(epsilon=None, random_state=0).fit(columns, large["buys"].to_pylist())
    assert one.certificate_.epsilon is None


def test_the_command_line_takes_none(tmp_path):
    csv.write_csv(people(3000), tmp_path / "people.csv")
    table = str(tmp_path / "people.csv")
    found = CliRunner().invoke(app, ["fit", table, "--target", "buys", "--epsilon", "none"])
    assert found.exit_code == 0, found.output
    assert "best possible" in found.output
    bad = CliRunner().invoke(app, ["fit", table, "--target", "buys", "--epsilon", "small"])
    assert bad.exit_code != 0
    assert "or none" in str(bad.exception)


@pytest.mark.parametrize("n_stages", [1, 2, 5, 12])
@pytest.mark.parametrize("delta", [0.05, 0.3, 1e-12])
def test_shares_add_up_to_delta(n_stages, delta):
    schedule = effort_schedule([(10 * 2**t, None) for t in range(n_stages)], delta=delta)
    assert schedule.exact_total == Fraction(delta)


def test_certificates_without_an_epsilon_combine():
    common = {"epsilon": None, "theta": 0.05, "max_rules": 2, "n_rules": 1, "table_loss": 0.2}
    both: list[Certificate] = [
        certify(**common, train_rows=rows, sample_lower_bound=0.2) for rows in (500, 2000)
    ]
    together = combine(both)
    assert together.holds
    assert together.achieved_epsilon == min(one.achieved_epsilon for one in both)
    assert together.allowed_loss == together.upper_bound
