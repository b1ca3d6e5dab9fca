"""Arrow in memory, SQL in DuckDB and plain Python answer every condition alike, row by row."""

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samrule import Condition, Rule, RuleList, open_table
from samrule.errors import InputError
from samrule.export.arrow import condition_mask, deciding_rules
from samrule.export.sql import condition_sql, rule_list_sql

# Arrow hands names over as C strings, so none can hold a NUL.
NAMES = st.one_of(
    st.sampled_from(
        ["select", "a b", 'the "top"', "it's", "größe", "x;--", "NULL", "%s", "名", "x?"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8).filter(
        str.strip
    ),
)
EDGES = [0, 1, -1, 127, 128, 255, 256, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1]
NUMBERS = st.one_of(
    st.sampled_from(EDGES),
    st.integers(-300, 300),
    st.floats(allow_nan=False),
    st.sampled_from([0.1, 0.5, -0.0, math.inf, -math.inf, 5e-324, 1e308]),
    st.decimals(-1000, 1000, places=3),
)
# Left to themselves, floats are hardly ever NaN where it matters.
STRANGE = st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 0.0])
DAYS = st.dates(date(1900, 1, 1), date(2200, 1, 1))
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))
# Finer than Python's clock, and within one microsecond of each other.
NANOSECONDS = st.integers(-3000, 3000).map(lambda one: np.datetime64(one, "ns"))
TIMES = st.times()
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


def whole(type_: pa.DataType) -> st.SearchStrategy[Any]:
    low = -(2 ** (type_.bit_width - 1)) if pa.types.is_signed_integer(type_) else 0
    high = 2 ** (type_.bit_width - (1 if low else 0)) - 1
    return st.one_of(
        st.integers(low, high),
        st.sampled_from([edge for edge in EDGES if low <= edge <= high]),
        st.integers(max(low, -300), min(high, 300)),
    )


