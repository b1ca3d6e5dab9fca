"""Lists that obey constraints, against an oracle that tries every list."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from samrule import Condition, Rule, RuleList, Solution, Status, solve
from samrule.errors import ParameterError
from samrule.solver import last_rules
from samrule.solver.constrained_search import ConstrainedSearch
from tests.reference.constrained_lists import Asked, best_obeying, mixed_price

SIDES = {"high": (">=", 1), "low": ("<", 1), "missing": ("is missing", None), "other": ("==", 1)}
BATCH = 500


@dataclass(frozen=True)
class Question:
    """A small table, constraints, and the same constraints as `solve` takes them."""

    rows: np.ndarray[Any, Any]
    codes: np.ndarray[Any, Any]
    weights: np.ndarray[Any, Any] | None
    asked: Asked
    shape: dict[str, Any]
    alpha: Fraction
    mixed: bool

    @property
    def conditions(self) -> list[Condition]:
        return [
            Condition(column, SIDES[side][0], _value(side, number))
            for number, (column, side) in enumerate(
                zip(self.asked.columns, self.asked.sides, strict=True)
            )
        ]

    @property
    def total(self) -> int:
        return len(self.codes) if self.weights is None else int(self.weights.sum())

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    def constraints(self) -> dict[str, Any]:
        """Return the constraints as parameters of `solve`."""
        named, asked = self.conditions, self.asked

        def rules(fixed: Any) -> list[Rule]:
            return [Rule(tuple(named[one] for one in terms), said) for terms, said in fixed]

        return {
            "forbid": [named[one] for one in asked.forbid] + list(asked.apart),
            "require": [*asked.require_columns, *(named[one] for one in asked.require_conditions)],
            "at_most": asked.at_most,
            "first": rules(asked.first),
            "last": rules(asked.last),
            "monotone": asked.monotone,
            "max_columns": asked.max_columns,
            "together": asked.groups,
        }

    def solution(self, **knobs: Any) -> Solution:
        return solve(
            self.rows,
            self.codes.tolist(),
            weights=self.weights,
            names=self.conditions,
            regularization=float(self.alpha),
            objective=("error", "brier") if self.mixed else "error",
            threads=1,
            **self.shape,
            **self.constraints(),
            **knobs,
        )

    def best(self) -> Fraction | None:
        weights = [1] * len(self.codes) if self.weights is None else self.weights.tolist()
        cost = best_obeying(
            self.rows.tolist(),
            self.codes.tolist(),
            weights,
            self.asked,
            n_classes=self.n_classes,
            max_rules=self.shape["max_rules"],
            max_terms=self.shape["max_terms"],
            rule_cost=self.alpha * self.total,
            min_weight=self.shape["min_support"],
            **({"price": mixed_price} if self.mixed else {}),
        )
        return None if cost is None else cost / self.total


def _value(side: str, number: int) -> Any:
    return None if side == "missing" else SIDES[side][1] + number


def question(seed: int) -> Question:
    """Return a random question; constraints are few, so that most can be met."""
    rng = np.random.default_rng(seed)
    max_terms = 1 if rng.random() < 0.7 else 2
    n_conditions = int(rng.integers(2, 7 if max_terms == 1 else 5))
    max_rules = int(rng.integers(0, 5 if max_terms == 1 and n_conditions < 6 else 4))
    if max_terms == 2:
        max_rules = min(max_rules, 3 if n_conditions < 4 else 2)
    n_rows = int(rng.integers(4, 26))
    n_classes = 2 if rng.random() < 0.85 else 3
    codes = np.append(rng.integers(0, n_classes, n_rows - n_classes), np.arange(n_classes))
    rows = (rng.random((n_rows, n_conditions)) < rng.uniform(0.2, 0.8)).astype(np.uint8)
    # Some rules are worth having.
    rows[:, 0] = np.where(rng.random(n_rows) < 0.8, codes > 0, rows[:, 0])
    return Question(
        rows=rows,
        codes=codes,
        weights=rng.integers(1, 6, n_rows) if rng.random() < 0.3 else None,
        asked=_asked(rng, n_conditions, max_rules, max_terms, n_classes),
        shape={
            "max_rules": max_rules,
            "max_terms": max_terms,
            "min_support": int(rng.integers(1, 4)) if rng.random() < 0.2 else 0,
        },
        alpha=Fraction(int(rng.integers(0, 6)), 100),
        mixed=bool(rng.random() < 0.15),
    )


def _asked(
    rng: np.random.Generator, n_conditions: int, max_rules: int, max_terms: int, n_classes: int
) -> Asked:
    columns = [*"abcd"[: int(rng.integers(1, 5))]]
    of_condition = sorted(str(one) for one in rng.choice(columns, n_conditions))
    columns = sorted(set(of_condition))
    sides = [str(one) for one in rng.choice(["high", "low", "missing", "other"], n_conditions,
                                            p=[0.4, 0.4, 0.1, 0.1])]  # fmt: skip
    sides = _one_missing_each(of_condition, sides)

    def some(share: float) -> bool:
        return bool(rng.random() < share)

    def pair() -> tuple[str, ...]:
        n = 2 if len(columns) == 2 or some(0.7) else 3
        return tuple(str(one) for one in rng.choice(columns, n, replace=False))

    forbid = frozenset(int(rng.integers(n_conditions)) for _ in range(some(0.2)))

    def fixed(n: int) -> list[tuple[tuple[int, ...], int | None]]:
        free = [one for one in range(n_conditions) if one not in forbid]
        if not free:
            return []
        return [
            (
                tuple(sorted({int(one) for one in rng.choice(free, int(rng.integers(1, 3)))})),
                int(rng.integers(n_classes)) if some(0.7) else None,
            )
            for _ in range(n)
        ]

    monotone = {}
    if n_classes == 2:
        # A column whose conditions have no side is refused.
        sides_of = zip(of_condition, sides, strict=True)
        sided = {column for column, side in sides_of if side != "other"}
        monotone = {one: 1 if some(0.5) else -1 for one in columns if some(0.15) and one in sided}
    return Asked(
        columns=of_condition,
        sides=sides,
        forbid=forbid,
        apart=[pair()] if len(columns) > 1 and some(0.2) else [],
        require_columns=[columns[int(rng.integers(len(columns)))]] if some(0.25) else [],
        require_conditions=[int(rng.integers(n_conditions))] if some(0.15) else [],
        at_most={one: int(rng.integers(0, 3)) for one in columns if some(0.2)},
        first=fixed(int(some(0.2)) + int(some(0.05))),
        last=fixed(int(some(0.2)) + int(some(0.05))),
        monotone=monotone,
        max_columns=int(rng.integers(0, 4)) if some(0.2) else None,
        groups=[pair()] if len(columns) > 1 and some(0.2) else [],
    )


def _one_missing_each(columns: list[str], sides: list[str]) -> list[str]:
    """A column has one such condition, or two would be the same."""
    met: set[str] = set()
    found = []
    for column, side in zip(columns, sides, strict=True):
        found.append("low" if side == "missing" and column in met else side)
        met |= {column} if side == "missing" else set()
    return found


def check(seed: int) -> str:
    """Check one question; return what was proven about it."""
    asked = question(seed)
    expected = asked.best()
    if expected is None:
        with pytest.raises(ParameterError):
            asked.solution()
        return "refused"
    found = asked.solution()
    assert found.status is Status.OPTIMAL, seed
    assert found.loss == pytest.approx(float(expected), abs=1e-7 if asked.mixed else 1e-12), seed
    assert found.lower_bound <= float(expected) + 1e-12, seed
    assert found.gap <= (1e-6 if asked.mixed else 0), seed
    assert_obeys(asked, found.rule_list, seed)
    return "solved"


def assert_obeys(asked: Question, found: RuleList, seed: int) -> None:
    """Read the list that came out, and see whether it obeys."""
    number = {one: place for place, one in enumerate(asked.conditions)}
    rules = [tuple(number[one] for one in rule.conditions) for rule in found.rules]
    said = [int(rule.prediction) for rule in found.rules]  # type: ignore[call-overload]
    wanted, n = asked.asked, len(found.rules)
    assert wanted.obeyed_by(rules), seed
    assert all(wanted.may_predict(*one) for one in zip(rules, said, strict=True)), seed
    fixed = [*enumerate(wanted.first)]
    fixed += [(n - len(wanted.last) + i, one) for i, one in enumerate(wanted.last)]
    for place, (terms, prediction) in fixed:
        assert rules[place] == terms, seed
        assert prediction in (None, said[place]), seed
    own = rules[len(wanted.first) : n - len(wanted.last)]
    assert all(wanted.forbid.isdisjoint(terms) for terms in own), seed


def test_the_best_list_that_obeys_is_found() -> None:
    met = [check(seed) for seed in range(500)]
    assert met.count("solved") > 250


def test_pairs_may_be_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_rules, "_FEW", 0)
    met = [check(seed) for seed in range(500, 800)]
    assert met.count("solved") > 150


@pytest.mark.parametrize("n_looks", range(4))
def test_ctrl_c_returns_the_best_list_so_far(monkeypatch: pytest.MonkeyPatch, n_looks: int) -> None:
    rng = np.random.default_rng(1)
    rows, labels = rng.random((300, 12)) < 0.5, rng.integers(0, 2, 300)
    asked: dict[str, Any] = {"require": ["x3"], "max_rules": 4}
    best = solve(rows, labels, **asked)
    looks, left = ConstrainedSearch._look, iter(range(n_looks))

    def look(*given: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return looks(*given)

    monkeypatch.setattr(ConstrainedSearch, "_look", look)
    stopped = solve(rows, labels, **asked)
    assert stopped.status is Status.INTERRUPTED
    assert stopped.lower_bound <= best.loss <= stopped.loss
    assert "x3" in str(stopped.rule_list)


@pytest.mark.slow
def test_the_best_list_that_obeys_is_found_on_twenty_thousand_tables() -> None:
    starts = range(1000, 21_000, BATCH)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        solved = sum(pool.map(_check_batch, starts))
    assert solved > 10_000


def _check_batch(start: int) -> int:
    return sum(check(seed) == "solved" for seed in range(start, start + BATCH))
