"""Rules and rule lists: what they accept, how they print, compare and hash."""

import pickle

import pytest

from samrule.errors import SamruleError
from samrule.rules import Condition, Rule, RuleList

YOUNG = Condition("age", "<", 25)
SMOKER = Condition("smoker", "==", True)


def two_rules() -> RuleList:
    return RuleList(
        rules=(Rule((YOUNG, SMOKER), "high", (1, 3)), Rule((SMOKER,), "low", (6, 2))),
        default=Rule((), "low", (9, 0)),
        classes=("low", "high"),
    )


def test_rule_knows_its_support_and_probabilities() -> None:
    rule = Rule((YOUNG,), "high", (1, 3))
    assert rule.support == 4
    assert rule.probabilities == (0.25, 0.75)


def test_rule_that_decided_nothing_has_no_opinion() -> None:
    assert Rule((YOUNG,), "low", (0, 0)).probabilities == (0.5, 0.5)
    assert Rule((YOUNG,), "low").probabilities == ()


def test_list_knows_its_error_rate() -> None:
    assert two_rules().support == 21
    assert two_rules().error_rate == (1 + 2) / 21
    assert RuleList((), Rule((), "no"), ("no",)).error_rate == 0


def test_lists_are_values() -> None:
    assert two_rules() == two_rules()
    assert hash(two_rules()) == hash(two_rules())
    assert pickle.loads(pickle.dumps(two_rules())) == two_rules()
    with pytest.raises(AttributeError):
        two_rules().rules = ()  # type: ignore[misc]


def test_list_yields_its_default_last() -> None:
    rules = two_rules()
    assert list(rules) == [*rules.rules, rules.default]
    assert rules.n_rules == 2


@pytest.mark.parametrize(
    ("rules", "default", "classes", "value"),
    [
        ((), Rule((YOUNG,), "no"), ("no", "yes"), "age < 25"),
        ((Rule((), "no"),), Rule((), "no"), ("no", "yes"), "always no"),
        ((), Rule((), "maybe"), ("no", "yes"), "'maybe'"),
        ((), Rule((), "no"), ("no", "no"), "('no', 'no')"),
        ((), Rule((), "no", (1, 2, 3)), ("no", "yes"), "3"),
    ],
)
def test_bad_list_says_what_and_what_to_do(
    rules: tuple, default: Rule, classes: tuple, value: str
) -> None:
    with pytest.raises(SamruleError) as caught:
        RuleList(rules, default, classes)
    assert value in caught.value.message
    assert "\nHint: " in str(caught.value)


def test_rule_takes_conditions_only() -> None:
    with pytest.raises(TypeError, match="age < 25"):
        Rule(("age < 25",), "yes")  # type: ignore[arg-type]


def test_a_list_has_a_line_per_rule_whatever_its_texts_hold() -> None:
    rule = Rule((Condition("a\nb", "==", "x\ny"),), "yes\nno")
    rule_list = RuleList((rule,), Rule((), "no\n"), ("yes\nno", "no\n"))
    assert len(rule_list.lines) == 2
    assert "\n".join(rule_list.lines) == str(rule_list)
    assert str(rule_list).count("\n") == 1
