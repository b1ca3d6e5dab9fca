"""Conditions: what they accept, how they print, compare and hash."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule.errors import ParameterError, SamruleError
from samrule.rules import ColumnType, Condition, Operator, Unit


def test_equal_conditions_hash_alike_whatever_numpy_type_they_came_in() -> None:
    assert Condition("age", ">=", np.int64(40)) == Condition("age", Operator.AT_LEAST, 40)
    assert len({Condition("age", ">=", np.int64(40)), Condition("age", ">=", 40)}) == 1


def test_yes_and_one_are_different_conditions() -> None:
    assert Condition("x", "==", True) != Condition("x", "==", 1)


def test_column_type_comes_from_the_value() -> None:
    assert Condition("x", "==", True).type is ColumnType.BOOLEAN
    assert Condition("x", ">=", 1.5).type is ColumnType.NUMBER
    assert Condition("x", "==", "a").type is ColumnType.TEXT
    assert Condition("x", "is missing").type is None
    assert Condition("x", "is missing", type="number").type is ColumnType.NUMBER


@given(st.floats(allow_nan=False), st.floats(allow_nan=True))
def test_number_is_at_least_or_less_or_missing(threshold: float, value: float) -> None:
    answers = [
        bool(condition.holds([value])[0])
        for condition in (
            Condition("x", ">=", threshold),
            Condition("x", "<", threshold),
            Condition("x", "is missing"),
        )
    ]
    assert sum(answers) == 1
    assert answers[2] == math.isnan(value)


def test_large_whole_numbers_and_decimals_compare_exactly() -> None:
    edge = 2**53
    column = np.array([edge, edge + 1, edge + 2])
    assert Condition("x", ">=", edge + 1).holds(column).tolist() == [False, True, True]
    assert Condition("x", ">=", edge + 0.0).holds(column).tolist() == [True, True, True]
    assert Condition("x", "<", Decimal("0.1")).holds([0.1]).tolist() == [False]
    assert Condition("x", "<", edge + 1).holds([float(edge)]).tolist() == [True]
    objects = np.array([edge, edge + 1, None, "text"], dtype=object)
    assert Condition("x", ">=", edge + 1).holds(objects).tolist() == [False, True, False, False]


def test_dates_have_an_order() -> None:
    days = np.array(["2021-02-28", "2021-03-01", "NaT"], dtype="M8[D]")
    assert Condition("x", "<", date(2021, 3, 1)).holds(days).tolist() == [True, False, False]
    assert Condition("x", ">=", datetime(2021, 3, 1)).holds(days).tolist() == [False, True, False]
    assert Condition("x", "is missing").holds(days).tolist() == [False, False, True]


def test_sets_are_equal_in_any_order_and_hold_each_value_once() -> None:
    assert Condition("x", "in", ["b", "a", "b"]) == Condition("x", "in", {"a", "b"})
    assert Condition("x", "in", [2, 1.0, 1]).value == (1.0, 2)
    assert Condition("x", "in", [date(2021, 3, 1)]).type == ColumnType.DATE


def test_an_interval_holds_from_its_lower_end_to_below_its_upper_one():
    ages = Condition("age", "within", [np.int64(20), 40.5])
    assert ages == Condition("age", "within", (20, 40.5))
    assert hash(ages) == hash(Condition("age", "within", (20, 40.5)))
    assert ages.type is ColumnType.NUMBER
    assert str(ages) == "20 <= age < 40.5"
    assert ages.parts == (Condition("age", ">=", 20), Condition("age", "<", 40.5))
    found = ages.holds([19, 20, 40, 40.5, float("nan"), float("inf")])
    assert found.tolist() == [False, True, True, False, False, False]
    days = Condition("day", "within", (date(2021, 3, 1), date(2021, 4, 1)))
    assert str(days) == "2021-03-01 <= day < 2021-04-01"
    assert Condition("x", "==", 3).parts == (Condition("x", "==", 3),)


def test_units_of_dates_and_moments_are_asked_for_by_name():
    weekend = Condition("day", "in", [7, 6], "date", "weekday")
    assert str(weekend) == "weekday(day) in {Saturday, Sunday}"
    assert weekend.type is ColumnType.DATE
    assert weekend.unit is Unit.WEEKDAY
    assert str(Condition("day", "==", 12, unit="month")) == "month(day) = December"
    assert str(Condition("at", "within", (22, 24), unit="hour")) == "22 <= hour(at) < 24"
    assert str(Condition("at", "!=", 1, unit="weekday")) == "weekday(at) != Monday"
    assert Condition("at", ">=", 6, unit="month") != Condition("at", ">=", 6)
    days = [date(2021, 3, 6), date(2021, 3, 8), None, "Saturday", 6]
    assert weekend.holds(days).tolist() == [True, False, False, False, False]
    moments = np.array(["2021-03-07T23:59:59.999999999", "NaT"], dtype="M8[ns]")
    late = Condition("at", ">=", 23, unit="hour")
    assert late.holds(moments).tolist() == [True, False]
    zoned = [datetime(2021, 3, 7, 23, tzinfo=UTC), date(2021, 3, 7), datetime(2021, 3, 7, 23)]
    assert late.holds(zoned).tolist() == [False, False, True]
    assert late.parts == (late,)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"op": "==", "value": 3, "unit": "year"}, "expected one of 'hour', 'weekday', 'month'"),
        ({"op": "==", "value": 26, "unit": "hour"}, "expected whole numbers from 0 to 23"),
        ({"op": "==", "value": 0, "unit": "weekday"}, "expected whole numbers from 1 to 7"),
        ({"op": "==", "value": 1.5, "unit": "month"}, "expected whole numbers from 1 to 12"),
        ({"op": "==", "value": True, "unit": "month"}, "expected whole numbers"),
        ({"op": "is missing", "unit": "month"}, "expected whole numbers"),
        ({"op": "==", "value": 3, "unit": "hour", "type": "date"}, "which has none"),
        ({"op": "==", "value": 3, "unit": "month", "type": "text"}, "which has none"),
    ],
)
def test_what_no_unit_can_be_is_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        Condition("x", **given)


@pytest.mark.parametrize(
    "ends",
    [
        (),
        (1,),
        (1, 2, 3),
        (2, 1),
        (1, 1),
        (1, "2"),
        "ab",
        5,
        None,
        (date(2021, 3, 1), 3),
        (0, True),
        (datetime(2021, 3, 1), datetime(2021, 3, 2, tzinfo=UTC)),
    ],
)
def test_other_ends_make_no_interval(ends):
    with pytest.raises(ParameterError, match="expected two ends of one kind"):
        Condition("x", "within", ends)


def test_intervals_need_an_order_and_no_nan():
    for ends in (("a", "b"), (False, True)):
        with pytest.raises(ParameterError, match="only numbers, dates and times have an order"):
            Condition("x", "within", ends)
    with pytest.raises(ParameterError, match="nothing equals NaN"):
        Condition("x", "within", (1, float("nan")))


def test_a_value_is_in_a_set_or_not_unless_it_is_missing() -> None:
    values = np.array(["a", "b", None, 1, [1]], dtype=object)
    inside = [True, False, False, False, False]
    outside = [False, True, False, True, True]
    assert Condition("x", "in", ["a", "c"]).holds(values).tolist() == inside
    assert Condition("x", "not in", ["a", "c"]).holds(values).tolist() == outside
    assert Condition("x", "!=", "a").holds(values).tolist() == outside
    moments = np.array(["2021-03-01", "NaT"], dtype="M8[ns]")
    assert Condition("x", "in", [date(2021, 3, 1)]).holds(moments).tolist() == [True, False]


def test_missing_values_make_every_comparison_false() -> None:
    missing = np.array([None, math.nan], dtype=object)
    for condition in (Condition("x", ">=", 0), Condition("x", "<", 0), Condition("x", "==", 0)):
        assert not condition.holds(missing).any()
    assert not Condition("x", "==", "a").holds([None, "b"]).any()
    assert Condition("x", "is missing").holds([None, "b"]).tolist() == [True, False]
    assert not Condition("x", "is missing").holds([1, 2]).any()


def test_yes_no_condition_reads_zero_one_columns() -> None:
    column = np.array([0, 1, 1], dtype=np.uint8)
    assert Condition("smoker", "==", True).holds(column).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("age", ">", 3), "'>'"),
        (("age", ">=", math.nan), "nan"),
        (("age", "=="), "None"),
        (("age", "is missing", 3), "3"),
        (("city", ">=", "Padova"), "'Padova'"),
        (("smoker", "<", True), "True"),
        (("age", "==", [3]), "[3]"),
        (("age", "in", []), "[]"),
        (("age", "in", "abc"), "'abc'"),
        (("age", "not in", None), "None"),
        (("age", "in", [3, "a"]), "[3, 'a']"),
        (("age", "in", [3, None]), "None"),
        (("age", "in", [3, math.nan]), "nan"),
        (("seen", "in", [datetime(2021, 3, 1), datetime(2021, 3, 1, tzinfo=UTC)]), "datetime"),
        (("city", "in", ["a"], "number"), "'a'"),
        (("age", "==", 3, "text"), "3"),
        (("age", "==", 3, "colour"), "'colour'"),
        ((3, "==", 3), "3"),
        (("a\0b", "==", 3), r"'a\x00b'"),
    ],
)
def test_bad_condition_says_what_and_what_to_do(arguments: tuple, value: str) -> None:
    with pytest.raises(SamruleError) as caught:
        Condition(*arguments)
    assert value in caught.value.message
    assert "\nHint: " in str(caught.value)
    assert isinstance(caught.value, ValueError | TypeError)
