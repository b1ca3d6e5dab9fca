"""Every kind of condition in small tables: the list learned is the best that brute force finds.

Conditions are made by the binarizer, but answered here row by row, in plain Python.
"""

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, Condition, learn
from tests.reference.brute_force import best_lists

SIZES = ["low", "mid", "high", "top"]


def some_table(rng: np.random.Generator) -> pa.Table:
    n_rows = int(rng.integers(6, 12))
    at = [datetime(2021, 3, 1) + timedelta(hours=int(h)) for h in rng.integers(0, 400, n_rows)]

    def with_gaps(values: list[Any]) -> list[Any]:
        return [None if rng.random() < 0.15 else one for one in values]

    return pa.table(
        {
            "x": pa.array(with_gaps(rng.integers(0, 5, n_rows).tolist()), pa.int64()),
            "size": pa.array(with_gaps(rng.choice(SIZES, n_rows).tolist()), pa.string()),
            "city": pa.array(with_gaps(rng.choice(list("abcd"), n_rows).tolist()), pa.string()),
            "at": pa.array(with_gaps(at), pa.timestamp("us")),
        }
    )


def answer(condition: Condition, row: dict[str, Any]) -> bool:
    value = row[condition.column]
    if condition.op == "is missing" or value is None:
        return condition.op == "is missing" and value is None
    if condition.unit is not None:
        value = {"hour": value.hour, "weekday": value.isoweekday(), "month": value.month}[
            str(condition.unit)
        ]
    values: Any = condition.values
    return {
        "==": value == values[0],
        "!=": value != values[0],
        ">=": condition.op == ">=" and value >= values[0],
        "<": condition.op == "<" and value < values[0],
        "within": condition.op == "within" and values[0] <= value < values[-1],
        "in": value in values,
        "not in": value not in values,
    }[str(condition.op)]


def check(seed: int) -> bool:
    """Compare one table; whether the best list uses an interval, a set or a unit."""
    rng = np.random.default_rng(seed)
    table, max_terms = some_table(rng), int(rng.integers(1, 3))
    classes = rng.integers(0, 2, table.num_rows).tolist()
    if len(set(classes)) < 2:
        return False
    binarizer = Binarizer(
        n_thresholds=int(rng.integers(1, 4)),
        min_level_share=0,
        sets=True,
        intervals=True,
        calendar=True,
        orders={"size": SIZES},
        max_conditions=None if rng.random() < 0.5 else 8,
        force=table.column_names,
    )
    fitted = learn(
        table,
        classes,
        binarizer=binarizer,
        max_rules=2,
        max_terms=max_terms,
        regularization=0.01,
        strategy="exact",
    )
    conditions = list(fitted.conditions)
    rows = [[int(answer(one, row)) for one in conditions] for row in table.to_pylist()]
    expected = best_lists(
        rows,
        classes,
        [1] * table.num_rows,
        n_classes=2,
        max_rules=2,
        max_terms=max_terms,
        rule_cost=Fraction(1, 100) * table.num_rows,
        min_weight=0,
    )
    cost, terms = expected[-1]
    assert fitted.certificate.upper_bound == pytest.approx(float(cost / table.num_rows))
    found = [rule.conditions for rule in fitted.rule_list.rules]
    assert found == [tuple(conditions[place] for place in one) for one in terms]
    different = {tuple(column) for column in np.array(rows, dtype=bool).T.tolist() if any(column)}
    assert len(different) <= fitted.conditions.n_conjunctions(1) == len(conditions)
    used = [one for rule in found for one in rule]
    return any(one.op in {"within", "in", "not in"} or one.unit for one in used)


def test_the_best_list_of_all_kinds_is_found() -> None:
    assert sum(check(seed) for seed in range(60)) > 10


@pytest.mark.slow
def test_the_best_list_of_all_kinds_is_found_on_many_tables() -> None:
    assert sum(check(seed) for seed in range(1000, 2000)) > 150
