"""Lists that alert on a limited share of the rows: they keep to it, and what is proven is so."""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import samrule
from samrule.errors import InputError, ParameterError
from samrule.learning.alert_rate import AlertRate
from samrule.learning.model_file import dumps, loads
from tests.reference.binary_outcomes import outcomes


def payments(n_rows: int = 40_000, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    abroad, new = rng.random(n_rows) < 0.05, rng.random(n_rows) < 0.04
    amount = rng.integers(0, 1000, n_rows)
    chance = 0.002 + 0.3 * (abroad & new) + 0.04 * (amount >= 900)
    fraud = np.where(rng.random(n_rows) < chance, "fraud", "ok")
    return pa.table({"abroad": abroad, "new": new, "amount": amount, "is": fraud})


@pytest.mark.parametrize("seed", range(60))
def test_no_list_that_keeps_to_the_rate_finds_more_than_is_said(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    n_rows, max_terms = int(rng.integers(8, 25)), int(rng.integers(1, 3))
    columns = (rng.random((n_rows, 3)) < 0.5).astype(int)
    codes = (rng.random(n_rows) < rng.uniform(0.1, 0.5)).astype(int)
    codes[:2] = 0, 1
    rate = float(rng.choice([0.1, 0.2, 0.3, 0.5]))
    price = float(rng.choice([0.0, 0.01, 0.05]))
    asked = {"max_rules": 2, "max_terms": max_terms, "regularization": price}
    fitted = samrule.learn(columns, codes, alert_rate=rate, threads=1, **asked)
    wanted = 1 if 2 * codes.sum() <= n_rows else 0
    assert fitted.alert_class == wanted
    table = pa.table({f"x{place}": columns[:, place] for place in range(3)})
    all_lists = outcomes(
        fitted.conditions.transform(table).astype(int).tolist(),
        codes.tolist(),
        [1] * n_rows,
        wanted=wanted,
        max_rules=2,
        max_terms=max_terms,
    )
    of_class = int((codes == wanted).sum())
    within = [one for one in all_lists if one[1] + one[2] <= Fraction(str(rate)) * n_rows]
    most = max(hits for _, hits, _ in within)
    least = min(Fraction(of_class - hits, n_rows) + Fraction(str(price)) * n
                for n, hits, _ in within)  # fmt: skip
    predicted = fitted.predict(table) == wanted
    found = int((predicted & (codes == wanted)).sum())
    alerts = fitted.evaluation.alerts(wanted)
    assert predicted.sum() <= Fraction(str(rate)) * n_rows
    assert found <= most
    assert alerts.rate == pytest.approx(predicted.mean())
    assert alerts.recall == pytest.approx(found / of_class)
    assert fitted.most_found >= most / of_class
    missed = Fraction(of_class - found, n_rows) + Fraction(str(price)) * fitted.rule_list.n_rules
    assert missed >= least
    # What the searches prove, prices of rules included.
    proven = fitted.alerts.least_missed(
        fitted.certificate.lower_bound, fitted.objective, Fraction(of_class, n_rows)
    )
    assert proven <= least + Fraction(1, 10**9)


def test_most_lists_are_the_best_that_keep_to_the_rate() -> None:
    """Between lists that some price makes best there may be others: not all of them are met."""
    best = 0
    for seed in range(40):
        rng = np.random.default_rng([8, seed])
        columns = (rng.random((60, 3)) < 0.4).astype(int)
        codes = (rng.random(60) < 0.05 + 0.5 * columns[:, 0] * columns[:, 1]).astype(int)
        codes[:2] = 0, 1
        fitted = samrule.learn(columns, codes, alert_rate=0.15, max_rules=2, regularization=0)
        table = pa.table({f"x{place}": columns[:, place] for place in range(3)})
        conditions = fitted.conditions.transform(table).astype(int).tolist()
        lists = outcomes(conditions, codes.tolist(), [1] * 60, wanted=1, max_rules=2)
        most = max(hits for _, hits, vain in lists if hits + vain <= 9)
        found = int(((fitted.predict(table) == 1) & (codes == 1)).sum())
        best += found == most
    assert best == 40


@pytest.mark.parametrize("seed", range(40))
def test_rules_alert_that_find_most(seed: int) -> None:
    rng = np.random.default_rng([9, seed])
    counts = rng.integers(0, 12, (int(rng.integers(1, 7)), 2)).tolist()
    counts[0][0] += 1
    rate = AlertRate(float(rng.choice([0.05, 0.3, 0.7])), place=int(rng.integers(2)))
    places = rate.places(counts)
    most = Fraction(str(rate.share)) * sum(map(sum, counts))

    def gain(way: Any) -> tuple[int, int]:
        alerting = [some for some, place in zip(counts, way, strict=True) if place == rate.place]
        return sum(some[rate.place] for some in alerting), -sum(map(sum, alerting))

    allowed = [way for way in product((0, 1), repeat=len(counts)) if -gain(way)[1] <= most]
    assert gain(places) == max(map(gain, allowed))


def test_of_many_rules_the_surest_alert_first() -> None:
    counts = [(10 + number, number + 1) for number in range(20)]
    places = AlertRate(0.5, place=1).places(counts)
    alerts = sum(map(sum, (some for some, place in zip(counts, places, strict=True) if place)))
    assert places[-1] == 1
    assert places[0] == 0
    assert alerts <= sum(map(sum, counts)) / 2


@pytest.mark.parametrize("strategy", ["exact", "progressive", "auto"])
def test_the_rate_is_kept_on_the_table(strategy: Any) -> None:
    table = payments()
    fitted = samrule.learn(
        table, "is", alert_rate=0.05, strategy=strategy, max_terms=2, max_rules=2,
        binarizer=samrule.Binarizer(n_thresholds=3), random_state=0,
        regularization="0.01 relative",
    )  # fmt: skip
    alerts = fitted.evaluate(table).alerts("fraud")
    assert fitted.alert_class == "fraud"
    assert alerts == fitted.evaluation.alerts("fraud")
    assert 0 < alerts.rate <= 0.05
    assert alerts.recall <= fitted.most_found < 1
    assert alerts.lift > 1
    assert fitted.alerts_sentence in str(fitted)
    begins = "With probability 95 %, no" if strategy == "progressive" else "No"
    assert fitted.alerts_sentence.startswith(f"{begins} rule list of this shape that alerts on at")
    assert loads(dumps(fitted)) == fitted
    assert fitted.loss_name == "cost"


def test_a_list_without_a_rate_says_nothing_of_alerts() -> None:
    fitted = samrule.learn(payments(2000), "is")
    assert (fitted.alerts, fitted.alert_class, fitted.most_found) == (None, None, None)
    assert fitted.alerts_sentence is None


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"alert_rate": 0}, "alert_rate is 0; expected a number, above 0 and below 1"),
        ({"alert_rate": 1.5}, "alert_rate is 1.5"),
        ({"alert_rate": 0.1, "objective": "brier"}, "alert_rate is given with objective"),
        ({"alert_rate": 0.1, "costs": {("ok", "fraud"): 2}}, "alert_rate is given with costs"),
        ({"alert_rate": 0.1, "class_weight": "balanced"}, "alert_rate is given with class_weight"),
        ({"alert_rate": 0.1, "weights": "amount"}, "alert_rate is given with weights"),
        ({"alert_rate": 0.1, "strategy": "paper"}, "sample size is proven for errors"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        samrule.learn(payments(200), "is", **asked)


def test_alerts_are_on_one_of_two_classes() -> None:
    with pytest.raises(ParameterError, match="the target has 3 classes"):
        samrule.learn(np.arange(9).reshape(-1, 1), [0, 1, 2] * 3, alert_rate=0.1)


@pytest.mark.parametrize(
    "damage", [{"share": 1.5}, {"place": 2}, {"share": "x"}, {"other": 1}, {"place": 0.5}]
)
def test_damaged_rates_are_refused(damage: dict[str, Any]) -> None:
    data = json.loads(dumps(samrule.learn(payments(2000), "is", alert_rate=0.1, max_rules=1)))
    data["alerts"] |= damage
    with pytest.raises(InputError, match="alert"):
        loads(json.dumps(data).encode())


def test_a_rate_without_costs_is_refused() -> None:
    data = json.loads(dumps(samrule.learn(payments(2000), "is", max_rules=1)))
    data["alerts"] = {"share": 0.1, "place": 1}
    with pytest.raises(InputError, match="with costs"):
        loads(json.dumps(data).encode())


def test_a_rate_is_advised_and_nothing_that_does_not_go_with_it() -> None:
    advice = samrule.learn(payments(), "is").advice
    assert advice is not None
    assert "alert_rate=0.01" in advice.hint
    alone = samrule.learn(payments(), "is", alert_rate=0.00001).advice
    assert alone is not None
    for word in ("alert_rate", "class_weight", "brier"):
        assert word not in alone.hint


def test_a_list_of_rules_that_decide_too_little_is_not_found() -> None:
    fitted = samrule.learn(payments(), "is", alert_rate=0.05, min_support=1000, max_rules=2)
    assert all(sum(rule.class_counts) >= 1000 for rule in fitted.rule_list.rules)


def test_the_classifier_takes_it() -> None:
    table = payments(5000).to_pandas()
    model = samrule.RuleListClassifier(alert_rate=0.03, max_rules=2)
    model.fit(table.drop(columns="is"), table["is"])
    assert 0 < (model.predict(table.drop(columns="is")) == "fraud").mean() <= 0.03
