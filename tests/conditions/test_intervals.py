"""Intervals stay where both ends matter whatever another column says, and only there."""

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, open_table

N = 4000


def customers(*, peak: bool) -> tuple[pa.Table, np.ndarray]:
    """Who leaves: newcomers who pay much; with a peak, also those only who pay not too much.

    The highest charges are paid by old customers alone, so few who pay them leave either way.
    """
    rng = np.random.default_rng(3)
    years, charges = rng.integers(0, 10, N), rng.uniform(20, 120, N).round()
    years = np.where(charges >= 100, 9, years)
    leaves = (years < 5) & (charges >= 60) & ~(peak & (charges >= 80))
    city = rng.choice(["Padova", "Roma"], N)
    table = pa.table({"years": years, "charges": charges, "city": city})
    return table, leaves ^ (rng.random(N) < 0.1)


def intervals(table: pa.Table, labels: np.ndarray) -> list[str]:
    found = Binarizer(intervals=True).fit(table, labels)
    return [str(one) for one in found if one.op == "within"]


def test_an_end_that_another_column_explains_makes_no_interval() -> None:
    table, labels = customers(peak=False)
    assert "60 <= charges < 100" in intervals(table.drop_columns("years"), labels)
    assert intervals(table, labels) == []


def test_ends_that_matter_whatever_else_is_known_stay() -> None:
    table, labels = customers(peak=True)
    assert "60 <= charges < 80" in intervals(table, labels)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_count_as_rows_and_classes_may_be_many(n_classes: int) -> None:
    table, labels = customers(peak=True)
    classes = labels + np.where(np.array(table["city"]) == "Roma", n_classes - 2, 0)
    twice = pa.concat_tables([table, table])
    once = Binarizer().fit(table, classes, np.full(N, 2.0))
    assert once == Binarizer().fit(table, classes)
    assert "60 <= charges < 80" in map(str, Binarizer().fit(twice, [*classes] * 2))


def test_rows_without_a_value_are_in_no_part() -> None:
    table, labels = customers(peak=True)
    unknown = np.arange(N) % 4 == 0
    charges = pa.array(table["charges"].to_numpy(), mask=unknown)
    with_missing = table.set_column(1, "charges", charges)
    assert "60 <= charges < 80" in intervals(with_missing, labels | unknown)


@pytest.mark.parametrize("seed", range(5))
def test_few_rows_that_weigh_much_make_no_intervals_by_chance(seed: int) -> None:
    """False alarms are less likely than one in a thousand columns: a gain of ten times chance."""
    rng = np.random.default_rng(seed)
    rare = np.arange(N) < 20
    columns = {f"x{n}": rng.normal(size=N) for n in range(5)}
    found = Binarizer().fit(pa.table(columns), rare, np.where(rare, N / 40, 0.5))
    assert not [one for one in found if one.op == "within"]


@pytest.mark.parametrize("seed", range(5))
def test_rows_drawn_many_times_make_no_intervals_by_chance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = {f"x{n}": rng.normal(size=N) for n in range(5)}
    rare = pa.array(np.arange(N) < 20)
    weights = np.where(np.arange(N) < 20, N / 40, 0.5)
    table = pa.table({**columns, "y": rare, "w": weights})
    found = Binarizer().fit(open_table(table, "y", weights="w").draw(N, random_state=rng), "y")
    assert not [one for one in found if one.op == "within"]
