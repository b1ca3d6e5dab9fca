"""What the pilot rows say about samples to come: a guess, but one that leans the right way."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from samrule.learning import plan as plan_module
from samrule.learning.plan import Outlook
from samrule.learning.task import Settings
from samrule.objective import ERROR
from samrule.theory import PairedWeights

PENALTIES = {PairedWeights(4, 5): 0.007, PairedWeights(8, 9): 0.001, PairedWeights(16, 17): 0.0}
ADULT = Outlook(
    loss=0.157,
    regret=0.0023,
    disagreement=0.048,
    part_rows=2500,
    pilot_rows=10_000,
    penalties=PENALTIES,
)


def task_of(n_rows: int, **asked: float):
    settings = Settings(**{"epsilon": 0.1, "theta": 0.05, **asked})
    source = SimpleNamespace(n_rows=n_rows, weights=None)
    return SimpleNamespace(settings=settings, objective=ERROR, classes=("no", "yes"), source=source)


def rows_for(
    outlook: Outlook,
    *,
    most_rows: int = 10**7,
    delta: float = 0.03,
    n_rows: int = 10**9,
    **asked: float,
):
    return plan_module.planned_rows(task_of(n_rows, **asked), outlook, delta, most_rows)


def test_a_sample_looks_better_than_the_table_by_less_the_more_rows_it_has():
    assert ADULT.optimism(2500) == pytest.approx(2 * ADULT.regret)
    assert ADULT.optimism(10_000) == pytest.approx(ADULT.regret)


def test_more_is_asked_of_more_rows():
    loose, medium, strict = (rows_for(ADULT, epsilon=epsilon) for epsilon in (0.5, 0.1, 0.05))
    assert 200 < loose < 1000 < medium < 6500 < strict < 20_000
    assert rows_for(ADULT, delta=0.003) > medium


def test_pairing_pays_where_lists_agree_and_not_where_they_do_not():
    plain = rows_for(replace(ADULT, penalties={}))
    paired = rows_for(ADULT)
    costly = rows_for(replace(ADULT, penalties=dict.fromkeys(PENALTIES, 0.02)))
    assert paired < 0.7 * plain
    assert costly == plain


def test_a_perfect_list_needs_the_fewest_rows_and_one_out_of_reach_none():
    perfect = replace(ADULT, loss=0.0, regret=0.0)
    assert rows_for(perfect) == plan_module.FEWEST_ROWS
    assert rows_for(ADULT, most_rows=1000) is None
    assert rows_for(perfect, most_rows=100) is None


@pytest.mark.parametrize("epsilon", [0.1, 0.05])
def test_rows_that_do_not_repeat_prove_as_much_as_more_that_do(epsilon):
    """As in sampling without replacement: m rows of n are worth m / (1 - m / n)."""
    independent = rows_for(ADULT, epsilon=epsilon)
    n = 20_000
    found = rows_for(ADULT, epsilon=epsilon, n_rows=n, most_rows=n - 1)
    assert found == pytest.approx(independent / (1 + independent / n), rel=0.1)


def test_reserves_prove_a_multiple_and_never_reach_the_whole_table():
    sizes = [plan_module._as_good_as(task_of(20_000), 8000, times) for times in (1, 2, 4)]
    assert sizes == [8000, 11_429, 14_546]
    assert plan_module._as_good_as(task_of(10**9), 8000, 2) == pytest.approx(16_000, abs=1)
    supported = task_of(20_000, min_support=0.1)
    assert plan_module._as_good_as(supported, 8000, 2) == 16_000, "rows that may repeat"
