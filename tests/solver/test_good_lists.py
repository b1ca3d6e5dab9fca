"""Near-optimal lists are those that trying all lists finds, in the same order."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from samrule.constraints import Constraints
from samrule.errors import ParameterError
from samrule.objective import Objective
from samrule.rules import Condition
from samrule.solver import solve
from samrule.solver.good_lists import GoodLists, good_lists
from tests.reference.brute_force import Candidate
from tests.reference.good_lists import good_lists_of, judged
from tests.reference.random_tables import Objective as Minimized
from tests.reference.random_tables import (
    SmallTable,
    best_lists_of,
    random_objective,
    small_table,
)

N_TABLES, N_MORE_TABLES = 250, 20_000
WITHIN = ("0", "0.02", "0.1", "0.5", "2")


def enough_to_try_all(rng: np.random.Generator) -> SmallTable:
    """A random table with few enough lists to try them all one by one."""
    table = small_table(rng)
    n_columns = min(table.rows.shape[1], 4)
    max_terms = min(table.max_terms, 2)
    most_rules = 3 if max_terms == 1 else 2
    objective = random_objective(rng, table.n_classes) if rng.random() < 0.4 else Minimized()
    costs = objective.costs or ()
    if any(set(row) == {"0/4"} for row in costs):
        objective = Minimized()  # Rows of a class that costs nothing weigh nothing.
    return replace(
        table,
        rows=table.rows[:, :n_columns],
        max_rules=min(table.max_rules, most_rules),
        max_terms=max_terms,
        objective=objective,
    )


def found_in(table: SmallTable, within: str, **options: object) -> GoodLists:
    objective = table.objective
    costs = objective.costs
    return good_lists(
        table.rows,
        table.codes,
        weights=table.weights,
        classes=range(table.n_classes),
        max_rules=table.max_rules,
        max_terms=table.max_terms,
        regularization=float(table.alpha),
        min_support=float(table.min_support),
        within=float(within),
        objective=Objective(
            brier_share=float(Fraction(objective.brier_share)),
            costs=costs and tuple(tuple(float(Fraction(one)) for one in row) for row in costs),
        ),
        **options,  # type: ignore[arg-type]
    )


def assert_same(
    table: SmallTable,
    lists: GoodLists,
    wanted: Sequence[tuple[Fraction, Sequence[Candidate]]],
    seed: int,
) -> None:
    if table.objective == Minimized():
        assert list(lists.found) == [rules for _, rules in wanted], seed
    # Other costs are rounded in the search, so another list of a kind may stand for it.
    found = [judged(table, rules) for rules in lists.found]
    assert [one and one[0] for one in found] == [cost for cost, _ in wanted], seed
    assert {one and one[1] for one in found} == {
        one and one[1] for one in (judged(table, rules) for _, rules in wanted)
    }, seed


def check_against_oracle(seed: int) -> None:
    rng = np.random.default_rng([seed, 19])
    table, within = enough_to_try_all(rng), str(rng.choice(WITHIN))
    lists = found_in(table, within, threads=int(rng.choice([1, 2, 3])))
    least_cost, _ = best_lists_of(table)[-1]
    wanted = good_lists_of(table, (1 + Fraction(within)) * least_cost)
    assert lists.complete
    assert_same(table, lists, wanted, seed)
    for place, (cost, _) in enumerate(wanted):
        assert lists.rule_list(place)[1] == pytest.approx(float(cost / table.total), abs=1e-12)


def test_all_kinds_of_lists_are_found_in_order() -> None:
    for seed in range(N_TABLES):
        check_against_oracle(seed)


def check_limits_against_oracle(seed: int) -> bool:
    """Compare under random limits on columns; whether they leave the best list out."""
    rng = np.random.default_rng([seed, 21])
    table, within = enough_to_try_all(rng), str(rng.choice(WITHIN))
    n_conditions = table.rows.shape[1]
    columns = [str(one) for one in rng.choice(list("abc"), n_conditions)]
    named = sorted(set(columns))
    limits = Constraints(
        max_columns=int(rng.integers(0, 3)) if rng.random() < 0.5 else None,
        apart=(tuple(named[:2]),) if len(named) > 1 and rng.random() < 0.4 else (),
        at_most=((named[-1], int(rng.integers(0, 3))),) if rng.random() < 0.4 else (),
    )
    conditions = [Condition(column, ">=", place) for place, column in enumerate(columns)]

    def obeys(rules: Sequence[Sequence[int]]) -> bool:
        of_rule = [{columns[term] for term in terms} for terms in rules]
        used = set().union(*of_rule) if of_rule else set()
        return (
            (limits.max_columns is None or len(used) <= limits.max_columns)
            and all(not used >= set(some) for some in limits.apart)
            and all(sum(name in one for one in of_rule) <= n for name, n in limits.at_most)
        )

    lists = found_in(table, within, names=conditions, constraints=limits)
    infinite = Fraction(10**12)
    everything = good_lists_of(table, infinite, obeys)
    wanted = [one for one in everything if one[0] <= (1 + Fraction(within)) * everything[0][0]]
    assert lists.complete
    assert all(obeys(rules) for rules in lists.found), seed
    assert_same(table, lists, wanted, seed)
    return everything[0][0] > best_lists_of(table)[-1][0]


def test_all_kinds_of_lists_that_keep_to_limits_on_columns_are_found_in_order() -> None:
    assert sum(check_limits_against_oracle(seed) for seed in range(N_TABLES)) > 20


def test_two_conditions_that_agree_share_no_opposite() -> None:
    check_limits_against_oracle(2955)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_all_kinds_of_lists_that_keep_to_limits_are_found_in_many_tables(part: int) -> None:
    for seed in range(N_TABLES + part, N_MORE_TABLES // 4, 8):
        check_limits_against_oracle(seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_all_kinds_of_lists_are_found_in_many_tables(part: int) -> None:
    for seed in range(N_TABLES + part, N_MORE_TABLES, 8):
        check_against_oracle(seed)


def test_a_limit_keeps_the_best_and_says_so() -> None:
    for seed in range(100):
        table = enough_to_try_all(np.random.default_rng([seed, 20]))
        everything = found_in(table, "1")
        limit = max(1, len(everything) // 3)
        some = found_in(table, "1", limit=limit)
        assert some.found == everything.found[:limit]
        assert some.complete == (len(everything) <= limit)
        if not some.complete:
            losses = [everything.rule_list(place)[1] for place in range(len(everything))]
            assert sum(loss <= some.complete_up_to for loss in losses) <= limit


def test_the_first_is_the_best_list() -> None:
    rng = np.random.default_rng(5)
    rows = rng.random((400, 12)) < 0.4
    labels = (rows[:, 0] | (rows[:, 1] & rows[:, 2])) ^ (rng.random(400) < 0.1)
    lists = good_lists(rows, labels, within=0.05, max_rules=4)
    best = solve(rows, labels, max_rules=4)
    assert lists.complete
    rule_list, loss = lists.rule_list(0)
    assert rule_list == best.rule_list
    assert loss == pytest.approx(best.loss, rel=1e-12)


def test_four_and_five_rules_are_those_of_other_threads() -> None:
    rng = np.random.default_rng(6)
    rows = rng.random((300, 9)) < 0.4
    labels = (rows[:, 0] | rows[:, 1] & ~rows[:, 2]) ^ (rng.random(300) < 0.15)
    for max_rules in (4, 5):
        one = good_lists(rows, labels, within=0.03, max_rules=max_rules, threads=1)
        many = good_lists(rows, labels, within=0.03, max_rules=max_rules, threads=5)
        assert one.complete
        assert one.found == many.found


def test_out_of_time_nothing_is_claimed() -> None:
    rng = np.random.default_rng(7)
    rows = rng.random((20_000, 120)) < 0.5
    labels = rng.random(20_000) < 0.5
    lists = good_lists(rows, labels, within=0.02, max_rules=5, time_limit=0.05)
    assert not lists.complete
    assert lists.complete_up_to < 0


def test_a_ratio_is_refused() -> None:
    with pytest.raises(ParameterError, match="objective is 'f1'"):
        good_lists(np.eye(2), [0, 1], objective=Objective(positive=1))
