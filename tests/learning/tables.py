"""Tables to learn from, of every kind of column and class."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule import FittedRuleList


def people(n_rows: int = 3000, seed: int = 0) -> pa.Table:
    """Numbers, text and missing values; the class follows a short list in nine rows of ten."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n_rows)
    city = rng.choice(["Padova", "Roma", "Oslo", "Rio"], n_rows)
    income = np.round(rng.lognormal(10, 1, n_rows), 2)
    buys = np.where(age < 30, "no", np.where(city == "Padova", "yes", "no"))
    flipped = rng.random(n_rows) < 0.1
    buys = np.where(flipped, np.where(buys == "no", "yes", "no"), buys)
    return pa.table(
        {
            "age": pa.array(age, mask=rng.random(n_rows) < 0.05),
            "city": city,
            "income": income,
            "buys": buys,
        }
    )


def every_type(n_rows: int = 400, seed: int = 0) -> pa.Table:
    """A column of each type that conditions know; the class needs them."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 40, n_rows).tolist()
    day = date(2021, 3, 1)
    moment = datetime(2021, 3, 1, 12, 30)
    return pa.table(
        {
            "whole": pa.array([2**53 + one for one in level]),
            "price": pa.array([Decimal(one) / 4 for one in level], pa.decimal128(10, 2)),
            "day": pa.array([day + timedelta(days=one) for one in level]),
            "moment": pa.array(
                [moment + timedelta(hours=one) for one in level],
                pa.timestamp("us", "Europe/Rome"),
            ),
            "clock": pa.array([time(one % 24, 15) for one in level]),
            "flag": pa.array(rng.integers(0, 2, n_rows) == 1),
            "level": pa.array(level),
        }
    )


def hard(n_rows: int = 4000, n_columns: int = 120) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Labels that no short list explains: the search has to look almost everywhere."""
    rng = np.random.default_rng(0)
    rows = (rng.random((n_rows, n_columns)) < 0.3).astype(np.uint8)
    return rows, (rows[:, :9].sum(axis=1) + rng.integers(0, 3, n_rows)) % 2


def loss_on(fitted: FittedRuleList, table: Any) -> float:
    """The loss of a model on a table, the price of its rules included."""
    return (
        fitted.evaluate(table).error_rate
        + fitted.settings.regularization * fitted.rule_list.n_rules
    )


def loss_on_arrays(fitted: FittedRuleList, columns: Any, labels: Any) -> float:
    """The same on arrays, by its predictions; a hair less, for sums are rounded."""
    wrong = np.mean(fitted.predict(columns) != labels)
    return wrong + fitted.settings.regularization * fitted.rule_list.n_rules - 1e-12
