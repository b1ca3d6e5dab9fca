"""What the page shows is what the model knows."""

import json
from dataclasses import replace
from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, roc_auc_score

import samrule
from samrule.report.summarize import rules_summary, summary
from samrule.rules import Condition, Operator, Rule, RuleList


@pytest.fixture(scope="module")
def noisy() -> tuple[np.ndarray, np.ndarray, samrule.FittedRuleList]:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 50, (1500, 3))
    label = ((table[:, 0] >= 30) ^ (rng.random(1500) < 0.2)).astype(int)
    return table, label, samrule.learn(table, label, random_state=0)


def test_confusion_and_roc_are_those_scikit_learn_finds(noisy: tuple) -> None:
    table, label, fitted = noisy
    found = summary(fitted)
    assert np.array_equal(found["confusion"], confusion_matrix(label, fitted.predict(table)))
    score = fitted.predict_proba(table)[:, 1]
    assert found["roc"]["area"] == pytest.approx(roc_auc_score(label, score))
    overall = {one["name"]: one["value"] for one in found["scores"]["overall"]}
    assert overall["area under the ROC curve"] == found["roc"]["area"]
    assert found["accuracy"] == pytest.approx((fitted.predict(table) == label).mean())


def test_reliability_lies_on_the_diagonal_where_probabilities_were_counted(noisy: tuple) -> None:
    reliability = summary(noisy[2])["reliability"]
    assert reliability["class"] == "1"
    assert sum(weight for _, _, weight in reliability["curve"]) == 1500
    for said, so, weight in reliability["curve"]:
        assert said == pytest.approx((so * weight + 1) / (weight + 2))  # Laplace's smoothing.


def test_coverage_adds_up_and_rows_flow_down_the_list(noisy: tuple) -> None:
    rules = summary(noisy[2])["rules"]
    assert sum(rule["coverage"] for rule in rules) == pytest.approx(1)
    for above, below in pairwise(rules):
        assert below["before"] == pytest.approx(above["before"] + above["coverage"])


def test_only_rows_the_list_never_saw_tell_about_rows_to_come(noisy: tuple) -> None:
    table, label, fitted = noisy
    assert all(rule["interval"] is None for rule in summary(fitted)["rules"])
    again = fitted.evaluate(table, label)
    found = summary(fitted, again, unseen=True)
    assert all(rule["interval"] is None for rule in found["rules"])
    assert "most likely the one it was learned from" in found["rows"]["of"]
    other = fitted.evaluate(table[:700], label[:700])
    assert all(rule["interval"] is None for rule in summary(fitted, other)["rules"])
    for rule in summary(fitted, other, unseen=True)["rules"]:
        low, high = rule["interval"]
        assert low <= rule["accuracy"] <= high


def test_counts_of_another_table_replace_those_of_the_model(noisy: tuple) -> None:
    table, label, fitted = noisy
    found = summary(fitted, fitted.evaluate(table[:100], label[:100]))
    assert found["rows"] == {"n": 100, "of": "the table given with the report"}
    assert np.array_equal(
        found["confusion"], confusion_matrix(label[:100], fitted.predict(table[:100]))
    )


def test_a_class_that_only_the_other_table_has_is_shown(noisy: tuple) -> None:
    table, label, fitted = noisy
    label = np.where(np.arange(1500) < 10, 7, label)
    found = summary(fitted, fitted.evaluate(table, label))
    assert found["classes"] == ["0", "1", "7"]
    assert sum(found["confusion"][2]) == 10
    assert found["roc"] is found["reliability"] is None


def test_many_classes_are_told_apart_as_far_as_colours_go() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 100, (3000, 1))
    label = np.minimum(table[:, 0] // 8, rng.integers(0, 13, 3000))
    found = summary(samrule.learn(table, label, max_rules=3))
    totals = np.sum(found["confusion"], axis=1)
    assert len(totals) == 13
    own = [place for place, colour in enumerate(found["colours"]) if colour < 7]
    assert sorted(own) == sorted(np.argsort(-totals, kind="stable")[:7])
    assert len({found["colours"][place] for place in own}) == 7
    assert [one["name"] for one in found["legend"]] == [
        *(found["classes"][place] for place in own),
        "6 others",
    ]
    for rule in found["rules"]:
        listed = [rule["counts"][place] for place in rule["most"]]
        assert listed == sorted(rule["counts"], reverse=True)[: len(listed)]
        assert sum(listed) + rule["others"] == rule["support"]
    never = set(range(13)) - set(found["predicted"])
    assert not np.array(found["confusion"])[:, sorted(never)].any()
    assert np.array(found["confusion"])[:, found["predicted"]].any(axis=0).all()


@pytest.mark.parametrize("n_classes", [1, 2, 8])
def test_a_few_classes_have_a_colour_each(n_classes: int) -> None:
    rules = RuleList((), Rule((), 0, (1,) * n_classes), tuple(range(n_classes)))
    found = rules_summary(rules)
    assert found["colours"] == [one["colour"] for one in found["legend"]] == [*range(n_classes)]


def test_it_is_plain_json(noisy: tuple) -> None:
    json.dumps(summary(noisy[2]), allow_nan=False)


def test_each_column_is_asked_for_once_with_every_digit() -> None:
    fitted = samrule.learn(np.arange(40).reshape(-1, 1), np.arange(40) >= 20)
    conditions = (
        Condition("n", ">=", 2**60 + 1),
        Condition("n", Operator.IS_MISSING),
        Condition("d", "<", date(2021, 3, 1)),
        Condition("x", ">=", 0.1 + 0.2),
        Condition("b", "==", True),
    )
    rules = tuple(Rule((one,), True, (1, 2)) for one in conditions)
    found = summary(replace(fitted, rule_list=replace(fitted.rule_list, rules=rules)))
    assert [(one["column"], one["suggestions"]) for one in found["fields"]] == [
        ("n", ["1152921504606846977"]),
        ("d", ["2021-03-01"]),
        ("x", ["0.30000000000000004"]),
        ("b", ["true"]),
    ]
