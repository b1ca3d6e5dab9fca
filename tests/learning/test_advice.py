"""A list of little use, or proven too little, says so, and what to do about it."""

import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import samrule
from samrule.errors import LongSearchWarning, OneClassWarning
from samrule.learning.advice import unproven_advice
from samrule.solver import Status
from tests.learning.test_class_weight import fraud


def advice_of(**asked: Any) -> Any:
    return samrule.learn(fraud(), "label", random_state=0, **asked).advice


def test_a_list_with_two_classes_needs_no_advice() -> None:
    assert advice_of(class_weight="balanced", max_terms=2) is None


def test_a_rare_class_that_is_missed_is_counted_and_class_weights_are_advised() -> None:
    advice = advice_of()
    n_fraud = fraud()["label"].to_pylist().count("fraud")
    assert (
        f"wrong in the {n_fraud} of 20,000 rows of the table ({n_fraud / 200:.3g} %)" in advice.what
    )
    assert "class_weight='balanced'" in advice.hint
    assert "max_terms=2" in advice.hint


def test_nothing_is_advised_that_is_in_force() -> None:
    weighted = advice_of(class_weight={"fraud": 2})
    assert "class_weight" not in weighted.hint
    assert "max_terms=2" not in advice_of(max_terms=2).hint
    assert "regularization" not in advice_of(regularization=0).hint


def test_a_price_above_all_there_is_to_gain_is_named() -> None:
    n_fraud = fraud()["label"].to_pylist().count("fraud")
    hint = advice_of(regularization=0.1).hint
    assert f"(2,000 rows, {200_000 / n_fraud:,.3g} % of the {n_fraud} there are to gain)" in hint
    assert "regularization='0.001 relative' asks for a thousandth of them" in hint


def test_a_price_that_is_relative_already_is_only_to_be_smaller() -> None:
    hint = advice_of(regularization="0.9 relative").hint
    assert "its price, regularization='0.9 relative' (" in hint
    assert "a smaller one allows rules that gain less" in hint


def test_classes_that_are_not_rare_are_not_to_be_weighted() -> None:
    rng = np.random.default_rng(0)
    noise = samrule.learn(rng.random((300, 1)), rng.random(300) < 0.5, regularization=0.2)
    assert noise.rule_list.n_rules == 0
    assert "class_weight" not in noise.advice.hint


def test_a_search_that_was_stopped_says_what_proves_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    columns = rng.random((3000, 40)) < 0.4
    labels = (columns[:, :7].sum(axis=1) + rng.integers(0, 3, 3000)) % 2 == 0
    proven = samrule.learn(columns, labels, max_rules=3, random_state=0)
    assert (proven.certificate.holds, proven.advice) == (True, None)
    monkeypatch.setattr(sys.modules["samrule.learning.learn"], "AUTO_WORK", 2e6)
    stopped = samrule.learn(columns, labels, max_rules=3, random_state=0)
    assert stopped.advice.what.startswith("The list may still be one of the best; the search ended")
    assert str(stopped.advice.hint) == (
        "strategy='exact' with time_limit=60 goes on for a minute; lists are proven sooner with "
        "max_rules=2."
    )
    one = samrule.learn(columns, labels, max_rules=1, strategy="progressive", random_state=0)
    stopped_too = unproven_advice(one.settings, stopped.certificate, Status.WORK_LIMIT)
    assert stopped_too is None  # Nothing is shorter, and the strategy is in force.
    assert "the search of 3,000 rows was stopped too early" in str(stopped.certificate)
    with pytest.warns(LongSearchWarning):
        late = samrule.learn(
            columns, labels, max_rules=7, max_terms=2, strategy="exact", time_limit=0.2
        )
    assert "a longer time_limit proves more" in late.advice.hint
    assert "max_terms=1" in late.advice.hint


def test_the_classifier_warns() -> None:
    table = fraud()
    model = samrule.RuleListClassifier()
    with pytest.warns(OneClassWarning, match="predicts fine for every row"):
        model.fit(table.select(["amount", "abroad"]).to_pandas(), table["label"].to_pylist())


def test_a_promise_that_any_list_keeps_is_named() -> None:
    share = fraud()["label"].to_pylist().count("fraud") / 20_000
    hint = advice_of().hint
    assert f"allows a loss 0.005 above the best, and this one is {share:.3g} in all" in hint
    assert "theta=0.0001 asks for more" in hint or f"theta={share / 10:.1g} asks for more" in hint
    assert "asks for more" not in advice_of(theta=0.001).hint


def rarely(n_rows: int = 30_000) -> pa.Table:
    """One row in 250 is fraud, one in five where x holds."""
    rng = np.random.default_rng(0)
    x = rng.random(n_rows) < 0.02
    label = np.where(x & (rng.random(n_rows) < 0.2), "fraud", "fine")
    return pa.table({"x": x, "y": rng.integers(0, 50, n_rows), "label": label})


def test_a_promise_that_every_list_keeps_is_told() -> None:
    asked = {"objective": "brier", "strategy": "progressive", "regularization": 0}
    fitted = [samrule.learn(rarely(), "label", random_state=seed, **asked) for seed in range(8)]
    (first, *_) = [one for one in fitted if one.rule_list.n_rules]
    assert first.certificate.train_rows <= 250
    assert "Without any rule the Brier loss would be 0.00" in first.advice.what
    assert "allows 0.005 above the best: every list keeps it" in first.advice.what
    assert "theta=0.0004 asks for more" in first.advice.hint
    assert first.one_class_advice is None
    better = samrule.learn(rarely(), "label", random_state=0, theta=0.0004, **asked)
    assert better.advice is None
    assert better.certificate.train_rows > 1000


def test_nothing_is_told_of_a_promise_where_more_is_proven() -> None:
    assert samrule.learn(rarely(), "label", objective="brier", strategy="exact").advice is None


def delayed(n_wrong: int) -> pa.Table:
    """Flights that are late by 15 minutes or more, `n_wrong` of them noted wrongly."""
    rng = np.random.default_rng(0)
    minutes = rng.integers(-30, 120, 2000)
    late = minutes >= 15
    late[:n_wrong] = ~late[:n_wrong]
    return pa.table({"minutes": minutes, "hour": rng.integers(0, 24, 2000), "late": late})


@pytest.mark.parametrize(
    ("n_wrong", "right"), [(0, "all 2,000 rows"), (3, "all but 3 of the 2,000 rows")]
)
def test_a_column_that_gives_the_target_away_is_named(n_wrong: int, right: str) -> None:
    advice = samrule.learn(delayed(n_wrong), "late", max_rules=1).advice
    assert advice.what == f"minutes alone tells late: this list is right in {right} of the table."
    assert advice.hint == (
        "if minutes is known only once late is, or was made from it, leave it out: "
        "exclude=['minutes']."
    )


def test_a_column_that_tells_much_but_not_all_gives_nothing_away() -> None:
    assert samrule.learn(delayed(30), "late", max_rules=1).advice is None
    assert samrule.learn(delayed(0).slice(0, 100), "late", max_rules=1).advice is None
