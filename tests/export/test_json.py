"""JSON round trips, and refuses what it did not write."""

import json
import math
import zoneinfo
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.errors import InputError, InputTypeError, SamruleError
from samrule.export.json import (
    condition_from_dict,
    condition_to_dict,
    rule_list_from_dict,
    rule_list_to_dict,
    value_from_json,
    value_to_json,
)
from samrule.rules import Condition, Rule, RuleList

ZONES = st.sampled_from(
    [UTC, timezone(timedelta(hours=-3, minutes=-30)), zoneinfo.ZoneInfo("Europe/Rome")]
)
NAMES = st.text().filter(lambda name: "\0" not in name)
VALUES = st.one_of(
    st.booleans(),
    st.integers(),
    st.integers(2**53 - 2, 2**53 + 2),
    st.floats(allow_nan=False),
    st.integers(-5, 5).map(float),
    st.decimals(allow_nan=False),
    st.text(),
    st.dates(),
    st.datetimes(),
    st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=ZONES, allow_imaginary=False),
    st.times(),
)


def through_text(data: object) -> object:
    return json.loads(json.dumps(data))


@given(VALUES | st.none())
def test_every_value_comes_back_with_its_type(value):
    found = value_from_json(through_text(value_to_json(value)))
    assert type(found) is type(value)
    if isinstance(value, datetime | time):
        assert (found, str(found.tzinfo)) == (value, str(value.tzinfo))
    else:
        assert repr(found) == repr(value)


@given(VALUES | st.none())
def test_no_value_rests_on_how_a_reader_holds_numbers(value):
    """A reader that knows doubles alone, and writes 4.0 as 4, loses nothing."""
    as_javascript = json.loads(json.dumps(value_to_json(value)), parse_int=lambda x: int(float(x)))
    assert value_from_json(as_javascript) == value


@given(NAMES, VALUES)
def test_conditions_come_back(column, value):
    condition = Condition(column, "==", value)
    found = condition_from_dict(through_text(condition_to_dict(condition)))
    assert found == condition
    assert type(found.value) is type(value)
    among = Condition(column, "in", [value])
    assert condition_from_dict(through_text(condition_to_dict(among))) == among
    missing = Condition(column, "is missing", type=condition.type)
    assert condition_from_dict(through_text(condition_to_dict(missing))) == missing


LIST = RuleList(
    (Rule((Condition("x", ">=", 4.0), Condition("y", "is missing")), 2, (1, 2.5, 0)),),
    Rule((), "two", (3, 4, 5)),
    (2, "two", date(2021, 3, 1)),
)


def test_rule_lists_come_back():
    found = rule_list_from_dict(through_text(rule_list_to_dict(LIST)))
    assert found == LIST
    assert str(found) == str(LIST)


@pytest.mark.parametrize("value", [math.nan, Decimal("nan"), b"bytes", (1, 2), 1j])
def test_values_that_json_cannot_say_are_refused(value):
    with pytest.raises(InputTypeError, match="cannot be written as JSON"):
        value_to_json(value)


@pytest.mark.parametrize(
    "data",
    [
        math.nan,
        math.inf,
        [1],
        {},
        {"float": 4},
        {"float": "nan"},
        {"float": "four"},
        {"decimal": "one"},
        {"decimal": "nan"},
        {"integer": "1.5"},
        {"integer": "9" * 10_000},
        {"date": "2021-13-01"},
        {"time": "25:00"},
        {"datetime": "yesterday"},
        {"datetime": "2021-01-01T00:00:00", "zone": "Europe/Rome"},
        {"datetime": "2021-01-01T00:00:00+00:00", "zone": "Nowhere/Land"},
        {"datetime": "2021-01-01T00:00:00+00:00", "zone": "../../etc/passwd"},
        {"date": "2021-01-01", "zone": "Europe/Rome"},
        {"date": "2021-01-01", "time": "12:00"},
        {"eval": "1"},
    ],
    ids=repr,
)
def test_values_that_nobody_wrote_are_refused(data):
    with pytest.raises(InputError, match=r"^the cut"):
        value_from_json(data, "the cut")


def changed(path: list[object], value: object) -> object:
    """The list's JSON with one place changed; deleted if the value is `...`."""
    data = through_text(rule_list_to_dict(LIST))
    place = data
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


RULE = ["rules", 0]
CONDITION = [*RULE, "conditions", 0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["classes"], ...),
        (["classes"], "ab"),
        (["classes"], [2, 2, 3]),
        (["rules"], {}),
        (["default"], None),
        (["extra"], 1),
        (RULE, "if x then y"),
        ([*RULE, "prediction"], "three"),
        ([*RULE, "prediction"], ...),
        ([*RULE, "class_counts"], [1]),
        ([*RULE, "class_counts"], [1, -2, 0]),
        ([*RULE, "class_counts"], [1, True, 0]),
        ([*RULE, "class_counts"], [1, "2", 0]),
        ([*RULE, "class_counts"], [1, math.inf, 0]),
        ([*RULE, "conditions"], []),
        ([*RULE, "code"], "print()"),
        ([*CONDITION, "op"], "<>"),
        ([*CONDITION, "op"], ["<"]),
        ([*CONDITION, "op"], "is missing"),
        ([*CONDITION, "column"], 3),
        ([*CONDITION, "column"], "a\0b"),
        ([*CONDITION, "value"], ...),
        ([*CONDITION, "value"], {"list": []}),
        ([*CONDITION, "type"], "text"),
        ([*CONDITION, "type"], {"a": 1}),
        (["default", "conditions"], [{"column": "x", "op": "is missing"}]),
    ],
    ids=repr,
)
def test_what_is_no_rule_list_is_refused(path, value):
    with pytest.raises(SamruleError):
        rule_list_from_dict(changed(path, value))


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_what_is_no_object_is_refused(data):
    with pytest.raises(InputError, match="expected an object"):
        rule_list_from_dict(data)


@given(NAMES, VALUES, st.lists(VALUES, min_size=1, unique=True))
def test_json_text_reads_back_equal_type_by_type(column, value, classes):
    rule = Rule((Condition(column, "==", value),), classes[0], (1.5,) * len(classes))
    rule_list = RuleList((rule,), Rule((), classes[-1]), tuple(classes))
    text = rule_list.to_json()
    assert text.isascii()
    for found in (RuleList.from_json(text), RuleList.from_json(text.encode())):
        assert found == rule_list
        assert list(map(type, found.classes)) == list(map(type, classes))


def test_half_a_surrogate_pair_survives():
    rule = Rule((Condition("\ud800", "==", "\udfff"),), "a")
    rule_list = RuleList((rule,), Rule((), "b"), ("a", "b"))
    assert RuleList.from_json(rule_list.to_json()) == rule_list


def test_a_key_that_comes_twice_is_refused():
    with pytest.raises(InputError, match="twice"):
        RuleList.from_json(LIST.to_json().replace("{", '{"classes": [],', 1))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "NaN", b"\xff", "[" * 100_000, "null", '{"classes": [NaN]}']
)
def test_text_that_is_no_rule_list_is_refused(text):
    with pytest.raises(InputError):
        RuleList.from_json(text)
