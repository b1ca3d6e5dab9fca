"""Using a fitted list: predictions, probabilities, explanations, evaluation."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samrule import evaluate, learn, open_table
from samrule.errors import ColumnError, InputError, InputTypeError
from samrule.rules import Condition, Rule, RuleList
from tests.learning.tables import people


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def fitted(table):
    return learn(table, "buys", max_rules=3, max_terms=2, random_state=0)


def decided_in_python(rule_list, table):
    """The oracle: row by row, condition by condition, in plain Python."""
    found = []
    for row in table.to_pylist():
        matching = (
            number
            for number, rule in enumerate(rule_list)
            if all(one.holds([row[one.column]])[0] for one in rule.conditions)
        )
        found.append(next(matching))
    return found


def forms(table, folder):
    pq.write_table(table, folder / "t.parquet", row_group_size=700)
    frame = table.to_pandas()
    frame.to_csv(folder / "t.csv", index=False)
    yield from (table, frame, pl.from_arrow(table), folder / "t.parquet", str(folder / "t.csv"))
    yield frame.sample(frac=1, random_state=0).sort_index()
    yield open_table(folder / "t.parquet")


def test_predictions_are_those_of_plain_python_whatever_holds_the_table(fitted, table, tmp_path):
    expected = decided_in_python(fitted.rule_list, table)
    assert len(set(expected)) > 2
    rules = list(fitted.rule_list)
    for form in forms(table, tmp_path):
        assert fitted.apply(form).tolist() == expected
        assert fitted.predict(form).tolist() == [rules[i].prediction for i in expected]


def test_probabilities_are_smoothed_class_shares(fitted, table):
    rule = fitted.rule_list.rules[0]
    found = fitted.predict_proba(table)[fitted.apply(table) == 0][0]
    assert found.tolist() == [
        pytest.approx((count + 1) / (sum(rule.class_counts) + 2)) for count in rule.class_counts
    ]
    assert np.allclose(fitted.predict_proba(table).sum(axis=1), 1)
    assert (fitted.predict_proba(table) > 0).all()


def test_only_the_columns_of_the_list_are_needed(fitted, table):
    expected = fitted.predict(table).tolist()
    assert set(fitted.columns) <= {"age", "city", "income"}
    assert fitted.predict(table.select(list(fitted.columns))).tolist() == expected
    broken = table.drop(["buys"]).append_column("buys", pa.array([[1]] * len(table)))
    assert fitted.predict(broken).tolist() == expected


def test_a_missing_column_is_named(fitted, table):
    renamed = table.rename_columns(["age", "City ", "income", "buys"])
    with pytest.raises(ColumnError, match="no column 'city'") as caught:
        fitted.predict(renamed)
    assert "City" in caught.value.hint


def test_a_column_of_another_kind_is_named(fitted, table):
    text = table.set_column(0, "age", pa.array(["old"] * len(table)))
    with pytest.raises(InputError, match="'age' holds string"):
        fitted.predict(text)


def test_levels_never_seen_are_not_covered():
    rules = RuleList(
        (Rule((Condition("city", "==", "Roma"),), "yes"),), Rule((), "no"), ("no", "yes")
    )
    fitted = replace(learn(people(200), "buys"), rule_list=rules)
    assert fitted.predict(pa.table({"city": ["Roma", "Atlantis", None]})).tolist() == [
        "yes",
        "no",
        "no",
    ]


def test_a_column_without_values_is_missing_everywhere():
    missing = Rule((Condition("age", "is missing"),), "yes")
    young = Rule((Condition("age", "<", 30),), "no")
    rules = RuleList((young, missing), Rule((), "no"), ("no", "yes"))
    fitted = replace(learn(people(200), "buys"), rule_list=rules)
    assert fitted.predict(pd.DataFrame({"age": [None, None]})).tolist() == ["yes", "yes"]
    assert fitted.predict(pa.table({"age": pa.array([], pa.int64())})).tolist() == []


def test_a_list_without_rules_needs_no_columns(fitted, table):
    empty = replace(fitted, rule_list=RuleList((), Rule((), "no", (3, 1)), ("no", "yes")))
    assert empty.columns == ()
    assert empty.predict(table).tolist() == ["no"] * len(table)
    assert empty.predict_proba(table)[0].tolist() == [4 / 6, 2 / 6]
    assert empty.predict(np.zeros((2, 1))).tolist() == ["no", "no"]


@pytest.mark.parametrize(
    ("classes", "kind"),
    [((False, True), "b"), ((0, 1), "i"), ((0.0, 0.5), "f"), (("no", "perhaps"), "U")],
)
def test_predictions_have_the_type_of_the_classes(classes, kind, table):
    labels = [classes[value == "yes"] for value in table["buys"].to_pylist()]
    found = learn(table.drop(["buys"]), labels, max_rules=1).predict(table)
    assert found.dtype.kind == kind
    assert set(found.tolist()) <= set(classes)


def test_explanations_follow_the_rules(fitted, table):
    for row, number in zip(table.slice(0, 300).to_pylist(), fitted.apply(table), strict=False):
        told = fitted.explain(row)
        assert told.rule_number == number
        assert told.prediction == list(fitted.rule_list)[number].prediction
        assert len(told.failed) == number
        for condition, rule in zip(told.failed, fitted.rule_list, strict=False):
            assert condition in rule.conditions
            assert not condition.holds([row[condition.column]])[0]
        assert f"Prediction: {told.prediction}, with probability" in str(told)


def test_explanations_in_words():
    young = Rule((Condition("age", "<", 30),), "no", (30, 8))
    local = Rule((Condition("city", "==", "Padova"), Condition("age", "<", 60)), "yes", (0, 8))
    rules = RuleList((young, local), Rule((), "no", (9, 9)), ("no", "yes"))
    fitted = replace(learn(people(200), "buys"), rule_list=rules)
    assert str(fitted.explain({"age": 40.0, "city": "Padova", "other": object()})) == (
        "Rule 1 does not apply: age < 30 does not hold (age is 40).\n"
        "Rule 2 applies: city = Padova (city is Padova) and age < 60 (age is 40).\n"
        "Prediction: yes, with probability 90.0%."
    )
    assert str(fitted.explain({"age": math.nan, "city": "Roma"})) == (
        "Rule 1 does not apply: age < 30 does not hold (age is missing).\n"
        "Rule 2 does not apply: city = Padova does not hold (city is Roma).\n"
        "No rule applies, so the default decides.\n"
        "Prediction: no, with probability 50.0%."
    )
    series = pd.DataFrame({"age": [20], "city": ["Roma"]}).iloc[0]
    assert fitted.explain(series).rule_number == 0


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ({"city": "Roma"}, ColumnError),
        ({"age": "old"}, InputError),
        ({"age": {1: 2}}, InputTypeError),
        ({"age": [1]}, InputError),
        ({"age": 2**80}, InputTypeError),
        ({"age": object}, InputTypeError),
        (["old"], InputTypeError),
    ],
    ids=repr,
)
def test_rows_that_cannot_be_explained_are_refused(row, error):
    rules = RuleList((Rule((Condition("age", "<", 30),), "no"),), Rule((), "no"), ("no", "yes"))
    fitted = replace(learn(people(200), "buys"), rule_list=rules)
    with pytest.raises(error) as caught:
        fitted.explain(row)
    assert caught.value.hint


def test_evaluate_takes_the_target_that_was_learned(fitted, table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet")
    expected = evaluate(fitted.rule_list, table, "buys").error_rate
    assert fitted.evaluate(table).error_rate == expected
    assert fitted.evaluate(tmp_path / "t.parquet").error_rate == expected
    assert fitted.evaluate(open_table(table, "buys")).error_rate == expected
    assert fitted.evaluate(table.drop(["buys"]), table["buys"].to_pylist()).error_rate == expected
    wrong = fitted.predict(table) != np.array(table["buys"].to_pylist())
    assert expected == pytest.approx(wrong.mean())


def test_text_shows_the_list_and_two_sentences(fitted):
    text = str(fitted)
    assert text.startswith("if ")
    assert "covers" in text
    assert "No rule list of this shape has a loss below" in text
    assert "It is therefore a best possible one, learned from 3,000 rows." in text
    n_conditions = len(fitted.conditions)
    assert f"at most 3 rules of at most 2 of the {n_conditions} conditions" in text


def test_a_class_that_ends_in_nul_is_predicted_whole():
    labels = ["\0", "a"] * 50
    fitted = learn(np.array([[0], [1]] * 50), labels)
    assert fitted.predict(np.array([[0], [1]])).tolist() == ["\0", "a"]
    assert fitted.classes == ("\0", "a")


@pytest.mark.parametrize("labels", [[1, "1"], [1, True], [0, True], ["a", 2.5]], ids=repr)
def test_classes_of_two_kinds_are_refused_not_merged(labels):
    with pytest.raises(InputTypeError, match="cannot be read as a column"):
        learn(np.array([[0], [1]] * 50), labels * 50)


def test_the_paper_s_rows_are_known_once() -> None:
    """Three classes and two terms, where two places used to differ."""
    from samrule.report.summarize import summary

    rng = np.random.default_rng(0)
    table, label = rng.integers(0, 10, (3000, 2)), rng.choice(["a", "b", "c"], 3000)
    asked = {"max_terms": 2, "max_rules": 1, "epsilon": 0.9, "theta": 0.5, "random_state": 0}
    fitted = learn(table, label, strategy="exact", **asked)
    drawn = learn(table, label, strategy="paper", binarizer=fitted.conditions, **asked)
    assert fitted.paper_rows == drawn.certificate.train_rows
    assert summary(fitted)["certificate"]["paper_rows"] == fitted.paper_rows


def test_what_the_model_counted_is_what_evaluate_counts_on_its_table(fitted, table):
    known, counted = fitted.evaluation, fitted.evaluate(table)
    assert known.error_rate == counted.error_rate
    assert [one.coverage for one in known.rules] == [one.coverage for one in counted.rules]
    assert np.array_equal(known.confusion, counted.confusion)


def test_a_model_without_row_counts_knows_no_evaluation_and_shows_plain_lines(fitted):
    *rules, default = (
        replace(rule, class_counts=(), weighted_counts=rule.class_counts)
        for rule in fitted.rule_list
    )
    unknown = replace(
        fitted, rule_list=replace(fitted.rule_list, rules=tuple(rules), default=default)
    )
    assert unknown.evaluation is None
    assert str(unknown).startswith(f"{unknown.rule_list}\n\n")


def test_every_row_drawn_is_accounted_for():
    drawn = learn(people(30_000), "buys", strategy="progressive", random_state=0)
    certificate = drawn.certificate
    used = certificate.pilot_rows + certificate.train_rows + drawn.validation_rows
    assert used + drawn.spare_rows == drawn.rows_used.drawn
    assert drawn.path == drawn.trace[1].path, "the last that tells"
    assert not drawn.was_interrupted
