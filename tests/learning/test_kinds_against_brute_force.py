"""Every kind of condition in small tables: the list learned is the best that brute force finds.

Conditions are made by the binarizer, but answered here row by row, in plain Python.
"""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from multiprocessing import get_context
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, Condition, Rule, RuleList, Status, learn, solve
from samrule.conditions import Conditions
from samrule.errors import InputError, ParameterError
from tests.reference.brute_force import best_lists
from tests.reference.constrained_lists import Asked, best_obeying

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
    assert sum(check(seed) for seed in range(60)) > 5


@dataclass(frozen=True)
class Question:
    """One or two columns of a small table, conditions of all kinds, and constraints on lists."""

    table: pa.Table
    classes: list[int]
    conditions: Conditions
    max_rules: int
    max_terms: int
    asked: Asked

    @property
    def rows(self) -> list[list[int]]:
        named = list(self.conditions)
        return [[int(answer(one, row)) for one in named] for row in self.table.to_pylist()]

    def constraints(self) -> dict[str, Any]:
        named = list(self.conditions)
        return {
            "forbid": [named[one] for one in self.asked.forbid],
            "require": [
                *self.asked.require_columns,
                *(named[one] for one in self.asked.require_conditions),
            ],
            "at_most": self.asked.at_most,
            "first": [Rule(tuple(named[one] for one in terms), said)
                      for terms, said in self.asked.first],
            "monotone": {
                name: SIZES[::way] if name == "size" else way
                for name, way in self.asked.monotone.items()
            },
            "max_columns": self.asked.max_columns,
        }  # fmt: skip


def question(seed: int) -> Question | None:
    """Return a random question; None where there is only one class."""
    rng = np.random.default_rng(seed)
    names = [str(one) for one in rng.choice(["x", "size", "city", "at"], int(rng.integers(1, 3)),
                                            replace=False)]  # fmt: skip
    table = some_table(rng).select(names)
    classes = rng.integers(0, 2, table.num_rows).tolist()
    if "at" in names and rng.random() < 0.7:  # Parts of times that matter.
        part = rng.choice(["hour", "day"])
        classes = [int(one is None or getattr(one, part) % 2) for one in table["at"].to_pylist()]
    if len(set(classes)) < 2:
        return None
    max_terms = 1 if rng.random() < 0.7 else 2
    binarizer = Binarizer(
        n_thresholds=int(rng.integers(1, 4)),
        min_level_share=0 if rng.random() < 0.7 else 0.2,
        sets=bool(rng.random() < 0.8),
        intervals=bool(rng.random() < 0.8),
        calendar=True,
        orders={"size": SIZES} if "size" in names and rng.random() < 0.8 else None,
        max_conditions=9 if max_terms == 1 else 5,
        force=names,
    )
    # The same rows some times over: what they say is more than chance.
    pilot = table.take(np.tile(np.arange(table.num_rows), 8))
    try:
        conditions = binarizer.fit(pilot, classes * 8)
    except InputError:  # Every column holds one value.
        return None
    asked = constraints_on(list(conditions), rng) if rng.random() < 0.6 else nothing(conditions)
    return Question(table, classes, conditions, int(rng.integers(1, 3)), max_terms, asked)


def nothing(conditions: Iterable[Condition]) -> Asked:
    named = list(conditions)
    return Asked([one.column for one in named], [side(one) for one in named])


def side(condition: Condition) -> str:
    if condition.column == "size" and condition.op != "is missing":
        return side_of_sizes([answer(condition, {"size": one}) for one in SIZES])
    sides = {">=": "high", "<": "low", "is missing": "missing"}
    plain = condition.unit is None or condition.op == "is missing"
    return sides.get(str(condition.op), "other") if plain else "other"


def side_of_sizes(held: list[bool]) -> str:
    """Return for which levels of an order a condition holds: those from one on, or up to one."""
    first, n_held = held.index(True) if any(held) else 0, sum(held)
    if n_held in (0, len(held)):
        return "missing"
    if not all(held[first : first + n_held]):
        return "other"
    return "low" if first == 0 else "high" if first + n_held == len(held) else "other"


def constraints_on(conditions: list[Condition], rng: np.random.Generator) -> Asked:
    columns = sorted({one.column for one in conditions})
    # A column whose conditions have no side is refused.
    ordered = sorted({one.column for one in conditions if side(one) != "other"})

    def some(share: float) -> bool:
        return bool(rng.random() < share)

    def a_column() -> str:
        return str(rng.choice(columns))

    free = range(len(conditions))
    forbid = frozenset({int(rng.choice(free))} if some(0.3) and len(free) > 1 else ())
    first = [one for one in free if one not in forbid]
    rising = str(rng.choice(ordered)) if ordered and some(0.3) else None
    return replace(
        nothing(conditions),
        forbid=forbid,
        require_columns=[a_column()] if some(0.3) else [],
        require_conditions=[int(rng.choice(free))] if some(0.2) else [],
        at_most={a_column(): int(rng.integers(0, 2))} if some(0.3) else {},
        first=[((int(rng.choice(first)),), int(rng.integers(2)))] if some(0.2) else [],
        monotone={rising: 1 if some(0.5) else -1} if rising else {},
        max_columns=int(rng.integers(0, 2)) if some(0.2) else None,
    )


