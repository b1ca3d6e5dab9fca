"""Packed conditions say the same as asking value by value, whatever the type, length and layout."""

import math
from datetime import date, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samrule import Binarizer, Condition, open_table, solve
from samrule.conditions.packed import packed_conditions
from samrule.errors import ColumnError, InputError
from samrule.rules.meaning import condition_mask
from samrule.solver.problem import PackedConditions
from tests.export.made_tables import (
    COLUMNS,
    DAYS,
    MOMENTS,
    NUMBERS,
    STRANGE,
    TEXTS,
    TIMES,
    asked,
    asked_of_units,
    has_units,
    whole,
)
from tests.export.test_agreement import in_python

MORE_COLUMNS = [
    *COLUMNS,
    *((type_, whole(type_), NUMBERS) for type_ in (pa.int16(), pa.uint16(), pa.int32())),
    (pa.uint32(), whole(pa.uint32()), NUMBERS),
    (pa.float16(), st.one_of(STRANGE, st.floats(width=16)), NUMBERS),
    (pa.decimal256(60, 5), st.decimals(-(10**20), 10**20, places=5), NUMBERS),
    (pa.decimal64(9, 2), st.decimals(-9999, 9999, places=2), NUMBERS),
    (pa.date64(), DAYS, DAYS),
    (pa.time32("s"), TIMES.map(lambda one: one.replace(microsecond=0)), TIMES),
    (pa.time64("ns"), TIMES, TIMES),
    (pa.timestamp("ms"), MOMENTS.map(lambda one: one.replace(microsecond=1000)), MOMENTS),
    (pa.large_string(), TEXTS, TEXTS),
    (pa.string_view(), TEXTS, TEXTS),
    (pa.dictionary(pa.int8(), pa.string()), st.sampled_from("abc"), st.sampled_from("abcd")),
]


@st.composite
def columns(draw: st.DrawFn) -> tuple[Any, list[Condition]]:
    """A column of any type in any layout, and conditions on it that often hit a value exactly."""
    type_, values, thresholds = draw(st.sampled_from(MORE_COLUMNS))
    cells = draw(st.lists(st.one_of(st.none(), values), min_size=1, max_size=8))
    present = [one for one in cells if one is not None and one == one]  # noqa: PLR0124
    conditions = [Condition("x", "is missing")]
    for _ in range(draw(st.integers(1, 5))):
        near = st.sampled_from(present) if present else thresholds
        conditions.append(draw(asked("x", st.one_of(thresholds, near))))
    if has_units(type_):
        conditions.append(draw(asked_of_units("x", type_)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    pieces = []
    for _ in range(draw(st.integers(0, 3))):
        rows = rng.integers(0, len(cells), draw(st.integers(0, 150)))
        # Half floats and views of text cannot be taken from.
        longer = pa.array([cells[row] for row in rows], type_)
        pieces.append(longer.slice(draw(st.integers(0, 20))))
    return pa.chunked_array(pieces or [pa.array(cells, type_)], type_), conditions


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(columns())
def test_packed_conditions_say_what_every_value_says(made: tuple[Any, list[Condition]]) -> None:
    column, conditions = made
    packed = packed_conditions([tuple(conditions)], pa.table({"x": column}))
    assert packed.conditions == tuple(conditions)
    for place, condition in enumerate(conditions):
        found = packed.column(place).tolist()
        assert found == in_python(condition, column), condition
        bits = sum(int(word) << 64 * k for k, word in enumerate(packed.bits[place]))
        assert bits.bit_length() <= len(column), "bits past the last row are 0"


@pytest.mark.parametrize("type_", [pa.int32(), pa.float64(), pa.string()])
def test_more_conditions_than_one_pass_takes(type_: pa.DataType) -> None:
    column = pa.array(range(700), pa.int32()).cast(type_)
    values = column.to_pylist()
    conditions = [Condition("x", "==", value) for value in values]
    if type_ != pa.string():
        conditions += [Condition("x", op, value) for value in values for op in (">=", "<")]
        conditions += [Condition("x", "within", (value, value + 9)) for value in values]
    packed = packed_conditions([tuple(conditions)], pa.table({"x": column}))
    for place, condition in enumerate(conditions):
        np.testing.assert_array_equal(packed.column(place), condition_mask(condition, column))


def test_many_columns_are_packed_by_many_threads_alike() -> None:
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            **{f"x{place}": rng.normal(size=70_000) for place in range(6)},
            "text": rng.choice(["a", "b", "c"], 70_000),
            "gaps": pa.array(rng.normal(size=70_000), mask=rng.random(70_000) < 0.3),
        }
    )
    learned = Binarizer("quantile").fit(table)
    packed = learned.pack(table)
    expected = learned.transform(table)
    assert packed.shape == expected.shape
    for place in range(len(learned)):
        np.testing.assert_array_equal(packed.column(place), expected[:, place])


