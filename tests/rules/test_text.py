"""How conditions, rules and lists print."""

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import numpy as np
import pytest

from samrule.rules import Condition, Rule, RuleList


def test_list_reads_as_if_else_if_else() -> None:
    young, smoker = Condition("age", "<", 25), Condition("smoker", "==", True)
    rules = (Rule((young, smoker), "high"), Rule((smoker,), "low"))
    rule_list = RuleList(rules, Rule((), "low"), ("low", "high"))
    assert str(rule_list) == ("if age < 25 and smoker then high\nelse if smoker then low\nelse low")


def test_list_without_rules_says_always() -> None:
    assert str(RuleList((), Rule((), "no"), ("no", "yes"))) == "always no"


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition("age", ">=", 40), "age >= 40"),
        (Condition("age", ">=", 40.0), "age >= 40"),
        (Condition("age", "<", np.float64(0.1)), "age < 0.1"),
        (Condition("age", "<", math.inf), "age < inf"),
        (Condition("city", "==", "Padova"), "city = Padova"),
        (Condition("zip", "==", "35100"), "zip = '35100'"),
        (Condition("answer", "==", ""), "answer = ''"),
        (Condition("answer", "==", "yes and no"), "answer = 'yes and no'"),
        (Condition("price", ">=", Decimal("1.50")), "price >= 1.50"),
        (Condition("signup", "<", date(2021, 3, 1)), "signup < 2021-03-01"),
        (Condition("seen", "<", datetime(2021, 3, 1)), "seen < 2021-03-01"),
        (Condition("seen", "<", datetime(2021, 3, 1, 12, 30)), "seen < 2021-03-01 12:30"),
        (Condition("seen", "<", datetime(2021, 3, 1, tzinfo=UTC)), "seen < 2021-03-01 00:00+00:00"),
        (Condition("opens", ">=", time(9, 30)), "opens >= 09:30:00"),
        (Condition("smoker", "==", True), "smoker"),
        (Condition("smoker", "==", np.bool_(False)), "not smoker"),
        (Condition("smoker", "!=", True), "not smoker"),
        (Condition("age", "!=", 3), "age != 3"),
        (Condition("city", "in", ["Roma", "a, b", "35100"]), "city in {'35100', Roma, 'a, b'}"),
        (Condition("n", "not in", range(9)), "n not in {0, 1, 2, 3, 4 and 4 more}"),
        (Condition("age", "is missing"), "age is missing"),
    ],
)
def test_condition_prints_as_people_read_it(condition: Condition, text: str) -> None:
    assert str(condition) == text
