"""Tables of every kind of column, hostile names and values among them, and conditions on them."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from samrule import Condition, Rule, RuleList
from samrule.rules import Unit, type_of

# Arrow hands names over as C strings, so none can hold a NUL.
NAMES = st.one_of(
    st.sampled_from(
        [
            *("select", "a b", 'the "top"', "it's", "größe", "x;--", "NULL", "TRUE", "%s", "名"),
            *(
                "lambda",
                "`x`",
                "[x]",
                "a]b",
                "a\\",
                "${env:HOME}",
                "x\ny",
                "a\u202eb",
                "a.b",
                "a|b",
            ),
            *("<script>alert(1)</script>", "');DROP TABLE t;--", '\\" OR 1=1 --', "$x_1^2&{}~#%"),
            " ",
        ]
    ),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
    ),
)
# Most SQL has no way to say an empty name; tables have them all the same.
ANY_NAMES = st.one_of(st.just(""), NAMES)
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
TIMES = st.times()
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.sampled_from(
        [
            *(
                "",
                " ",
                "a",
                "A",
                "a ",
                "a\0",
                "a\0b",
                "á",
                "a\u0301",
                "'",
                "''",
                "\\",
                "\\'",
                "\\\\'",
                "\\\n",
            ),
            *(
                "'; DROP TABLE t; --",
                "${env:HOME}",
                "$${x}",
                "</script>",
                "\\u0041",
                "%s",
                "\r\n",
                "\u202e",
            ),
            *("x" * 300, "nan", "NULL", "1"),
        ]
    ),
)


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
    (pa.timestamp("ns"), MOMENTS, MOMENTS),
    (
        pa.timestamp("us", "UTC"),
        MOMENTS.map(lambda one: one.replace(tzinfo=UTC)),
        MOMENTS.map(lambda one: one.replace(tzinfo=UTC)),
    ),
    (pa.time64("us"), TIMES, TIMES),
]


# Kinds of classes; what no engine's text can hold is tested by name.
LABELS: list[st.SearchStrategy[Any]] = [
    TEXTS.filter(lambda text: "\0" not in text),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    DAYS,
    MOMENTS,
]


@st.composite
def asked(draw: st.DrawFn, column: str, values: st.SearchStrategy[Any]) -> Condition:
    """A condition that compares the column with one of the values, or with a few of one kind."""
    value = draw(values)
    ordered = [] if isinstance(value, bool | str) else [">=", "<", "within"]
    op = draw(st.sampled_from(["==", "!=", "in", "not in", *ordered]))
    if op in {"in", "not in"}:
        others = draw(st.lists(values, max_size=4))
        value = [value, *(one for one in others if type_of(one) == type_of(value))]
    if op == "within":
        other = draw(values)
        is_other = type_of(other) == type_of(value) and other != value
        return Condition(column, op, sorted([value, other])) if is_other else _open(column, value)
    return Condition(column, op, value)


def _open(column: str, value: Any) -> Condition:
    """An interval without an end above, or where there is no infinity, the half line."""
    if type_of(value) == "number" and value < math.inf:
        return Condition(column, "within", (value, math.inf))
    return Condition(column, ">=", value)


@st.composite
def asked_of_units(draw: st.DrawFn, column: str, type_: pa.DataType) -> Condition:
    """A condition on the hour, the weekday or the month."""
    units = [Unit.WEEKDAY, Unit.MONTH] if pa.types.is_date(type_) else list(Unit)
    unit = draw(st.sampled_from(units))
    numbers = draw(st.lists(st.sampled_from(unit.numbers), min_size=2, max_size=4, unique=True))
    op = draw(st.sampled_from(["==", "!=", ">=", "<", "in", "not in", "within"]))
    value: Any = numbers if op in {"in", "not in"} else numbers[0]
    kind = "date" if pa.types.is_date(type_) else "datetime"
    return Condition(column, op, sorted(numbers[:2]) if op == "within" else value, kind, unit)


def has_units(type_: pa.DataType) -> bool:
    return pa.types.is_date(type_) or (pa.types.is_timestamp(type_) and type_.tz is None)


@st.composite
def tables(
    draw: st.DrawFn, columns: int = 4, names: st.SearchStrategy[str] = NAMES
) -> tuple[pa.Table, list[Condition]]:
    """A table of every kind of column, and conditions on them that often hit a value exactly."""
    fold = str.casefold
    named = draw(st.lists(names, min_size=(columns + 1) // 4, max_size=columns, unique_by=fold))
    n_rows = draw(st.integers(1, 8))
    columns: dict[str, pa.Array] = {}
    conditions = []
    for name in named:
        type_, values, thresholds = draw(st.sampled_from(COLUMNS))
        cells = draw(st.lists(st.one_of(st.none(), values), min_size=n_rows, max_size=n_rows))
        columns[name] = pa.array(cells, type_)
        present = [one for one in cells if one is not None and one == one]  # noqa: PLR0124
        for _ in range(draw(st.integers(1, 3))):
            near = st.sampled_from(present) if present else thresholds
            conditions.append(draw(asked(name, st.one_of(thresholds, near))))
        if has_units(type_):
            conditions.append(draw(asked_of_units(name, type_)))
        conditions.append(Condition(name, "is missing", type=conditions[-1].type))
    return pa.table(columns), conditions


@st.composite
def tables_with_nan(draw: st.DrawFn) -> tuple[pa.Table, list[Condition]]:
    """Left to chance, a NaN hardly ever stands where a rule of a whole list asks."""
    others = st.lists(st.one_of(STRANGE, st.none(), st.floats(width=32)), max_size=4)
    cells = [math.nan, *draw(others)]
    type_ = draw(st.sampled_from([pa.float32(), pa.float64()]))
    bounds = draw(st.lists(NUMBERS, min_size=1, max_size=3))
    compared = [Condition("x", op, bound) for bound in bounds for op in (">=", "<", "==", "!=")]
    compared += [Condition("x", op, bounds) for op in ("in", "not in")]
    compared += [Condition("x", "within", pair) for pair in pairwise(sorted({*bounds, math.inf}))]
    return (
        pa.table({"x": pa.array(cells, type_)}),
        [*compared, Condition("x", "is missing", type="number")],
    )


@st.composite
def tables_and_lists(
    draw: st.DrawFn, columns: int = 4, names: st.SearchStrategy[str] = NAMES
) -> tuple[pa.Table, list[Condition], RuleList]:
    """A table, and a list on it that predicts classes of one kind, whatever kind."""
    table, conditions = draw(st.one_of(tables(columns, names), tables_with_nan()))
    some = st.lists(st.sampled_from(conditions), min_size=1, max_size=2)
    rules = draw(st.lists(some, max_size=4))
    labels = draw(st.sampled_from(LABELS))
    predictions = draw(st.lists(labels, min_size=len(rules) + 1, max_size=len(rules) + 1))
    return (
        table,
        conditions,
        RuleList(
            tuple(Rule(tuple(rule), one) for rule, one in zip(rules, predictions, strict=False)),
            Rule((), predictions[-1]),
            tuple(dict.fromkeys(predictions)),
        ),
    )


def hard_table() -> tuple[pa.Table, list[Condition], RuleList]:
    """What engines are known to get wrong, all in one table; chance seldom puts it together."""
    texts = [
        "a",
        "A",
        "a ",
        "",
        "\\",
        "\\'",
        "\\\n",
        "${env:HOME}",
        "'; DROP TABLE t; --",
        "\u202e",
    ]
    # SQLite 3.40 misreads the last digit of the first.
    doubles = [-5.804466032376953e-297, 5e-324, 0.1 + 0.2, 2.0**53, math.inf, -math.inf, math.nan]
    wholes = [2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0, 127]
    n_rows = len(texts) + 1

    def column(cells: list[Any], type_: pa.DataType) -> pa.Array:
        return pa.array(cells + [None] * (n_rows - len(cells)), type_)

    table = pa.table(
        {
            "${env:HOME}": column(doubles, pa.float64()),
            'a`b"c]d': column(wholes, pa.int64()),
            "narrow": column([2.0**24, 0.1, math.nan, math.inf], pa.float32()),
            "it's": column(texts, pa.string()),
            "when": column(
                [datetime(2021, 3, 7, 23, 59, 59, 999999), datetime(2020, 2, 29), None],
                pa.timestamp("us"),
            ),
            "price": column([Decimal("21.80"), Decimal("21.79"), Decimal(0)], pa.decimal128(9, 2)),
        }
    )
    real, whole_, narrow, text, when, price = table.column_names
    bounds = [one for one in doubles if one == one]  # noqa: PLR0124
    ops = ("==", ">=", "<")
    conditions = [
        *(Condition(real, op, one) for one in [*bounds, 1, 2**53 + 1] for op in ops),
        *(Condition(whole_, op, one) for one in [*wholes, 2.0**53, 0.5, 2**64] for op in ops),
        *(Condition(narrow, op, one) for one in [2.0**24 + 1, 0.1, 3] for op in ops),
        *(Condition(text, op, one) for one in texts for op in ("==", "!=")),
        *(Condition(text, op, [*texts[1:4], "\\\\"]) for op in ("in", "not in")),
        *(Condition(real, op, bounds[1:]) for op in ("in", "not in")),
        *(Condition(whole_, op, [*wholes[1:], 0.5]) for op in ("in", "not in")),
        *(Condition(real, "within", ends) for ends in pairwise(sorted(bounds))),
        *(Condition(real, "within", ends) for ends in [(-math.inf, math.inf), (0.1, 2**53 + 1)]),
        *(Condition(whole_, "within", ends) for ends in pairwise(sorted([*wholes, 0.5, 2**64]))),
        *(Condition(narrow, "within", ends) for ends in [(0.1, 2.0**24 + 1), (3, math.inf)]),
        *(
            Condition(when, op, unit.numbers[-1], unit=unit)
            for unit in Unit
            for op in ("==", ">=", "<", "!=")
        ),
        *(Condition(when, "within", (1, 5), unit=unit) for unit in Unit),
        *(Condition(when, op, [2, 7, 3], unit=Unit.WEEKDAY) for op in ("in", "not in")),
        Condition(price, "within", (Decimal("21.79"), Decimal("21.8"))),
        *(Condition(price, op, Decimal(one)) for one in ("21.8", "21.80", "1E+3") for op in ops),
        *(Condition(one, "is missing", type="number") for one in (real, whole_, narrow)),
        Condition(text, "is missing", type="text"),
    ]
    rules = tuple(Rule((Condition(text, "==", one),), one) for one in texts)
    return table, conditions, RuleList(rules, Rule((), "none of them"), (*texts, "none of them"))
