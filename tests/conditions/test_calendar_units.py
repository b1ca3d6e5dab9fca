"""Hours, weekdays and months become conditions where classes differ by them, and only there."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, Condition, Rule, RuleList, learn
from samrule.conditions.pairs import column_count
from samrule.constraints import side_of
from samrule.errors import InputError, ParameterError
from samrule.export.sql import condition_sql
from samrule.learning.model_file import dumps, loads
from samrule.rules.meaning import condition_mask
from tests.learning.test_model_file import VALIDATOR

N = 3000
RNG = np.random.default_rng(0)
AT = [datetime(2020, 1, 1) + timedelta(hours=int(h)) for h in RNG.integers(0, 24 * 700, N)]
NOISE = RNG.random(N) < 0.1


def table(values: list[Any] = AT, type_: pa.DataType | None = None) -> pa.Table:
    return pa.table({"at": pa.array(values, type_)})


def made(labels: Any, values: list[Any] = AT, **options: Any) -> dict[str, list[str]]:
    found = Binarizer(calendar=True, **options).fit(table(values), np.asarray(labels))
    return {str(some[0].unit): [str(one) for one in some] for some in found.by_column}


def test_what_matters_is_asked_for_and_nothing_else() -> None:
    weekend = np.array([one.isoweekday() >= 6 for one in AT])
    found = made(weekend ^ NOISE, sets=True)
    assert set(found) == {"None", "weekday"}
    assert "weekday(at) = Saturday" in found["weekday"]
    assert "weekday(at) in {Saturday, Sunday}" in found["weekday"]
    assert "weekday(at) not in {Saturday, Sunday}" in found["weekday"]
    night = np.array([one.hour >= 22 or one.hour < 5 for one in AT])
    found = made(night ^ NOISE, intervals=True)
    assert set(found) == {"None", "hour"}
    assert "5 <= hour(at) < 22" in found["hour"]
    assert set(made(RNG.random(N) < 0.3)) == {"None"}
    assert set(made([one.month == 7 for one in AT])) == {"None", "month"}


def test_dates_have_no_hours_and_moments_with_a_zone_no_units() -> None:
    days = [one.date() for one in AT]
    assert set(made([one.isoweekday() == 1 for one in days], days)) == {"None", "weekday"}
    zoned = [one.replace(tzinfo=UTC) for one in AT]
    assert set(made([one.hour == 1 for one in AT], zoned)) == {"None"}


def test_a_list_of_units_is_learned_kept_and_explained() -> None:
    weekend = np.array([one.isoweekday() >= 6 for one in AT])
    binarizer = Binarizer(calendar=True, sets=True, max_conditions=30)
    fitted = learn(table(), weekend, max_rules=1, binarizer=binarizer)
    assert "weekday(at)" in str(fitted.rule_list)
    assert fitted.rule_list.error_rate == 0
    assert fitted.conditions.columns == ("at",)
    VALIDATOR.validate(json.loads(dumps(fitted)))
    assert loads(dumps(fitted)) == fitted
    assert fitted.predict(table()).tolist() == weekend.tolist()
    told = str(fitted.explain({"at": datetime(2021, 3, 6, 12)}))
    assert "weekday(at)" in told
    names: dict[str, Any] = {}
    exec(fitted.rule_list.to_python(), names)
    assert [names["predict"]({"at": one}) for one in AT] == weekend.tolist()


def test_what_has_no_unit_is_refused_and_so_is_onnx() -> None:
    late = Condition("at", ">=", 22, unit="hour")
    zoned = pa.array(AT, pa.timestamp("us", "UTC"))
    for column in (pa.array([1]), pa.array([date(2020, 1, 1)]), zoned):
        with pytest.raises(InputError, match="asks for the hour; column 'at' holds"):
            condition_mask(late, column)
        with pytest.raises(InputError, match="asks for the hour; column 'at' holds"):
            condition_sql(late, column.type)
    assert condition_mask(late, pa.array([None, None])).tolist() == [False, False]
    rules = RuleList((Rule((late,), "yes"),), Rule((), "no"), ("no", "yes"))
    with pytest.raises(ParameterError, match="ONNX takes numbers, texts and truth values"):
        rules.to_onnx()
    with pytest.raises(ParameterError, match="ask for several of its parts"):
        column_count([late, Condition("at", "==", 1, unit="month")])


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("duckdb", 'EXTRACT(isodow FROM "at") = 7'),
        ("postgres", 'EXTRACT(isodow FROM "at") = 7'),
        ("spark", "(WEEKDAY(`at`) + 1) = 7"),
        ("bigquery", "(MOD(EXTRACT(DAYOFWEEK FROM `at`) + 5, 7) + 1) = 7"),
        ("snowflake", 'DAYOFWEEKISO("at") = 7'),
        ("mysql", "(WEEKDAY(`at`) + 1) = 7"),
        ("tsql", "((DATEPART(weekday, [at]) + @@DATEFIRST + 5) % 7 + 1) = 7"),
    ],
)
def test_every_dialect_begins_the_week_on_monday(dialect: str, expected: str) -> None:
    assert condition_sql(Condition("at", "==", 7, unit="weekday"), dialect=dialect) == expected


def test_units_of_a_monotone_column_speak_for_no_side_and_columns_go_with_their_units() -> None:
    assert side_of(Condition("at", ">=", 22, unit="hour"), 1) is None
    found = Binarizer(calendar=True).fit(table(), np.array([one.hour >= 12 for one in AT]))
    assert len(found.by_column) == 2
    plain = found.without({one for one in found if one.unit is not None}, "forbidden")
    assert plain.columns == ("at",)
    assert plain.left_out == ()
    assert [one.column for one in found.without(set(found), "forbidden").left_out] == ["at"]
