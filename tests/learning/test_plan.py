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
    loss=0.157, regret=0.0023, disagreement=0.048, parts=4, part_rows=2500, penalties=PENALTIES
)


def rows_for(outlook: Outlook, *, most_rows: int = 10**7, delta: float = 0.03, **asked: float):
    settings = Settings(**{"epsilon": 0.1, "theta": 0.05, **asked})
    task = SimpleNamespace(settings=settings, objective=ERROR, classes=("no", "yes"))
    return plan_module._planned_rows(task, outlook, delta, most_rows)


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
