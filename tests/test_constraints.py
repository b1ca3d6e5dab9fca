"""What people ask of a list: checked in one place, said in the same words everywhere."""

from typing import Any

import numpy as np
import pytest

from samrule import Condition, Rule, RuleList, solve
from samrule.constraints import NO_CONSTRAINTS, Constraints, checked_constraints, side_of
from samrule.errors import ParameterError, ParameterTypeError, SamruleError

YOUNG = Condition("age", "<", 25)
REFUSED = Rule((YOUNG,), "no")


def test_everything_is_said_in_words() -> None:
    asked = checked_constraints(
        forbid=["zip", YOUNG, ("age", "sex")],
        require="income",
        at_most={"income": 1, "age": 2},
        first=REFUSED,
        last=[Rule((YOUNG,), None)],
        monotone={"income": 1, "debt": -1},
        max_columns=3,
        together=[("height", "weight")],
    )
    assert str(asked).split("; ") == [
        "forbid zip",
        "forbid age < 25",
        "forbid age with sex",
        "require income",
        "at most 1 rule on income",
        "at most 2 rules on age",
        "first if age < 25 then no",
        "last if age < 25",
        "monotone income (+1)",
        "monotone debt (-1)",
        "at most 3 columns",
        "height and weight together or not at all",
    ]
    assert len(list(asked.each())) == 12
    assert checked_constraints(**asked.parameters()) == asked


def test_leaving_all_out_one_by_one_leaves_none() -> None:
    asked = checked_constraints(forbid=["a", ("b", "c")], monotone={"d": 1}, max_columns=2)
    while asked:
        _, asked = next(asked.each())
    assert asked == NO_CONSTRAINTS
    assert str(asked) == "none"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"forbid": 3}, "forbid has 3 (int)"),
        ({"forbid": [3]}, "forbid has 3 (int)"),
        ({"forbid": ["a", "a"]}, "forbid names 'a' more than once"),
        ({"forbid": [("a",)]}, "two different columns or more"),
        ({"forbid": [("a", "a")]}, "two different columns or more"),
        ({"forbid": [("a", 3)]}, "forbid has 3 (int)"),
        ({"require": [("a", "b")]}, "require has ('a', 'b') (tuple)"),
        ({"at_most": ["income"]}, "a number of rules per column"),
        ({"at_most": {"income": -1}}, "at_most is -1"),
        ({"at_most": {"income": 1.5}}, "at_most is 1.5"),
        ({"monotone": {"income": 2}}, "monotone has 2; expected 1 or -1"),
        ({"monotone": {"income": True}}, "monotone has True; expected 1 or -1"),
        ({"monotone": {"size": ["low"]}}, "monotone has ['low']; expected 1 or -1, or different"),
        ({"monotone": {"size": ["low", "low"]}}, "or different levels of a column in order"),
        ({"monotone": {"size": "low"}}, "monotone has 'low'; expected 1 or -1"),
        ({"monotone": {"size": [1, 2]}}, "monotone has [1, 2]; expected 1 or -1"),
        ({"first": "if age < 25"}, "expected Rule objects"),
        ({"last": [Rule((), "no")]}, "a rule without conditions"),
        ({"first": REFUSED, "forbid": ["age"]}, "but forbid names 'age'"),
        ({"max_columns": -1}, "max_columns is -1"),
        ({"together": ["ab"]}, "together has 'ab' (str)"),
    ],
    ids=str,
)
def test_nonsense_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SamruleError) as refused:
        checked_constraints(**given)
    assert isinstance(refused.value, ParameterError | ParameterTypeError)
    assert words in str(refused.value)
    assert refused.value.parameter in given
    assert refused.value.hint


@pytest.mark.parametrize(
    ("condition", "side"),
    [
        (Condition("x", ">=", 3), 1),
        (Condition("x", "<", 3), -1),
        (Condition("x", "==", True), 1),
        (Condition("x", "==", False), -1),
        (Condition("x", "!=", True), -1),
        (Condition("x", "is missing"), 0),
        (Condition("x", "==", 3), None),
        (Condition("x", "in", ["a", "b"]), None),
    ],
    ids=str,
)
def test_sides_of_conditions(condition: Condition, side: int | None) -> None:
    assert side_of(condition, 1) == side
    assert side_of(condition, -1) == (None if side is None else -side)


