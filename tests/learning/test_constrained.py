"""Constraints in `learn`: the list obeys, the certificate holds, the model remembers."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from samrule import (
    Binarizer,
    Condition,
    Rule,
    RuleListClassifier,
    constraint_prices,
    learn,
    load,
)
from samrule.constraints import checked_constraints
from samrule.errors import ColumnError, ParameterError
from samrule.learning import FittedRuleList
from tests.reference.constrained_lists import is_monotone

MINORS = Rule((Condition("age", "<", 20),), "no")
ASKED: dict[str, Any] = {
    "forbid": ["zip", ("age", "sex")],
    "monotone": {"income": 1},
    "at_most": {"income": 2},
    "first": [MINORS],
    "max_columns": 3,
}


def loans(n_rows: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    age, income = rng.integers(18, 80, n_rows), rng.integers(1, 100, n_rows)
    sex, area = rng.choice(["f", "m"], n_rows), rng.integers(0, 50, n_rows)
    score = income + 0.3 * age + 5 * (sex == "m") + rng.normal(0, 15, n_rows)
    paid = np.where(score > 60, "yes", "no")
    return pa.table({"age": age, "income": income, "sex": sex, "zip": area, "paid": paid})


@pytest.mark.parametrize(
    ("n_rows", "strategy"), [(1500, "exact"), (40_000, "progressive"), (40_000, "tight")]
)
def test_the_list_obeys_and_is_certified(n_rows: int, strategy: Any, tmp_path: Any) -> None:
    options = ASKED | ({"epsilon": 0.5, "theta": 0.3} if strategy == "tight" else {})
    binarizer = Binarizer(n_thresholds=5)
    fitted = learn(
        loans(n_rows), "paid", strategy=strategy, random_state=0, binarizer=binarizer, **options
    )
    assert fitted.certificate.holds
    assert fitted.constraints == checked_constraints(**ASKED)
    assert fitted.constraints.obeyed_by(fitted.rule_list)
    assert fitted.rule_list.rules[0].conditions == MINORS.conditions
    assert "zip" not in fitted.conditions.columns
    assert "; lists that obey: forbid zip; forbid age with sex;" in fitted.shape
    fitted.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == fitted


def test_predictions_rise_with_a_monotone_column() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 6, (400, 3))
    # Not monotone by itself: the middle is what pays.
    labels = ((rows[:, 0] % 4 == 2) | (rows[:, 1] + rows[:, 2] > 6)).astype(int)
    every_row = np.array(np.meshgrid(*[np.arange(6)] * 3)).reshape(3, -1).T
    for way in (1, -1):
        model = RuleListClassifier(
            max_rules=3, monotone={"x0": way}, binarizer=Binarizer(n_thresholds=3)
        ).fit(rows, labels)
        predicted = model.predict(every_row).tolist()
        assert is_monotone(every_row.tolist(), predicted, 0, way)
    free = RuleListClassifier(max_rules=4, binarizer=Binarizer(n_thresholds=5)).fit(rows, labels)
    assert not is_monotone(every_row.tolist(), free.predict(every_row).tolist(), 0, 1)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("told_by", ["frame", "binarizer", "constraint"])
def test_predictions_rise_with_ordered_levels(way: int, told_by: str, tmp_path: Any) -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 5, (600, 3))
    labels = ((rows[:, 0] % 3 == 1) | (rows[:, 1] + rows[:, 2] > 5)).astype(int)
    levels = ["tiny", "low", "mid", "high", "top"]

    def frame(some: Any) -> pd.DataFrame:
        sizes = pd.Categorical.from_codes(some[:, 0], levels, ordered=told_by == "frame")
        return pd.DataFrame({"size": sizes, "x": some[:, 1], "y": some[:, 2]})

    orders = {"size": levels} if told_by == "binarizer" else None
    monotone: Any = {"size": levels[::way] if told_by == "constraint" else way}
    fitted = learn(
        frame(rows), labels, max_rules=3, monotone=monotone, binarizer=Binarizer(orders=orders)
    )
    every_row = np.array(np.meshgrid(*[np.arange(5)] * 3)).reshape(3, -1).T
    predicted = fitted.predict(frame(every_row)).tolist()
    assert is_monotone(every_row.tolist(), predicted, 0, way)
    assert "size" in {one.column for rule in fitted.rule_list.rules for one in rule.conditions}
    assert str(fitted.constraints) == f"monotone size ({' < '.join(levels[::way])})"
    assert fitted.constraints.obeyed_by(fitted.rule_list)
    fitted.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == fitted
    free = learn(frame(rows), labels, max_rules=4, binarizer=Binarizer(orders={"size": levels}))
    assert not is_monotone(every_row.tolist(), free.predict(frame(every_row)).tolist(), 0, way)


def test_fixed_rules_may_ask_what_no_other_rule_may() -> None:
    last = Rule((Condition("zip", "<", 7), Condition("sex", "==", "f")), None)
    fitted = learn(loans(800), "paid", last=last, include=["age", "income", "zip", "sex"],
                   max_rules=3, random_state=0, binarizer=Binarizer(n_thresholds=3))  # fmt: skip
    assert fitted.rule_list.rules[-1].conditions == last.conditions
    assert fitted.certificate.holds
    assert sum(rule.support for rule in fitted.rule_list) == 800


def test_support_and_constraints_search_all_rows() -> None:
    table = loans(12_000)
    options: dict[str, Any] = {"min_support": 100, "require": ["sex"], "max_rules": 3}
    fitted = learn(table, "paid", random_state=0, binarizer=Binarizer(n_thresholds=3), **options)
    assert fitted.strategy == "exact"
    assert all(rule.support >= 100 for rule in fitted.rule_list.rules)
    assert "sex" in fitted.columns
    with pytest.raises(ParameterError, match="does not go with these constraints: require sex"):
        learn(table, "paid", strategy="progressive", **options)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"alert_rate": 0.1}, "alert_rate=0.1 does not go with"),
        ({"max_rules": "cv"}, "max_rules='cv' does not go with"),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError) as refused:
        learn(loans(100), "paid", require=["age"], **given)
    assert words in str(refused.value)


def test_columns_can_be_forbidden_wherever_lists_are_learned() -> None:
    table = loans(600)
    for given in ({"alert_rate": 0.3}, {"max_rules": "cv"}, {"objective": "f1"}):
        fitted: FittedRuleList = learn(
            table, "paid", forbid=["income"], binarizer=Binarizer(n_thresholds=2), **given
        )
        assert "income" not in fitted.columns
        assert "income: it is forbidden" in map(str, fitted.conditions.left_out)


def test_unknown_names_are_refused() -> None:
    table = loans(100)
    with pytest.raises(ColumnError, match="no column 'incom'"):
        learn(table, "paid", at_most={"incom": 1})
    with pytest.raises(ParameterError, match="forbid names 'incom', which none of"):
        learn(table, "paid", forbid=["incom"])
    with pytest.raises(ParameterError, match="require names 'age >= 17', which none of"):
        learn(table, "paid", require=["age >= 17"])
    with pytest.raises(ParameterError, match="asks about 'paid', the target"):
        learn(table, "paid", first=Rule((Condition("paid", "==", "no"),), "no"))
    with pytest.raises(ParameterError, match="the classes are 'no', 'yes'"):
        learn(table, "paid", first=Rule((Condition("age", "<", 20),), "never"))


def test_prices_are_the_difference_of_two_proven_losses() -> None:
    table, options = loans(600), {"binarizer": Binarizer(n_thresholds=3), "random_state": 0}
    prices = constraint_prices(table, "paid", **options, forbid=["income", ("age", "sex")])
    assert [one.constraint for one in prices] == ["forbid income", "forbid age with sex"]
    dear, cheap = prices
    assert dear.least == pytest.approx(dear.most)
    assert dear.least > 0.1 > cheap.most >= cheap.least >= 0
    free = learn(table, "paid", **options, forbid=[("age", "sex")])  # type: ignore[arg-type]
    assert dear.without.upper_bound == free.certificate.upper_bound
    assert "forbid income: 0." in str(dear)
