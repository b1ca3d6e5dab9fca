"""Lists of the pilot rows: the best ones, remembered, with the losses that `solve` tells."""

import numpy as np
import pyarrow as pa
import pytest

from samrule import Binarizer
from samrule.conditions.pilot import pilot_of
from samrule.conditions.pilot_lists import BRIER, ListsWanted, PilotLists
from samrule.objective import ERROR, Objective

N = 800
RNG = np.random.default_rng(0)
TABLE = pa.table({"a": RNG.normal(size=N), "b": RNG.integers(0, 9, N), "c": RNG.random(N)})
CODES = ((np.array(TABLE["a"]) > 0.3) & (np.array(TABLE["b"]) > 2)) ^ (RNG.random(N) < 0.1)
WEIGHTS = RNG.integers(1, 4, N).astype(float)


def lists(wanted: ListsWanted) -> PilotLists:
    found = Binarizer(sets=False, intervals=False).fit(TABLE, CODES, WEIGHTS)
    return PilotLists.of(found.by_column, pilot_of(TABLE, CODES, WEIGHTS), wanted)


@pytest.mark.parametrize("objective", [ERROR, BRIER])
def test_losses_of_rows_add_up_to_the_loss_of_the_list(objective: Objective) -> None:
    pilot = lists(ListsWanted(max_rules=3, regularization=0.0))
    found = pilot.best(objective)
    losses = pilot.row_losses(found.rule_list, objective)
    assert np.average(losses, weights=WEIGHTS) == pytest.approx(found.loss)
    assert found.rule_list.n_rules <= 3


def test_a_list_does_without_what_it_is_not_to_use() -> None:
    pilot = lists(ListsWanted())
    rich = pilot.best(ERROR)
    used = {one for rule in rich.rule_list for one in rule.conditions}
    plain = pilot.best(ERROR, used)
    assert plain.loss >= rich.loss
    assert used.isdisjoint(one for rule in plain.rule_list for one in rule.conditions)
    unused = set(pilot.packed.conditions) - used
    assert pilot.best(ERROR, unused) is rich


def test_costs_and_mixtures_are_judged_by_errors_and_brier_score() -> None:
    assert ListsWanted.of(Objective(0.5)).objectives == (ERROR, BRIER)
    assert ListsWanted.of(Objective(positive=1)).objectives == (ERROR, BRIER)
    assert ListsWanted.of(BRIER, max_rules=2) == ListsWanted(2, objectives=(BRIER,))