@pytest.mark.parametrize(
    ("condition", "side"),
    [
        (Condition("size", "==", "high"), 1),
        (Condition("size", "==", "low"), -1),
        (Condition("size", "==", "mid"), None),
        (Condition("size", "!=", "low"), 1),
        (Condition("size", "in", ["high", "mid"]), 1),
        (Condition("size", "not in", ["high", "mid"]), -1),
        (Condition("size", "in", ["high", "low"]), None),
        (Condition("size", "in", ["elsewhere"]), 0),
        (Condition("size", "not in", ["elsewhere"]), 0),
        (Condition("size", "is missing"), 0),
        (Condition("size", ">=", 3), None),
    ],
    ids=str,
)
def test_sides_of_levels_in_order(condition: Condition, side: int | None) -> None:
    assert side_of(condition, ("low", "mid", "high")) == side
    assert side_of(condition, ("high", "mid", "low")) == (None if side is None else -side)


def test_a_list_is_asked_whether_it_obeys() -> None:
    rich = Rule((Condition("income", ">=", 50),), "yes")
    rules = RuleList((REFUSED, rich), Rule((), "no"), ("no", "yes"))
    obeyed: list[dict[str, Any]] = [
        {"first": REFUSED, "last": rich},
        {"require": ["age", "income >= 50"]},
        {"monotone": {"income": 1, "age": 1}},
        {"together": [("age", "income")], "max_columns": 2, "at_most": {"age": 1}},
        {"forbid": ["zip", ("age", "zip")]},
    ]
    broken: list[dict[str, Any]] = [
        {"first": rich},
        {"last": [REFUSED, REFUSED, REFUSED]},
        {"first": Rule((YOUNG,), "yes")},
        {"require": "zip"},
        {"monotone": {"age": -1}},
        {"together": [("age", "zip")]},
        {"max_columns": 1},
        {"at_most": {"age": 0}},
        {"forbid": ["income >= 50"]},
        {"forbid": [("age", "income")]},
    ]
    assert all(checked_constraints(**one).obeyed_by(rules) for one in obeyed)
    assert not any(checked_constraints(**one).obeyed_by(rules) for one in broken)
    assert Constraints().obeyed_by(rules)


TABLE = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]], dtype=bool)
LABELS = ["yes", "yes", "no", "no"]
NAMES = [Condition("age", ">=", 40), Condition("age", "<", 20), Condition("sex", "==", "f")]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"forbid": ["agee"]}, "forbid names 'agee', which is neither a column nor a condition"),
        ({"require": ["zip"]}, "require names 'zip'"),
        ({"at_most": {"zip": 1}}, "at_most names 'zip'"),
        ({"together": [("age", "zip")]}, "together names 'zip'"),
        ({"first": Rule((YOUNG,), "no")}, "'age < 25' is none of the 3 conditions given"),
        ({"first": Rule((NAMES[0],), "maybe")}, "predicts 'maybe'; the classes are 'no', 'yes'"),
        (
            {"first": Rule((NAMES[0],), "no"), "monotone": {"age": 1}},
            "which monotone does not allow",
        ),
        ({"monotone": {"sex": 1}}, "no condition on it asks for high or low values: sex = f"),
        ({"first": [Rule((NAMES[0],), "no")] * 5}, "max_rules is 4, but 5 rules are fixed"),
        ({"require": "sex", "max_columns": 0}, "without 'require sex' or 'at most 0 columns'"),
        ({"require": ["sex", "age"], "max_rules": 0}, "leave more than one"),
    ],
    ids=str,
)
def test_solve_says_what_cannot_be_met(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError) as refused:
        solve(TABLE, LABELS, names=NAMES, **given)
    assert words in str(refused.value)


def test_three_classes_have_no_direction() -> None:
    with pytest.raises(ParameterError, match="there are 3 classes; expected two"):
        solve(TABLE, [0, 1, 2, 2], names=NAMES, monotone={"age": 1})


def test_a_condition_is_named_by_how_it_reads() -> None:
    found = solve(TABLE, LABELS, names=NAMES, forbid=["age >= 40"])
    assert "age >= 40" not in str(found.rule_list)
