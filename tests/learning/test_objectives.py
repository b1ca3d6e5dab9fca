"""Other losses than errors, from a table to a certificate and a model file."""

import signal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import samrule
from samrule.errors import ParameterError
from samrule.learning.model_file import dumps, loads
from samrule.objective import Objective
from samrule.sources.memory import MemorySource

ASKED = {"max_rules": 2, "random_state": 0, "epsilon": 0.2}
OBJECTIVES: list[dict[str, Any]] = [
    {"objective": "brier"},
    {"objective": {"error": 0.5, "brier": 0.5}},
    {"costs": {("bad", "good"): 4}},
    {"objective": {"error": 0.5, "brier": 0.5}, "costs": {("bad", "good"): 4}},
]


def loans(n_rows: int = 30_000, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    late, young = rng.random(n_rows) < 0.1, rng.random(n_rows) < 0.3
    chance = 0.05 + 0.4 * late + 0.1 * young
    outcome = np.where(rng.random(n_rows) < chance, "bad", "good")
    weight = rng.integers(1, 4, n_rows)
    return pa.table({"late": late, "young": young, "w": weight, "outcome": outcome})


def loss_of(fitted: samrule.FittedRuleList, table: pa.Table) -> float:
    """The loss counted row by row, shares those of the table."""
    decided = fitted.apply(table)
    truth = np.array(table["outcome"].to_pylist())
    weights = table["w"].to_numpy() if fitted.weights else np.ones(len(truth))
    costs = fitted.objective.costs or ((0, 1), (1, 0))
    total = 0.0
    for number, rule in enumerate(fitted.rule_list):
        rows = decided == number
        of_class = np.array([weights[rows & (truth == one)].sum() for one in ("bad", "good")])
        if of_class.sum() == 0:
            continue
        shares = of_class / of_class.sum()
        place = ("bad", "good").index(rule.prediction)
        share = fitted.objective.brier_share
        total += share * of_class.sum() * (1 - (shares**2).sum()) / 2
        total += (1 - share) * sum(of_class[i] * costs[i][place] for i in range(2))
    return total / weights.sum() + fitted.settings.regularization * fitted.rule_list.n_rules


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("asked", OBJECTIVES, ids=str)
def test_samples_certify_what_the_whole_table_confirms(asked: Any, weights: str | None) -> None:
    table = loans() if weights else loans().drop_columns(["w"])
    whole = samrule.learn(table, "outcome", strategy="exact", weights=weights, **ASKED, **asked)
    drawn = samrule.learn(
        table, "outcome", strategy="progressive", weights=weights, **ASKED, **asked
    )
    for fitted in (whole, drawn):
        assert fitted.certificate.holds
        assert fitted.certificate.upper_bound == pytest.approx(loss_of(fitted, table), rel=1e-9)
        assert fitted.loss_name == fitted.certificate.loss_name != "loss"
        assert fitted.paper_rows is None
        assert loads(dumps(fitted)) == fitted
    best = whole.certificate.upper_bound
    assert drawn.certificate.drawn != "whole_table"
    assert drawn.certificate.lower_bound <= best <= drawn.certificate.upper_bound + 1e-12
    assert whole.certificate.upper_bound - whole.certificate.lower_bound <= 1e-7
    assert whole.path[-1] == pytest.approx(best, abs=1e-7)


def test_rules_of_one_class_are_kept_where_shares_count() -> None:
    table = loans().drop_columns(["w"])
    for strategy in ("exact", "progressive"):
        fitted = samrule.learn(table, "outcome", objective="brier", strategy=strategy, **ASKED)
        assert {rule.prediction for rule in fitted.rule_list} == {"good"}
        assert fitted.rule_list.n_rules == 2
        assert fitted.advice is None
        probabilities = np.unique(fitted.predict_proba(table)[:, 0])
        assert len(probabilities) == 3


def test_a_rare_class_is_offered_the_brier_score() -> None:
    table = loans().drop_columns(["w"])
    plain = samrule.learn(table, "outcome", max_rules=1)
    assert "objective='brier'" in plain.advice.hint


@pytest.mark.parametrize("strategy", ["paper", "tight"])
def test_sample_sizes_are_proven_for_errors_alone(strategy: Any) -> None:
    with pytest.raises(ParameterError, match="not for the Brier loss") as error:
        samrule.learn(loans(), "outcome", objective="brier", strategy=strategy)
    assert "strategy='progressive'" in str(error.value)


def test_ctrl_c_while_scanning_keeps_a_list_that_fresh_rows_bound(monkeypatch) -> None:
    table = loans().drop_columns(["w"])
    tally = MemorySource.tally

    def interrupted(self: Any, rule_list: Any, *rest: Any) -> Any:
        if rule_list.rules:
            signal.raise_signal(signal.SIGINT)
        return tally(self, rule_list, *rest)

    monkeypatch.setattr(MemorySource, "tally", interrupted)
    fitted = samrule.learn(table, "outcome", objective="brier", strategy="progressive", **ASKED)
    assert fitted.was_interrupted
    assert fitted.certificate.upper_evidence == "validation"
    assert fitted.trace[-1].validation_loss < fitted.certificate.upper_bound
    assert loss_of(fitted, table) <= fitted.certificate.upper_bound
    assert loads(dumps(fitted)) == fitted


def test_a_relative_price_is_a_share_of_the_brier_loss_without_rules() -> None:
    table = loans().drop_columns(["w"])
    share = table["outcome"].to_pylist().count("bad") / len(table)
    fitted = samrule.learn(table, "outcome", objective="brier", regularization="0.01 relative")
    expected = 0.01 * share * (1 - share)
    assert fitted.settings.regularization == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "damage",
    [{"brier_share": 2}, {"costs": [[0, 1]]}, {"costs": [[0, 3], [1, 0]]}, {"costs": ""}, {"x": 1},
     {"positive": 2}, {"positive": 1}],
)  # fmt: skip
def test_damaged_objectives_are_refused(damage: dict[str, Any]) -> None:
    import json

    fitted = samrule.learn(loans(), "outcome", objective="brier", max_rules=1)
    data = json.loads(dumps(fitted))
    data["objective"] |= damage
    with pytest.raises(samrule.errors.InputError, match="objective"):
        loads(json.dumps(data).encode())


