"""Tables like those people bring, made of random numbers: many columns, many default conditions.

`credit_like` has the columns of a lender's table (30,000 rows), `census_like` those of a census
(300,000 rows). Nothing in them is about real people; they are as wide and as hard to search as
the tables that they are named after.

Example: python benchmarks/made_tables.py FOLDER
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

SEED = 0
TARGET = "label"
Column = NDArray[np.float64]


def credit_like(n_rows: int = 30_000) -> pa.Table:
    """Limits, six months of arrears, bills and payments that depend on each other; who defaults."""
    rng = np.random.default_rng([SEED, 1])
    wealth, trouble = rng.normal(size=(2, n_rows))
    columns: dict[str, Column] = {
        "limit": np.round(np.exp(11 + 0.8 * wealth + 0.4 * rng.normal(size=n_rows)), -4),
        "age": np.clip(np.round(36 + 9 * rng.normal(size=n_rows) + 2 * wealth), 21, 79),
    }
    for name, n_levels in (("sex", 2), ("schooling", 6), ("marriage", 3)):
        columns[name] = np.floor(n_levels * rng.random(n_rows) ** 1.5)
    owed = columns["limit"] * rng.beta(0.6, 1.2, n_rows)
    for month in range(6):
        late = trouble + 0.6 * rng.normal(size=n_rows)
        owed = np.clip(owed * (0.9 + 0.2 * rng.random(n_rows)), 0, None)
        paid = owed * np.clip(0.2 + 0.3 * wealth - 0.15 * late + 0.2 * rng.random(n_rows), 0, 1)
        columns[f"late_{month}"] = np.clip(np.round(1.2 * late), -2, 8)
        columns[f"bill_{month}"] = np.round(owed)
        columns[f"paid_{month}"] = np.round(paid)
    score = 1.1 * trouble - 0.4 * wealth + (columns["late_0"] >= 2) + 0.8 * rng.normal(size=n_rows)
    return _table(columns, score, positive_share=0.22)


def census_like(n_rows: int = 300_000) -> pa.Table:
    """Ages, hours, incomes and many columns of levels; who earns much."""
    rng = np.random.default_rng([SEED, 2])
    schooling, luck = rng.normal(size=(2, n_rows))
    age = np.clip(np.round(rng.gamma(4, 10, n_rows)), 0, 90)
    works = (age >= 16) & (age < 70) & (rng.random(n_rows) < 0.8)
    amounts: dict[str, Column] = {
        "age": age,
        "weeks": np.where(works, np.clip(np.round(52 - rng.exponential(8, n_rows)), 0, 52), 0),
        "wage": np.where(works, np.round(800 * np.exp(0.3 * schooling + 0.5 * luck)), 0),
        "gains": np.where(rng.random(n_rows) < 0.04, np.round(rng.lognormal(8, 1, n_rows)), 0),
        "losses": np.where(rng.random(n_rows) < 0.02, np.round(rng.lognormal(7, 0.4, n_rows)), 0),
        "dividends": np.where(
            rng.random(n_rows) < 0.1, np.round(rng.lognormal(6 + 0.3 * schooling, 2)), 0
        ),
        "employer_size": np.where(works, rng.integers(1, 7, n_rows), 0),
    }
    levels: dict[str, NDArray[np.str_]] = {}
    for number in range(24):
        n_levels = int(rng.choice([3, 5, 8, 12, 17, 24]))
        leaning = (schooling, luck, age / 30, works * 1.0)[number % 4]
        values = leaning * rng.uniform(0.3, 2) + rng.normal(size=n_rows)
        place = np.digitize(
            values, np.quantile(values, np.linspace(0, 1, n_levels + 1)[1:-1] ** 1.4)
        )
        levels[f"level_{number}"] = np.char.add("v", place.astype(str))
    score = 0.9 * schooling + 0.6 * luck + 2 * works + (amounts["dividends"] > 500)
    score += 0.02 * np.minimum(age, 50) + (amounts["gains"] > 0) + 0.7 * rng.normal(size=n_rows)
    return _table({**amounts, **levels}, score, positive_share=0.062)


def _table(columns: dict[str, NDArray], score: Column, *, positive_share: float) -> pa.Table:
    """Return the columns and, last, whether the score is among the highest."""
    label = (score >= np.quantile(score, 1 - positive_share)).astype(np.int64)
    return pa.table({**columns, TARGET: label})


MADE: dict[str, Callable[[], pa.Table]] = {"credit_like": credit_like, "census_like": census_like}


def main() -> None:
    """Write both as Parquet files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, made in MADE.items():
        pq.write_table(made(), options.folder / f"{name}.parquet")


if __name__ == "__main__":
    main()
