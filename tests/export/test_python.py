"""The Python we write runs alone, gives each class back as it was, and runs nothing else."""

import ast
import math
import subprocess
import sys
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samrule import Condition, Rule, RuleList
from samrule.errors import ParameterTypeError
from samrule.rules.meaning import condition_mask
from tests.export.made_tables import LABELS, NAMES, TEXTS


def predict_of(rule_list: RuleList) -> Any:
    names: dict[str, Any] = {}
    exec(rule_list.to_python(), names)
    return names["predict"]


def one_rule(condition: Condition, prediction: Any = True, default: Any = False) -> RuleList:
    return RuleList((Rule((condition,), prediction),), Rule((), default), (prediction, default))


def test_it_runs_in_an_interpreter_that_knows_nothing_of_us() -> None:
    rules = one_rule(Condition("when", ">=", datetime(2020, 1, 1, tzinfo=UTC)), "new", "old")
    program = rules.to_python() + (
        "\nfrom datetime import datetime, timezone\n"
        "print(predict({'when': datetime(2021, 1, 1, tzinfo=timezone.utc)}),"
        " predict({'when': None}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "new old\n"


@given(NAMES, st.one_of(*LABELS, TEXTS, st.floats(allow_nan=False)), TEXTS)
def test_names_values_and_classes_are_literals_and_nothing_more(
    name: str, label: Any, text: str
) -> None:
    source = one_rule(Condition(name, "==", text), (label, 1)[0], "other").to_python()
    assert all(line.isprintable() for line in source.split("\n"))
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    names: dict[str, Any] = {}
    exec(source, names)
    assert set(names) == {"__builtins__", "predict"}
    found = names["predict"]({name: text})
    assert found == label
    assert type(found) is type(label)
    assert names["predict"]({name: text + "x"}) == "other"


def test_ten_thousand_levels_are_told_apart() -> None:
    levels = [f"level '{number}'" for number in range(10_000)]
    rules = tuple(Rule((Condition("level", op, levels[1::2]),), op) for op in ("in", "not in"))
    predict = predict_of(RuleList(rules, Rule((), "else"), ("in", "not in", "else")))
    found = [predict({"level": one}) for one in [*levels[:50], "LEVEL '1'", "level '1' ", "", None]]
    assert found == [*["not in", "in"] * 25, *["not in"] * 3, "else"]


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (np.int64(3), 3),
        (np.str_("a"), "a"),
        (np.datetime64("2021-03-01T12", "ns"), datetime(2021, 3, 1, 12)),
        (Colour.RED, "red"),
        (Decimal("0.10"), Decimal("0.10")),
        (time(1, 2, 3, 4), time(1, 2, 3, 4)),
        (-math.inf, -math.inf),
        (2**70, 2**70),
        (None, None),
    ],
)
def test_classes_of_every_kind_come_back(label: Any, expected: Any) -> None:
    found = predict_of(RuleList((), Rule((), label), (label,)))({})
    assert found == expected
    assert type(found) is type(expected)


def test_classes_that_have_no_literal_are_an_error() -> None:
    with pytest.raises(ParameterTypeError, match="tuple"):
        RuleList((), Rule((), (1, 2)), ((1, 2),)).to_python()


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        (Condition("x", ">=", 2.0**53), np.int64(2**53 + 1), True),
        (Condition("x", "==", 2.0**53), np.int64(2**53 + 1), False),
        (Condition("x", "==", 0.1), np.float32(0.1), False),
        (Condition("x", "<", datetime(2021, 1, 1)), np.datetime64("2020-06-01", "ns"), True),
        (Condition("x", "<", datetime(2021, 1, 1)), pd.Timestamp("2020-06-01"), True),
        (Condition("x", ">=", datetime(2021, 1, 1)), date(2021, 1, 1), True),
        (Condition("x", "is missing"), pd.NA, True),
        (Condition("x", "is missing"), pd.NaT, True),
        (Condition("x", "is missing"), np.datetime64("NaT", "ns"), True),
        (Condition("x", "is missing"), Decimal("sNaN"), True),
        (Condition("x", ">=", 0), pd.NA, False),
        (Condition("x", ">=", 0), Decimal("NaN"), False),
        (Condition("x", ">=", 0), "9", False),
    ],
)
def test_values_of_numpy_and_pandas_compare_exactly(
    condition: Condition, value: Any, expected: bool
) -> None:
    assert predict_of(one_rule(condition))({"x": value}) is expected


def test_a_column_that_is_not_there_is_an_error_not_a_missing_value() -> None:
    with pytest.raises(KeyError, match="age"):
        predict_of(one_rule(Condition("age", "is missing")))({"Age": 3})


@pytest.mark.parametrize("op", ["==", ">=", "<"])
@pytest.mark.parametrize("fold", [0, 1])
def test_moments_in_an_hour_that_clocks_repeat_are_compared_exactly(op, fold):
    """2021-10-31 02:30 came twice in Rome; Python calls neither equal to any time in UTC."""
    bound = datetime(2021, 10, 31, 0, 30, tzinfo=UTC)
    row = datetime(2021, 10, 31, 2, 30, fold=fold, tzinfo=ZoneInfo("Europe/Rome"))
    expected = {"==": fold == 0, ">=": True, "<": False}[op]
    condition = Condition("when", op, bound)
    names = {}
    exec(RuleList((Rule((condition,), 1),), Rule((), 0), (0, 1)).to_python(), names)
    assert names["predict"]({"when": row}) == expected
    assert condition.holds(np.array([row], dtype=object)).tolist() == [expected]
    column = pa.array([row], pa.timestamp("us", tz="Europe/Rome"))
    assert condition_mask(condition, column).tolist() == [expected]
