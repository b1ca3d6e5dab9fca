"""Exact quality of a list on a whole table: weights, strange classes, what is turned away."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from samrule import Condition, Rule, RuleList, evaluate, learn, open_table
from samrule.errors import ParameterError, ParameterTypeError, TargetError
from samrule.evaluation import evaluation_of_counts

OLD = RuleList((Rule((Condition("age", ">=", 40),), "yes"),), Rule((), "no"), ("no", "yes"))
TABLE = pa.table(
    {
        "age": [20, 50, 60, 30, 70],
        "class": ["no", "yes", "no", "yes", "maybe"],
        "weight": [1.0, 2.0, 3.0, 0.5, 0.0],
    }
)


@pytest.fixture(params=["memory", "duckdb"])
def table(request: pytest.FixtureRequest):
    return TABLE if request.param == "memory" else duckdb.connect().from_arrow(TABLE)


def test_every_row_counts_once(table) -> None:
    found = evaluate(OLD, table, "class")
    assert (found.n_rows, found.weight, found.error_rate, found.accuracy) == (5, 5, 0.6, 0.4)
    assert found.classes == ("no", "yes", "maybe")
    assert found.confusion.tolist() == [[1, 1, 0], [1, 1, 0], [0, 1, 0]]
    assert [one.n_rows for one in found.rules] == [3, 2]
    assert [one.accuracy for one in found.rules] == [1 / 3, 0.5]


def test_rows_count_by_their_weight(table) -> None:
    found = evaluate(OLD, table, "class", weights="weight")
    assert found.n_rows == 5
    assert found.weight == 6.5
    assert found.error_rate == 3.5 / 6.5
    assert [one.coverage for one in found.rules] == [5 / 6.5, 1.5 / 6.5]


def test_source_knows_its_target_and_weights(table) -> None:
    source = open_table(table, "class", weights="weight")
    assert evaluate(OLD, source).error_rate == 3.5 / 6.5


def test_arrays_may_stand_beside_a_table_in_memory() -> None:
    ages = TABLE.select(["age"])
    found = evaluate(OLD, ages, TABLE["class"].to_numpy(), TABLE["weight"].to_numpy())
    assert found.error_rate == 3.5 / 6.5


def test_a_model_in_place_of_its_list_is_told_its_own_way() -> None:
    model = learn(TABLE.slice(0, 4), "class", random_state=0)
    with pytest.raises(ParameterTypeError, match=r"got a FittedRuleList.*\n.*model\.evaluate"):
        evaluate(model, TABLE, "class")  # type: ignore[arg-type]


def test_list_without_rules_is_its_default(table) -> None:
    assert evaluate(RuleList((), Rule((), "no"), ("no",)), table, "class").error_rate == 0.6


def test_missing_classes_and_targets_are_told(table) -> None:
    with pytest.raises(ParameterError, match="no target"):
        evaluate(OLD, table)
    gaps = TABLE.set_column(1, "class", pa.array(["no", None, "no", "yes", None]))
    for given in (gaps, duckdb.connect().from_arrow(gaps)):
        with pytest.raises(TargetError, match="missing in 2 of 5 rows"):
            evaluate(OLD, given, "class")


def test_only_the_columns_in_use_are_read(tmp_path: Path) -> None:
    """Another column holds a value that cannot be read; nobody notices."""
    lines = [f"{age},{'yes' if age >= 40 else 'no'},{age}" for age in np.arange(30_000) % 80]
    path = tmp_path / "t.csv"
    path.write_text("age,class,rest\n" + "\n".join([*lines, "50,yes,not a number"]) + "\n")
    assert evaluate(OLD, path, "class").error_rate == 0


def test_the_roc_curve_goes_from_corner_to_corner() -> None:
    table = pa.table({"age": [20, 30, 50, 60], "class": ["no", "yes", "yes", "yes"]})
    counts = (Rule((Condition("age", ">=", 40),), "yes", (1, 3)), Rule((), "no", (4, 2)))
    found = evaluate(RuleList(counts[:1], counts[1], ("no", "yes")), table, "class")
    assert found.roc_curve[0].tolist() == [0, 0]
    assert found.roc_curve[-1].tolist() == [1, 1]
    without = evaluate(OLD, table, "class")
    assert without.roc_curve is without.reliability_curve is None, "it knows no probabilities"
    assert without.recall_at_precision(0.5) is None


def test_reliability_sets_what_rules_say_beside_what_is_so() -> None:
    table = pa.table({"age": [20, 30, 50, 60], "class": ["no", "yes", "yes", "yes"]})
    old, rest = Rule((Condition("age", ">=", 40),), "yes", (1, 3)), Rule((), "no", (4, 2))
    found = evaluate(RuleList((old,), rest, ("no", "yes")), table, "class")
    assert found.reliability_curve.tolist() == [[4 / 6, 1.0, 2.0], [3 / 8, 0.5, 2.0]]
    assert found.recall_at_precision(0.75) == (0.0, 1.0)
    assert found.recall_at_precision(0.9) == (0.0, pytest.approx(2 / 3))
    with pytest.raises(ParameterError, match="precision is 0; expected"):
        found.recall_at_precision(0)


def test_counts_of_a_list_are_an_evaluation_too() -> None:
    rules = (Rule((Condition("age", ">=", 40),), "yes", (1, 3)), Rule((), "no"))
    found = evaluation_of_counts(RuleList(rules[:1], rules[1], ("no", "yes")))
    assert (found.n_rows, found.error_rate, found.rules[0].n_right) == (4, 0.25, 3)
    assert np.isnan(found.rules[1].accuracy)
    assert evaluation_of_counts(OLD) is None


def test_lifts_tell_how_rules_raise_the_rate_of_a_rare_class() -> None:
    rules = (
        Rule((Condition("age", ">=", 40),), "yes", (60, 20)),
        Rule((Condition("age", "<", 0),), "yes", (0, 0)),
    )
    found = evaluation_of_counts(RuleList(rules, Rule((), "no", (320, 0)), ("no", "yes")))
    assert found.rare_class == "yes"
    assert (found.lifts[0].rate, found.lifts[0].lift) == (0.25, 5.0)
    assert np.isnan(found.lifts[1].rate)
    assert str(found.lifts[1]) == "-"
    assert found.lifts[2].rate == 0


def test_classes_that_are_not_rare_have_no_lifts() -> None:
    even = RuleList((), Rule((), "no", (30, 10)), ("no", "yes"))
    assert evaluation_of_counts(even).lifts is evaluation_of_counts(even).rare_class is None
    three = RuleList((), Rule((), "no", (30, 1, 1)), ("no", "yes", "maybe"))
    assert evaluation_of_counts(three).lifts is None
    one = RuleList((), Rule((), "no", (30, 0)), ("no", "yes"))
    assert evaluation_of_counts(one).lifts is None
