"""Scores from counts are those that scikit-learn finds row by row."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from samrule import Condition, Rule, RuleList, evaluate
from samrule.scores import recall_at_precision, scores

CLASSES = ("no", "yes", "maybe")


@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_scikit_learn(seed: int, n_classes: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(n_classes, 60))
    truth = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows)])
    rule = rng.integers(0, 4, len(truth))
    weight = rng.random(len(truth)) + 0.1 if weighted else np.ones(len(truth))
    said = rng.integers(0, n_classes, 4)
    probabilities = rng.integers(1, 4, (4, n_classes)).astype(float)  # Small: rules tie.
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    counts = np.zeros((4, n_classes))
    np.add.at(counts, (rule, truth), weight)
    found = scores(counts, said.tolist(), probabilities)

    predicted, shares = said[rule], probabilities[rule]
    asked = {"sample_weight": weight}
    labels = list(range(n_classes))
    assert found.accuracy == pytest.approx(metrics.accuracy_score(truth, predicted, **asked))
    assert found.balanced_accuracy == pytest.approx(
        metrics.balanced_accuracy_score(truth, predicted, **asked)
    )
    assert found.log_loss == pytest.approx(metrics.log_loss(truth, shares, labels=labels, **asked))
    score = shares[:, 1] if n_classes == 2 else shares
    assert found.auc == pytest.approx(
        metrics.roc_auc_score(truth, score, multi_class="ovr", **asked)
    )
    assert found.brier == pytest.approx(
        metrics.brier_score_loss(truth, score, labels=labels, **asked)
    )
    assert found.average_precision == pytest.approx(average_precision(truth, shares, weight))
    assert found.brier == pytest.approx(found.reliability - found.resolution + found.uncertainty)
    halved = 2 if n_classes == 2 else 1
    wanted = {"reliability": 0.0, "resolution": 0.0}
    base = np.bincount(truth, weight, n_classes) / weight.sum()
    for one in np.unique(rule):
        rows = rule == one
        so = np.bincount(truth[rows], weight[rows], n_classes) / weight[rows].sum()
        part = weight[rows].sum() / weight.sum() / halved
        wanted["reliability"] += part * ((probabilities[one] - so) ** 2).sum()
        wanted["resolution"] += part * ((base - so) ** 2).sum()
    assert found.reliability == pytest.approx(wanted["reliability"])
    assert found.resolution == pytest.approx(wanted["resolution"])
    precision, recall, _, _ = metrics.precision_recall_fscore_support(
        truth, predicted, labels=labels, zero_division=np.nan, **asked
    )
    assert found.precision == pytest.approx(precision, nan_ok=True)
    assert found.recall == pytest.approx(recall, nan_ok=True)


def average_precision(truth: np.ndarray, shares: np.ndarray, weight: np.ndarray) -> float:
    """That of the second of two classes, else the mean over the classes there are."""
    n_classes = shares.shape[1]
    places = [1] if n_classes == 2 else [one for one in range(n_classes) if (truth == one).any()]
    return float(
        np.mean(
            [
                metrics.average_precision_score(truth == one, shares[:, one], sample_weight=weight)
                for one in places
            ]
        )
    )


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.25, 0.5, 0.8, 1.0]))
@settings(max_examples=60, deadline=None)
def test_recall_at_a_precision_is_the_largest_of_all_thresholds(seed: int, wanted: float) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, (5, 2)).astype(float)
    counts[0] += 1
    probability = rng.integers(1, 5, 5) / 5  # Rules tie.
    found = recall_at_precision(counts, probability, 1, wanted)
    recalls = [0.0]
    for threshold in probability:
        taken = counts[probability >= threshold].sum(axis=0)
        if taken[1] >= wanted * taken.sum():
            recalls.append(taken[1] / counts[:, 1].sum())
    assert found == max(recalls)


def test_recall_of_a_class_without_rows_is_not_a_number() -> None:
    assert math.isnan(recall_at_precision(np.array([[3, 0]]), np.array([0.5]), 1, 0.5))


def test_what_cannot_be_divided_is_not_a_number() -> None:
    one_class = scores(np.array([[3, 0], [1, 0]]), [0, 1], np.array([[0.5, 0.5], [0.2, 0.8]]))
    assert one_class.balanced_accuracy == one_class.recall[0] == 0.75
    assert math.isnan(one_class.recall[1])
    assert math.isnan(one_class.auc)
    never = scores(np.array([[3, 2]]), [0])
    assert math.isnan(never.precision[1])
    assert never.auc is never.log_loss is never.brier is never.average_precision is None


def table_of(n_rows: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "x": rng.integers(0, 100, n_rows),
            "y": rng.choice(CLASSES, n_rows),
            "w": rng.random(n_rows),
        }
    )


def test_an_evaluation_has_the_scores_of_the_model_s_own_probabilities() -> None:
    import samrule

    table = table_of(2000)
    fitted = samrule.learn(table.select(["x", "y"]), "y", max_rules=2)
    other = table_of(500, seed=1)
    truth, shares = np.array(other["y"].to_pylist()), fitted.predict_proba(other)
    found = fitted.evaluate(other, "y", weights="w")
    for evaluation, weight in ((found, other["w"].to_numpy()), (found.unweighted, None)):
        expected = metrics.log_loss(truth, shares, labels=fitted.classes, sample_weight=weight)
        assert evaluation.scores.log_loss == pytest.approx(expected)
        assert evaluation.accuracy == pytest.approx(
            metrics.accuracy_score(truth, fitted.predict(other), sample_weight=weight)
        )
    plain = fitted.evaluate(other, "y")
    assert found.unweighted.rules == plain.rules
    assert found.unweighted.scores == plain.scores


def test_a_class_the_list_does_not_know_costs_everything() -> None:
    rules = RuleList((Rule((Condition("x", "<", 50),), "no", (3, 1)),), Rule((), "yes", (1, 3)),
                     ("no", "yes"))  # fmt: skip
    found = evaluate(rules, table_of(300), "y").scores
    assert found.log_loss == math.inf
    assert found.recall[2] == 0
    assert evaluate(rules, table_of(300), "y", "w").weights == "w"