def test_draws_are_packed_in_the_order_drawn() -> None:
    rng = np.random.default_rng(1)
    table = pa.table({"x": rng.normal(size=500), "y": rng.random(500) < 0.5})
    drawn = open_table(table, "y").draw(300, random_state=0)
    learned = Binarizer().fit(drawn, "y")
    np.testing.assert_array_equal(
        np.column_stack([learned.pack(drawn).column(k) for k in range(len(learned))]),
        learned.transform(drawn),
    )


@pytest.mark.parametrize("weights", [None, "whole", "real"])
def test_the_solver_finds_the_same_in_packed_conditions(weights: str | None) -> None:
    rng = np.random.default_rng(2)
    table = pa.table({name: rng.integers(0, 9, 200) for name in "abc"})
    labels = rng.random(200) < 0.2 + 0.6 * (table["a"].to_numpy() > 4)
    given_weights = {
        None: None,
        "whole": rng.integers(0, 5, 200),
        "real": rng.random(200),
    }[weights]
    learned = Binarizer().fit(table, labels)
    options = {"max_rules": 2, "weights": given_weights}
    expected = solve(learned.transform(table), labels, names=learned, **options)
    found = solve(learned.pack(table), labels, **options)
    assert found.rule_list == expected.rule_list
    assert found.loss == expected.loss
    assert found.lower_bound == expected.lower_bound


def test_bits_past_the_last_row_are_not_counted() -> None:
    conditions = (Condition("x", ">=", 1),)
    packed = PackedConditions(np.array([[2**64 - 3]], np.uint64), 3, conditions)
    (rule, default) = solve(packed, [0, 1, 0]).rule_list
    assert sum(rule.class_counts) == 2
    assert sum(default.class_counts) == 1


def test_packed_conditions_of_the_wrong_shape_are_told() -> None:
    with pytest.raises(InputError, match=r"expected uint64 of shape \(1, 2\)"):
        PackedConditions(np.zeros((1, 1), np.uint64), 65, (Condition("x", ">=", 1),))
    packed = PackedConditions(np.zeros((1, 1), np.uint64), 3, (Condition("x", ">=", 1),))
    with pytest.raises(InputError, match="labels has 2 entries; expected 3"):
        solve(packed, [0, 1])


def test_columns_that_are_not_there_are_named() -> None:
    learned = Binarizer("quantile").fit(pa.table({"age": [1, 2, 3]}))
    with pytest.raises(ColumnError, match="no column 'age'"):
        learned.pack(pa.table({"ages": [1]}))


def test_conditions_of_another_kind_than_the_column_are_told() -> None:
    with pytest.raises(InputError, match="column 'x' holds string"):
        packed_conditions([(Condition("x", ">=", 3),)], pa.table({"x": ["a"]}))


@pytest.mark.parametrize(
    ("type_", "values", "condition"),
    [
        (pa.float64(), [0.0, -0.0, 5e-324, -5e-324, None], Condition("x", "==", 0)),
        (pa.float64(), [math.inf, 1e308, -math.inf], Condition("x", "==", math.inf)),
        (pa.float32(), [0.1, 0.5, None], Condition("x", "==", 0.1)),
        (pa.float32(), [0.1, 0.5, None], Condition("x", ">=", 0.1)),
        (pa.float32(), [0.7, 0.5, None], Condition("x", ">=", 0.7)),
        (pa.float32(), [1e38, math.inf, -math.inf], Condition("x", "<", 1e300)),
        (pa.int64(), [2**63 - 1, 2**63 - 2], Condition("x", "==", 2**63 - 1)),
        (pa.uint64(), [2**64 - 1, 2**53 + 1, 0], Condition("x", ">=", 2**53 + 1)),
        (pa.decimal128(38, 1), [Decimal("9e36"), None], Condition("x", ">=", 9 * 10**36)),
        (pa.date64(), [date(2020, 1, 2), None], Condition("x", ">=", date(2020, 1, 2))),
        (pa.time32("ms"), [time(1), time(2)], Condition("x", ">=", time(1, 0, 0, 1))),
    ],
)
def test_edges_of_types(type_: pa.DataType, values: list[Any], condition: Condition) -> None:
    column = pa.array(values, type_)
    packed = packed_conditions([(condition,)], pa.table({"x": column}))
    assert packed.column(0).tolist() == condition_mask(condition, column).tolist()


@pytest.mark.parametrize(("start", "end"), [(0, 64), (0, 0), (3, 3), (64, 130), (61, 67), (1, 200)])
def test_a_part_is_what_packing_those_rows_gives(start, end):
    table = pa.table({"x": np.random.default_rng(0).integers(0, 5, 200)})
    conditions = [tuple(Condition("x", ">=", one) for one in (1, 2, 4))]
    part = packed_conditions(conditions, table).part(start, end)
    alone = packed_conditions(conditions, table.slice(start, end - start))
    assert np.array_equal(part.bits, alone.bits)
    assert part.shape == alone.shape
