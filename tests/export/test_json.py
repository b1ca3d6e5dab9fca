"""JSON of a rule list reads back equal, type by type; what else it may say is refused."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from samrule import Condition, Rule, RuleList
from samrule.errors import InputError
from tests.export.made_tables import tables_and_lists


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables_and_lists())
def test_every_list_reads_back_equal(made: Any) -> None:
    _, _, rule_list = made
    text = rule_list.to_json()
    assert text.isascii()
    for found in (RuleList.from_json(text), RuleList.from_json(text.encode())):
        assert found == rule_list
        assert kinds(found) == kinds(rule_list)


def kinds(rule_list: RuleList) -> list[type]:
    """The types, which == does not see: 4 and 4.0 are equal."""
    values = [one.value for rule in rule_list for one in rule.conditions]
    return [type(one) for one in [*values, *(rule.prediction for rule in rule_list)]]


def test_half_a_surrogate_pair_survives() -> None:
    rules = RuleList(
        (Rule((Condition("\ud800", "==", "\udfff"),), "a"),), Rule((), "b"), ("a", "b")
    )
    assert RuleList.from_json(rules.to_json()) == rules


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "NaN", '{"classes": [], "classes": []}', b"\xff", "[" * 100_000, "null"],
)
def test_what_is_no_rule_list_is_an_error(text: Any) -> None:
    with pytest.raises(InputError):
        RuleList.from_json(text)
