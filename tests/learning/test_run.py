"""Which strategy is picked, and lists without rules in all of them."""

import sys

import numpy as np
import pytest

from samrule import Status, learn, load
from samrule.learning import run
from samrule.learning.task import WorkBudget
from tests.learning.tables import hard

ASKED = {"epsilon": 0.5, "theta": 0.1}
STRATEGIES = ["exact", "progressive", "paper", "tight"]
ROWS = np.random.default_rng(0).normal(size=(12_000, 3))
LABELS = np.where(np.arange(12_000) % 10 < 3, "yes", "no")


@pytest.mark.parametrize("strategy", ["auto", *STRATEGIES])
@pytest.mark.parametrize(
    "asked", [{}, {"min_support": 0.1}, {"min_support": 50}, {"max_terms": 3}], ids=repr
)
def test_a_list_without_rules_is_the_majority_and_certified(strategy, asked):
    fitted = learn(
        ROWS, LABELS, max_rules=0, strategy=strategy, epsilon=0.5, random_state=0, **asked
    )
    assert str(fitted.rule_list) == "always no"
    certificate = fitted.certificate
    assert certificate.holds
    assert certificate.lower_bound <= 0.3 <= certificate.upper_bound
    if fitted.strategy == "exact":
        assert certificate.lower_bound == certificate.upper_bound == 0.3
    assert fitted.shape == "This shape: no rules, the default alone."
    assert "max_rules=4" in fitted.advice.hint
    assert len(fitted.path) == 1


def test_a_list_without_rules_minds_weights():
    weights = np.where(LABELS == "yes", 5.0, 1.0)
    for strategy in STRATEGIES:
        asked = {"strategy": strategy, "epsilon": 0.5, "random_state": 0}
        weighted = learn(ROWS, LABELS, max_rules=0, weights=weights, **asked)
        assert str(weighted.rule_list) == "always yes"
        assert weighted.certificate.lower_bound <= 7 / 22 <= weighted.certificate.upper_bound
        assert weighted.certificate.weighted


@pytest.mark.parametrize("labels", [np.arange(12_000) % 3, np.arange(12_000) % 3 == 1])
def test_without_rules_the_least_loss_is_that_of_the_best_default(labels):
    counts = np.unique(labels, return_counts=True)[1]
    fitted = learn(ROWS, labels, max_rules=0, strategy="exact")
    assert fitted.certificate.upper_bound == pytest.approx(1 - counts.max() / 12_000)


def test_auto_is_exact_where_that_is_affordable(table, monkeypatch):
    fitted = learn(table, "buys", random_state=0)
    candidates = len(fitted.conditions)
    assert fitted.strategy == "exact"
    assert fitted.reason == (
        f"12,000 rows x {candidates} candidate rules can be searched as a whole"
    )
    monkeypatch.setattr(run, "AFFORDABLE", 12_000 * candidates - 1)
    fitted = learn(table, "buys", random_state=0, **ASKED)
    assert fitted.strategy == "progressive"
    assert fitted.reason.endswith(
        "are too many to search as a whole, so growing samples are searched instead"
    )
    monkeypatch.setattr(run, "AFFORDABLE", 12_000 * candidates)
    assert learn(table, "buys", max_rules=5, random_state=0).strategy == "exact"
    assert learn(table, "buys", max_rules=6, random_state=0, **ASKED).strategy == "progressive"


def test_auto_goes_on_with_what_was_found_when_its_work_is_spent(table, monkeypatch, tmp_path):
    best = learn(table, "buys", strategy="exact", random_state=1)
    monkeypatch.setattr(sys.modules["samrule.learning.learn"], "AUTO_WORK", 1e4)
    one, two = (learn(table, "buys", random_state=1, threads=threads) for threads in (1, 2))
    assert one.strategy == "exact"
    assert one.trace[-1].status is two.trace[-1].status is Status.WORK_LIMIT
    assert one.rule_list == two.rule_list
    assert one.certificate == two.certificate
    assert one.certificate.lower_bound <= best.trace[-1].loss <= one.certificate.upper_bound
    one.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").trace[-1].status is Status.WORK_LIMIT


def test_all_searches_of_auto_share_one_budget(table, monkeypatch):
    monkeypatch.setattr(sys.modules["samrule.learning.learn"], "AUTO_WORK", 3e6)
    monkeypatch.setattr(run, "AFFORDABLE", 0)
    spent = []
    spend = WorkBudget.spend
    monkeypatch.setattr(
        WorkBudget, "spend", lambda self, work: (spent.append(work), spend(self, work))
    )
    fitted = learn(table, "buys", max_terms=2, random_state=1, epsilon=0.01, theta=0.001)
    assert Status.WORK_LIMIT in {stage.status for stage in fitted.trace}
    # A search notices a little late that its part is spent.
    assert len(spent) > 2
    assert sum(spent) < 1.2 * 3e6


@pytest.mark.filterwarnings("ignore::samrule.errors.LongSearchWarning")
def test_no_stage_is_begun_that_has_no_work_left(monkeypatch):
    columns, labels = hard(12_000)
    monkeypatch.setattr(sys.modules["samrule.learning.learn"], "AUTO_WORK", 3e7)
    monkeypatch.setattr(run, "AFFORDABLE", 0)
    asked = {"max_terms": 2, "max_rules": 3, "epsilon": 0.3, "theta": 0.2}
    fitted = learn(columns, labels, random_state=0, **asked)
    assert not fitted.certificate.holds
    # The pilot rows, all rows in memory, and a stage that may take what is left.
    assert len(fitted.trace) == 3
    assert all(stage.n_rules > 0 for stage in fitted.trace)
