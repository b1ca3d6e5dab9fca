"""Rows that count as much as their class: in the search, in draws, in the model."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import samrule
from samrule.errors import ParameterError, ParameterTypeError
from samrule.learning.class_weight import weighted_by_class
from tests.learning.tables import people


def fraud(n_rows: int = 20_000, seed: int = 0) -> pa.Table:
    """One row in 500 is fraud, one in ten of large amounts abroad."""
    rng = np.random.default_rng(seed)
    amount, abroad = rng.integers(1, 1000, n_rows), rng.random(n_rows) < 0.2
    chance = np.where((amount >= 900) & abroad, 0.1, 0.0)
    label = np.where(rng.random(n_rows) < chance, "fraud", "fine")
    return pa.table({"amount": amount, "abroad": abroad, "label": label})


def with_weights(table: pa.Table, target: str, weight: dict[str, float]) -> pa.Table:
    of_row = [weight[one] for one in table[target].to_pylist()]
    return table.append_column("w", pa.array(of_row, pa.float64()))


@pytest.mark.parametrize("strategy", ["exact", "progressive", "tight"])
def test_class_weights_are_row_weights(strategy: Any) -> None:
    weight = {"no": 2.0, "yes": 5.0}
    asked = {"strategy": strategy, "max_rules": 3, "epsilon": 0.5, "random_state": 1}
    by_class = samrule.learn(people(), "buys", class_weight=weight, **asked)
    table = with_weights(people(), "buys", weight)
    by_row = samrule.learn(table, "buys", weights="w", **asked)
    assert by_class.rule_list == by_row.rule_list
    assert by_class.certificate == by_row.certificate
    assert by_class.class_weight == (2.0, 5.0)


def test_class_weights_and_row_weights_multiply() -> None:
    rng = np.random.default_rng(0)
    table = people()
    own = rng.integers(1, 4, len(table)).astype(float)
    both = own * np.where(np.array(table["buys"].to_pylist()) == "yes", 5, 2)
    asked = {"strategy": "exact", "max_rules": 3}
    found = samrule.learn(
        table.append_column("own", pa.array(own)),
        "buys",
        weights="own",
        class_weight={"no": 2, "yes": 5},
        **asked,
    )
    expected = samrule.learn(
        table.append_column("own", pa.array(both)), "buys", weights="own", **asked
    )
    assert found.rule_list == expected.rule_list
    assert found.certificate == expected.certificate


def test_balanced_classes_weigh_the_same_together() -> None:
    source, weights = weighted_by_class(samrule.open_table(fraud(), "label"), "balanced")
    assert weights is not None
    of_row = source.column(str(source.weights)).to_numpy()
    is_fraud = np.array(source.column("label").to_pylist()) == "fraud"
    assert of_row[is_fraud].sum() == pytest.approx(of_row[~is_fraud].sum(), rel=1e-3)
    assert weights["fine"] == 1
    assert (of_row == np.rint(of_row)).all()  # Whole numbers: the search adds them exactly.


def test_rows_are_drawn_in_proportion_to_their_class() -> None:
    source, _ = weighted_by_class(samrule.open_table(fraud(), "label"), {"fraud": 3, "fine": 1})
    is_fraud = np.array(source.column("label").to_pylist()) == "fraud"
    share = 3 * is_fraud.sum() / (3 * is_fraud.sum() + (~is_fraud).sum())
    drawn = source.draw(200_000, random_state=5).table["label"].to_pylist()
    deviation = np.sqrt(share * (1 - share) / 200_000)
    # Five standard deviations: a false alarm in two million seeds.
    assert abs(drawn.count("fraud") / 200_000 - share) < 5 * deviation


@pytest.mark.parametrize("strategy", ["exact", "progressive"])
def test_a_rare_class_gets_rules(strategy: Any) -> None:
    asked = {"max_rules": 2, "strategy": strategy, "random_state": 0, "max_terms": 2}
    assert samrule.learn(fraud(), "label", **asked).rule_list.n_rules == 0
    balanced = samrule.learn(fraud(), "label", class_weight="balanced", **asked)
    assert balanced.rule_list.n_rules > 0
    assert balanced.certificate.holds
    assert "fraud" in [rule.prediction for rule in balanced.rule_list]


def test_the_model_file_remembers_class_weights(tmp_path: Path) -> None:
    fitted = samrule.learn(people(), "buys", class_weight={"yes": 2.5})
    fitted.save(tmp_path / "model.json")
    assert samrule.load(tmp_path / "model.json").class_weight == (1.0, 2.5)


def test_class_of_weight_0_is_left_out() -> None:
    labels = ["a", "b", "c"] * 20
    table = np.arange(60).reshape(-1, 1)
    fitted = samrule.learn(table, labels, class_weight={"c": 0})
    assert fitted.classes == ("a", "b")
    assert fitted.class_weight == (1.0, 1.0)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("balance", ParameterError, "'balanced'"),
        (3, ParameterTypeError, "weight per class"),
        ({"yes": "much"}, ParameterTypeError, "expected a number"),
        ({"yes": -1}, ParameterError, "0 or more"),
        ({"yes": float("nan")}, ParameterError, "0 or more"),
        ({"yess": 2}, ParameterError, "did you mean yes"),
    ],
)
def test_class_weights_that_cannot_be_are_refused(given: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        samrule.learn(people(200), "buys", class_weight=given)