def check_question(asked: Question) -> set[str]:
    """Compare with brute force; return the kinds of conditions, and what else was met."""
    n_rows = asked.table.num_rows
    shape = {"max_rules": asked.max_rules, "max_terms": asked.max_terms}
    task: dict[str, Any] = {**shape, "rule_cost": Fraction(n_rows, 100), "min_weight": 0}
    solved = partial(solve, asked.conditions.pack(asked.table), asked.classes, threads=1, **shape,
                     regularization=0.01)  # fmt: skip
    rows, weights = asked.rows, [1] * n_rows
    check_count(asked.conditions, asked.max_terms)
    kinds = {str(one.unit or one.op) for one in asked.conditions}
    if asked.asked == nothing(asked.conditions):
        cost, terms = best_lists(rows, asked.classes, weights, n_classes=2, **task)[-1]
        found = solved()
        named = list(asked.conditions)
        expected = [tuple(named[place] for place in one) for one in terms]
        assert [rule.conditions for rule in found.rule_list.rules] == expected
    else:
        best = best_obeying(rows, asked.classes, weights, asked.asked, n_classes=2, **task)
        if best is None:
            with pytest.raises(ParameterError):
                solved(**asked.constraints())
            return {*kinds, "refused"}
        cost, found = best, solved(**asked.constraints())
        kinds |= {"constraints", *(f"monotone {name}" for name in asked.asked.monotone)}
        check_obeyed(asked, found.rule_list)
    assert found.status is Status.OPTIMAL
    assert found.loss == pytest.approx(float(cost / n_rows), abs=1e-12)
    return kinds


def check_obeyed(asked: Question, found: RuleList) -> None:
    """Read the list that came out, and see whether it obeys."""
    number = {one: place for place, one in enumerate(asked.conditions)}
    rules = [tuple(number[one] for one in rule.conditions) for rule in found.rules]
    wanted = asked.asked
    assert wanted.obeyed_by(rules)
    for place, (terms, said) in enumerate(wanted.first):
        assert (rules[place], found.rules[place].prediction) == (terms, said)
    for terms, rule in zip(rules, found.rules, strict=True):
        assert wanted.may_predict(terms, int(rule.prediction))  # type: ignore[call-overload]
    assert all(wanted.forbid.isdisjoint(terms) for terms in rules[len(wanted.first) :])


VALUES: dict[str, list[Any]] = {
    "x": [None, *range(-1, 7)],
    "size": [None, *SIZES, "another"],
    "city": [None, *"abcd", "another"],
    "at": [None, *(datetime(2021, 2, 20) + timedelta(hours=7 * i) for i in range(25))],
}


def check_count(conditions: Conditions, max_terms: int) -> None:
    """Count the conjunctions that differ on some row there could be: that is how many there are."""
    columns = conditions.columns
    possible = [dict(zip(columns, some, strict=True))
                for some in product(*(VALUES[one] for one in columns))]  # fmt: skip
    answers = [
        sum(answer(one, row) << place for place, row in enumerate(possible)) for one in conditions
    ]
    pairs = [one & other for one, other in combinations(answers, 2)] if max_terms > 1 else []
    different = len({*answers, *pairs} - {0})
    counted = conditions.n_conjunctions(max_terms)
    # A missing time has no hour either, and these are not all moments: there may be fewer.
    assert counted >= different if "at" in columns else counted == different


def check_batch(seeds: range) -> Counter[str]:
    met: Counter[str] = Counter()
    for seed in seeds:
        asked = question(seed)
        met.update(["nothing"] if asked is None else check_question(asked))
    return met


KINDS = {"within", "in", "not in", "!=", "==", ">=", "<", "is missing", "hour", "weekday"}
MET = {*KINDS, "constraints", "refused", "monotone x", "monotone size"}


def test_the_best_list_of_all_kinds_that_obeys_is_found() -> None:
    met = check_batch(range(400))
    assert all(met[kind] > 5 for kind in MET)


@pytest.mark.slow
def test_the_best_list_of_all_kinds_that_obeys_is_found_on_twenty_thousand_tables() -> None:
    batches = [range(start, start + 500) for start in range(1000, 21_500, 500)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        met = sum(pool.map(check_batch, batches), Counter())
    assert 20_500 - met["nothing"] >= 20_000 - 2_000
    assert all(met[kind] > 250 for kind in MET)