COLUMNS: list[tuple[pa.DataType, st.SearchStrategy[Any], st.SearchStrategy[Any]]] = [
    *((type_, whole(type_), NUMBERS) for type_ in (pa.int8(), pa.uint8(), pa.int64(), pa.uint64())),
    (pa.float32(), st.one_of(STRANGE, st.floats(width=32)), NUMBERS),
    (pa.float64(), st.one_of(STRANGE, st.floats()), NUMBERS),
    (pa.decimal128(9, 2), st.decimals(-9999, 9999, places=2), NUMBERS),
    (pa.decimal128(38, 10), st.decimals(-(10**20), 10**20, places=10), NUMBERS),
    (pa.bool_(), st.booleans(), st.one_of(st.booleans(), st.sampled_from([0, 1, 0.5, 2]))),
    (pa.string(), TEXTS, TEXTS),
    (pa.date32(), DAYS, st.one_of(DAYS, MOMENTS)),
    (pa.timestamp("us"), MOMENTS, st.one_of(DAYS, MOMENTS)),
    (pa.timestamp("s"), MOMENTS.map(lambda one: one.replace(microsecond=0)), MOMENTS),
    (pa.timestamp("ns"), st.one_of(MOMENTS, NANOSECONDS), MOMENTS),
    (
        pa.timestamp("us", "UTC"),
        MOMENTS.map(lambda one: one.replace(tzinfo=UTC)),
        MOMENTS.map(lambda one: one.replace(tzinfo=UTC)),
    ),
    (pa.time64("us"), TIMES, TIMES),
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, list[Condition]]:
    """A table of every kind of column, and conditions on them that often hit a value exactly."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda name: name.casefold()))
    n_rows = draw(st.integers(1, 8))
    columns: dict[str, pa.Array] = {}
    conditions = []
    for name in names:
        type_, values, thresholds = draw(st.sampled_from(COLUMNS))
        cells = draw(st.lists(st.one_of(st.none(), values), min_size=n_rows, max_size=n_rows))
        columns[name] = pa.array(cells, type_)
        present = [
            one
            for one in cells
            if one is not None and one == one and not isinstance(one, np.datetime64)  # noqa: PLR0124
        ]
        for _ in range(draw(st.integers(1, 3))):
            near = st.sampled_from(present) if present else thresholds
            value = draw(st.one_of(thresholds, near))
            ordered = not isinstance(value, bool | str)
            op = draw(st.sampled_from(["==", ">=", "<"] if ordered else ["=="]))
            conditions.append(Condition(name, op, value))
        conditions.append(Condition(name, "is missing", type=conditions[-1].type))
    return pa.table(columns), conditions


@st.composite
def tables_with_nan(draw: st.DrawFn) -> tuple[pa.Table, list[Condition]]:
    """Left to chance, a NaN hardly ever stands where a rule of a whole list asks."""
    cells = [math.nan, None, math.inf, -math.inf, *draw(st.lists(st.floats(width=32), max_size=3))]
    type_ = draw(st.sampled_from([pa.float32(), pa.float64()]))
    bounds = draw(st.lists(NUMBERS, min_size=1, max_size=3))
    compared = [Condition("x", op, bound) for bound in bounds for op in (">=", "<", "==")]
    return (
        pa.table({"x": pa.array(cells, type_)}),
        [*compared, Condition("x", "is missing", type="number")],
    )


CONNECTION = duckdb.connect()


def in_duckdb(table: pa.Table, *expressions: str) -> list[list[Any]]:
    """What each expression gives, row by row."""
    relation = CONNECTION.from_arrow(table)
    wanted = [f"{one} AS answer{place}" for place, one in enumerate(expressions)]
    found = relation.project(", ".join(wanted)).fetchall()
    return [[row[place] for row in found] for place in range(len(expressions))]


def in_python(condition: Condition, column: pa.ChunkedArray) -> list[bool]:
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_pylist()
    return condition.holds(values).tolist()  # type: ignore[no-any-return]


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables())
def test_every_condition_is_answered_alike(made: tuple[pa.Table, list[Condition]]) -> None:
    table, conditions = made
    written = [condition_sql(one, table.schema.field(one.column).type) for one in conditions]
    found = in_duckdb(table, *(f"({sql}) IS TRUE" for sql in written))
    for condition, sql, answers in zip(conditions, written, found, strict=True):
        column = table[condition.column]
        expected = in_python(condition, column)
        assert condition_mask(condition, column).tolist() == expected
        assert answers == expected, sql


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(tables(), tables_with_nan()), st.data())
def test_every_row_is_decided_alike(
    made: tuple[pa.Table, list[Condition]], data: st.DataObject
) -> None:
    table, conditions = made
    some = st.lists(st.sampled_from(conditions), min_size=1, max_size=2)
    rules = data.draw(st.lists(some, max_size=3))
    rule_list = RuleList(
        tuple(Rule(tuple(rule), f"rule '{number}'") for number, rule in enumerate(rules)),
        Rule((), "none"),
        (*(f"rule '{number}'" for number in range(len(rules))), "none"),
    )
    decided = deciding_rules(rule_list, table).tolist()
    types = dict(zip(table.schema.names, table.schema.types, strict=True))
    answers = [rule.prediction for rule in rule_list]
    (found,) = in_duckdb(table, rule_list_sql(rule_list, types=types))
    assert found == [answers[number] for number in decided]
    row = "the row of the table"
    numbered = table.append_column(row, pa.array(range(table.num_rows)))
    for given_table in (numbered, CONNECTION.from_arrow(numbered)):
        tally = open_table(given_table, row).tally(rule_list, row)
        assert set(tally.n_rows) == {(rule, place) for place, rule in enumerate(decided)}
        assert set(tally.n_rows.values()) <= {1}


@pytest.mark.parametrize(
    ("type_", "condition", "expected"),
    [
        (pa.float64(), Condition("x", ">=", 0), [True, True, False, False]),
        (pa.float64(), Condition("x", "<", math.inf), [True, False, False, False]),
        (pa.float64(), Condition("x", "==", math.inf), [False, True, False, False]),
        (pa.float64(), Condition("x", "is missing", type="number"), [False, False, True, True]),
        (pa.float32(), Condition("x", ">=", 10**400), [False, True, False, False]),
        (pa.float64(), Condition("x", "<", -(10**400)), [False, False, False, False]),
    ],
)
def test_nan_compares_with_nothing_even_where_the_engine_sorts_it(
    type_: pa.DataType, condition: Condition, expected: list[bool]
) -> None:
    table = pa.table({"x": pa.array([1.5, math.inf, math.nan, None], type_)})
    assert condition_mask(condition, table["x"]).tolist() == expected
    assert in_duckdb(table, f"({condition_sql(condition, type_)}) IS TRUE") == [expected]
    if abs(condition.value or 0) <= math.inf and not isinstance(condition.value, int):
        assert in_duckdb(table, f"({condition_sql(condition)}) IS TRUE") == [expected]


def test_sql_without_types_guards_against_nan_too() -> None:
    table = pa.table({"x": [1.0, math.nan]})
    assert in_duckdb(table, condition_sql(Condition("x", ">=", 1))) == [[True, False]]


def test_conditions_of_another_kind_than_the_column_are_an_error() -> None:
    for condition, type_ in [
        (Condition("x", "==", "a"), pa.int64()),
        (Condition("x", ">=", 3), pa.string()),
        (Condition("x", ">=", date(2020, 1, 1)), pa.float64()),
        (Condition("x", ">=", time(1)), pa.date32()),
        (Condition("x", ">=", datetime(2020, 1, 1, tzinfo=UTC)), pa.timestamp("us")),
    ]:
        with pytest.raises(InputError, match="column 'x'"):
            condition_mask(condition, pa.array([], type_))


def test_bounds_beyond_the_type_hold_never_or_for_every_value() -> None:
    column = pa.chunked_array([pa.array([1, None], pa.uint8())])
    assert condition_mask(Condition("x", "<", 300), column).tolist() == [True, False]
    assert condition_mask(Condition("x", ">=", 300), column).tolist() == [False, False]
    assert condition_mask(Condition("x", ">=", -1), column).tolist() == [True, False]
    assert condition_mask(Condition("x", "==", Decimal("1.5")), column).tolist() == [False, False]