@pytest.mark.parametrize("asked", [{}, {"weights": "w"}, {"class_weight": {"bad": 3}}], ids=str)
def test_the_greatest_f1_is_found_on_all_rows(asked: Any) -> None:
    table = loans(8000)
    fitted = samrule.learn(table, "outcome", objective="f1", max_rules=2, **asked)
    truth, said = np.array(table["outcome"].to_pylist()), fitted.predict(table)
    weights = table["w"].to_numpy() if "weights" in asked else np.ones(len(truth))
    weights = weights * np.where(truth == "bad", asked.get("class_weight", {}).get("bad", 1), 1)
    found = weights[(truth == "bad") & (said == "bad")].sum()
    wrong = weights[truth != said].sum()
    price = fitted.settings.regularization * fitted.rule_list.n_rules * weights.sum()
    expected = (wrong + price) / (2 * found + wrong)
    assert fitted.certificate.upper_bound == pytest.approx(expected, rel=1e-9)
    assert fitted.certificate.upper_bound - fitted.certificate.lower_bound <= 1e-6
    assert (fitted.strategy, fitted.loss_name, fitted.certificate.argument) == (
        "exact", "1 - F1", "exact",
    )  # fmt: skip
    assert loads(dumps(fitted)) == fitted
    if not asked:
        others = samrule.learn(table, "outcome", max_rules=2)
        assert fitted.evaluation.alerts("bad").f1 >= others.evaluation.alerts("bad").f1 - 1e-3
    rate = fitted.evaluation.alerts("bad")
    both = rate.precision + rate.recall
    assert rate.f1 == pytest.approx(2 * rate.precision * rate.recall / both)


def test_samples_prove_nothing_about_f1() -> None:
    for strategy in ("progressive", "paper", "tight"):
        with pytest.raises(ParameterError, match="no mean over rows"):
            samrule.learn(loans(300), "outcome", objective="f1", strategy=strategy)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no mean over rows"):
        samrule.theory.certify(
            epsilon=0.1, theta=0.1, max_rules=2, n_rules=1, train_rows=100,
            sample_lower_bound=0.1, table_loss=0.2, loss_name="1 - F1",
        )  # fmt: skip


def test_the_price_of_a_rule_is_relative_to_the_rows_of_the_class() -> None:
    table = loans(3000)
    share = table["outcome"].to_pylist().count("bad") / len(table)
    fitted = samrule.learn(table, "outcome", objective="f1", regularization="0.01 relative")
    assert fitted.settings.regularization == pytest.approx(0.01 * share)


def test_three_classes_have_a_brier_score_too() -> None:
    rng = np.random.default_rng(1)
    column = rng.integers(0, 3, 20_000)
    label = np.where(rng.random(20_000) < 0.3, rng.integers(0, 3, 20_000), column)
    table = pa.table({"x": column, "y": label})
    whole = samrule.learn(table, "y", objective="brier", strategy="exact", **ASKED)
    drawn = samrule.learn(table, "y", objective="brier", strategy="progressive", **ASKED)
    assert whole.objective == drawn.objective == Objective(1.0)
    assert drawn.certificate.lower_bound <= whole.certificate.upper_bound
    assert drawn.certificate.holds
