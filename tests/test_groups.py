"""A list group by group: the figures are those of counting each group's rows by hand."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from samrule import Condition, Rule, RuleList, evaluate, learn
from samrule.errors import ColumnError, ParameterError
from samrule.groups import Share
from samrule.report.page import page
from samrule.rules.meaning import deciding_rules

OLD = Rule((Condition("age", ">=", 50),), "yes", (10, 30))
CITY = Rule((Condition("city", "==", "Roma"), Condition("age", "<", 20)), "maybe")
THREE = RuleList(
    (Rule(OLD.conditions, "yes", (10, 30, 0)), Rule(CITY.conditions, "maybe", (5, 5, 9))),
    Rule((), "no", (60, 20, 3)),
    ("no", "yes", "maybe"),
)


def rows(seed: int, n_rows: int = 200, classes: str = "no yes") -> pa.Table:
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m", "x"], n_rows)
    return pa.table(
        {
            "age": pa.array(rng.integers(10, 90, n_rows), mask=rng.random(n_rows) < 0.1),
            "city": rng.choice(["Roma", "Bari"], n_rows),
            "sex": pa.array([None if one == "x" else one for one in sex]),
            "shoe": rng.integers(30, 60, n_rows),
            "weight": rng.random(n_rows),
            "y": rng.choice(classes.split(), n_rows),
        }
    )


@given(st.integers(0, 500), st.sampled_from(["no yes", "no yes maybe", "yes never"]))
def test_figures_are_those_of_each_groups_own_rows(seed: int, classes: str) -> None:
    table = rows(seed, classes=classes)
    audit = evaluate(THREE, table, "y", groups="sex").audit
    assert audit is not None
    assert {group.value for group in audit.groups} == {"f", "m", None}
    decided = deciding_rules(THREE, table)
    said = np.array([rule.prediction for rule in THREE])[decided]
    is_so, sex = np.array(table["y"].to_pylist()), np.array(table["sex"].to_pylist())
    for group in audit.groups:
        mine = sex == group.value
        assert group.n_rows == mine.sum()
        assert group.errors == Share(int((said != is_so)[mine].sum()), group.n_rows)
        for one in group.classes:
            hits = (said == one.label)[mine]
            of_class = (is_so == one.label)[mine]
            assert one.selected == Share(int(hits.sum()), group.n_rows)
            wrong = int((hits & ~of_class).sum())
            assert one.false_positives == Share(wrong, int((~of_class).sum()))
            missed = int((~hits & of_class).sum())
            assert one.false_negatives == Share(missed, int(of_class.sum()))
            assert one.actual == Share(int(of_class.sum()), group.n_rows)


def test_the_mean_probability_is_that_of_predict_proba() -> None:
    table = rows(0)
    fitted = learn(table, "y", exclude=["weight"], random_state=0)
    audit = fitted.evaluate(table, groups="city").audit
    shares = fitted.predict_proba(table)
    for group in audit.groups:
        mine = np.array(table["city"]) == group.value
        for place, one in enumerate(group.classes):
            assert one.expected == pytest.approx(shares[mine, place].mean())


def test_every_source_and_weights_give_the_same_groups(tmp_path) -> None:
    table = rows(1)
    pq.write_table(table, tmp_path / "t.parquet")
    in_memory = evaluate(RULES_OF_TWO, table, "y", groups="sex").audit
    assert evaluate(RULES_OF_TWO, tmp_path / "t.parquet", "y", groups="sex").audit == in_memory
    weighted = evaluate(RULES_OF_TWO, table, "y", "weight", groups="sex")
    assert weighted.audit == weighted.unweighted.audit == in_memory
    assert evaluate(RULES_OF_TWO, table, "y").audit is None


RULES_OF_TWO = RuleList((OLD,), Rule((), "no", (60, 20)), ("no", "yes"))


@given(st.integers(1, 300), st.data())
def test_intervals_are_those_of_clopper_and_pearson(n_rows: int, data: st.DataObject) -> None:
    n_hits = data.draw(st.integers(0, n_rows))
    low, high = Share(n_hits, n_rows).interval
    exact = stats.binomtest(n_hits, n_rows).proportion_ci(0.95, method="exact")
    assert (low, high) == (pytest.approx(exact.low, abs=1e-9), pytest.approx(exact.high, abs=1e-9))


def test_the_least_rate_is_compared_with_the_greatest() -> None:
    audit = evaluate(RULES_OF_TWO, rows(0), "y", groups="sex").audit
    rates = [group.classes[1].selected.value for group in audit.groups]
    assert audit.selection_ratio("yes") == min(rates) / max(rates)
    nobody = RuleList((), Rule((), "no"), ("no", "yes"))
    assert evaluate(nobody, rows(0), "y", groups="sex").audit.selection_ratio("yes") == 1.0


def test_what_cannot_be_grouped_is_refused() -> None:
    with pytest.raises(ParameterError, match="holds 30 different values; expected at most 20"):
        evaluate(RULES_OF_TWO, rows(0, 2000), "y", groups="shoe")
    with pytest.raises(ParameterError, match="'y', the target itself"):
        evaluate(RULES_OF_TWO, rows(0), "y", groups="y")
    with pytest.raises(ColumnError, match="no column 'gender'"):
        evaluate(RULES_OF_TWO, rows(0), "y", groups="gender")
    assert math.isnan(Share(0, 0).value)


def test_the_page_shows_groups_and_says_what_brackets_are_worth() -> None:
    table = rows(0)
    fitted = learn(table, "y", exclude=["weight"], random_state=0)
    shown = page(fitted, fitted.evaluate(table, groups="sex"))
    assert "By sex" in shown
    assert "of rows it was learned from the brackets say nothing" in shown
    unseen = page(fitted, fitted.evaluate(rows(1), groups="sex"), unseen=True)
    assert "of rows it was learned from the brackets say nothing" not in unseen
    assert "By sex" not in page(fitted)
