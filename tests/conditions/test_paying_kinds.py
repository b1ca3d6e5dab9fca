"""Sets and intervals are offered where the list asked for is better with them, and only there."""

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer, constraint_prices, learn
from samrule.conditions import Conditions, ListsWanted
from samrule.objective import Objective
from samrule.rules import Operator

N = 3000
SETS = {Operator.IN, Operator.NOT_IN, Operator.NOT_EQUAL}
ONE_RULE = ListsWanted.of(Objective(), max_rules=1)


def buyers(seed: int = 0) -> tuple[pa.Table, np.ndarray]:
    """Return people of whom those of three cities buy, and those of the middle ages do not."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Bari", "Lima", "Oslo", "Rio", "Roma", "Wien"], N)
    age, income = rng.integers(18, 90, N), rng.integers(0, 100, N)
    buys = np.isin(city, ["Bari", "Lima", "Oslo"]) & ((age < 35) | (age >= 60))
    table = pa.table({"city": city, "age": age, "income": income})
    return table, buys ^ (rng.random(N) < 0.05)


def kinds(conditions: Conditions) -> set[str]:
    ops = {one.op for one in conditions}
    return {
        *(["sets"] if ops & SETS else []),
        *(["intervals"] if Operator.WITHIN in ops else []),
    }


def test_kinds_that_pay_are_offered() -> None:
    table, buys = buyers()
    two_rules = ListsWanted.of(Objective(), max_rules=2)
    assert kinds(Binarizer().fit(table, buys, lists=two_rules)) == {"sets", "intervals"}
    assert kinds(Binarizer().fit(table, buys)) == {"sets", "intervals"}


def test_a_kind_that_does_not_pay_is_not_offered_unless_asked_for() -> None:
    table, _ = buyers()
    # Cities and the middle ages differ, but one cut of the income says all.
    rng = np.random.default_rng(1)
    rich = np.array(table["income"]) >= 50
    of_city = np.isin(np.array(table["city"]), ["Bari", "Lima", "Oslo"])
    buys = rich ^ (rng.random(N) < np.where(of_city, 0.05, 0.15))
    assert kinds(Binarizer().fit(table, buys, lists=ONE_RULE)) == set()
    assert kinds(Binarizer(sets=True).fit(table, buys, lists=ONE_RULE)) == {"sets"}
    plain = Binarizer(sets=False, intervals=False).fit(table, buys, lists=ONE_RULE)
    assert Binarizer().fit(table, buys, lists=ONE_RULE) == plain


def test_what_pays_depends_on_the_loss_and_the_rules_asked_for() -> None:
    table, buys = buyers()
    city = np.isin(np.array(table["city"]), ["Bari", "Lima", "Oslo"])
    rng = np.random.default_rng(2)
    # Nobody buys more often than not, so that errors know no better list than none.
    seldom = rng.random(N) < np.where(city, 0.35, 0.05)
    by_errors, by_brier = (
        Binarizer().fit(table, seldom, lists=ListsWanted.of(Objective(share)))
        for share in (0.0, 1.0)
    )
    assert (kinds(by_errors), kinds(by_brier)) == (set(), {"sets"})
    # Who does not say what is asked for gets what pays by either loss.
    assert kinds(Binarizer().fit(table, seldom)) == {"sets"}
    # One rule cannot ask for cities and ages.
    assert len(kinds(Binarizer().fit(table, buys, lists=ONE_RULE))) < 2


def test_a_few_errors_less_are_no_reason_to_offer_a_kind() -> None:
    table, _ = buyers()
    city, poor = np.array(table["city"]), np.array(table["income"]) < 50

    def offered(more_buy_than_not: int, objective: Objective) -> set[str]:
        """Return the kinds if so many more of the poor of each of three cities buy than do not."""
        rng = np.random.default_rng(3)
        buys = rng.random(N) < np.where(poor, 0.1, 0.9)
        for name in ("Bari", "Lima", "Oslo"):
            people = rng.permutation(np.flatnonzero(poor & (city == name)))
            buys[people] = np.arange(len(people)) < (len(people) + more_buy_than_not) // 2
        lists = ListsWanted.of(objective, max_rules=2)
        return kinds(Binarizer().fit(table, buys, lists=lists))

    # Of some 600 errors a set saves 8 more than a city does, or 100.
    assert offered(4, Objective()) == set()
    assert offered(50, Objective()) == {"sets"}
    # By its Brier score the list is much better with the set.
    assert offered(4, Objective(1.0)) == {"sets"}


def test_learn_says_what_is_asked_for() -> None:
    table, _ = buyers()
    city = np.isin(np.array(table["city"]), ["Bari", "Lima", "Oslo"])
    seldom = np.random.default_rng(2).random(N) < np.where(city, 0.35, 0.05)
    rows = table.append_column("buys", pa.array(seldom))
    assert kinds(learn(rows, "buys", random_state=0).conditions) == set()
    assert kinds(learn(rows, "buys", objective="brier", random_state=0).conditions) == {"sets"}
    # Conjunctions take too long to find on pilot rows: all kinds are used.
    assert "sets" in kinds(learn(rows, "buys", max_terms=2, max_rules=1).conditions)
    # Nor do those lists obey constraints.
    assert "sets" in kinds(learn(rows, "buys", forbid=["age"], random_state=0).conditions)
    (price,) = constraint_prices(rows, "buys", forbid=["age"], random_state=0)
    assert price.least >= 0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_same_again_whatever_the_weights_unit_and_with_several_classes(n_classes: int) -> None:
    table, buys = buyers()
    classes = buys + np.where(np.array(table["income"]) >= 90, n_classes - 2, 0)
    found = Binarizer().fit(table, classes)
    assert "sets" in kinds(found)
    assert found == Binarizer().fit(table, classes)
    assert found == Binarizer().fit(table, classes, np.full(N, 2.0))


def test_weights_decide_which_kinds_pay() -> None:
    table, buys = buyers()
    # Only rows of one city count: which city it is says nothing about them.
    weights = np.where(np.array(table["city"]) == "Bari", 1.0, 1e-6)
    asked = ListsWanted.of(Objective(), max_rules=2)
    assert "sets" in kinds(Binarizer().fit(table, buys, lists=asked))
    assert kinds(Binarizer().fit(table, buys, weights, lists=asked)) <= {"intervals"}


def test_columns_that_keep_their_conditions_are_not_judged() -> None:
    table, _ = buyers()
    rng = np.random.default_rng(1)
    of_city = np.isin(np.array(table["city"]), ["Bari", "Lima", "Oslo"])
    buys = (np.array(table["income"]) >= 50) ^ (rng.random(N) < np.where(of_city, 0.05, 0.15))
    assert kinds(Binarizer(keep=["city"]).fit(table, buys, lists=ONE_RULE)) == {"sets"}
    levels = ["Bari", "Lima", "Oslo", "Rio", "Roma", "Wien"]
    ordered = Binarizer(orders={"city": levels}).fit(table, buys, lists=ONE_RULE)
    assert any(one.op is Operator.IN for one in ordered)
