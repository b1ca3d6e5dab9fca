"""Stand-ins are those that leave a list nearly as good, as trying each shows."""

import numpy as np
import pytest

from samrule import solve
from samrule.conditions.stand_ins import stand_ins
from samrule.conditions.weighed_rows import WeighedRows, as_bits
from samrule.objective import Objective
from samrule.rules import Condition, RuleList
from samrule.solver.problem import PackedConditions

N, N_CONDITIONS = 500, 12


def loss(rules: list[int], masks: np.ndarray, codes: np.ndarray, weights: np.ndarray, brier: float):
    """Return what a list costs, computed rule by rule."""
    left, cost = np.ones(N, dtype=bool), 0.0
    for mask in [*masks[rules], np.ones(N, dtype=bool)]:
        of_class = np.bincount(codes[left & mask], weights[left & mask], codes.max() + 1)
        cost += float(Objective(brier).group_cost(of_class.tolist()))
        left &= ~mask
    return cost


@pytest.mark.parametrize("brier", [0.0, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_is_ranked_by_the_list_with_it_in_its_best_place(brier: float, n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    masks = rng.random((N_CONDITIONS, N)) < rng.random((N_CONDITIONS, 1))
    codes = (masks[0] + masks[1] + (rng.random(N) < 0.3)) % n_classes
    weights = rng.integers(1, 4, N).astype(float)
    names = tuple(Condition(f"x{n}", "==", True) for n in range(N_CONDITIONS))
    packed = PackedConditions(as_bits(masks), N, names)
    found = solve(packed, codes, weights=weights, max_rules=3, objective=Objective(brier)).rule_list
    rules = [names.index(one) for rule in found for one in rule.conditions]
    least = np.array(
        [
            min(
                loss([*rules[:place], one, *rules[place + 1 :]], masks, codes, weights, brier)
                for place in range(len(rules))
            )
            for one in range(N_CONDITIONS)
        ]
    )
    chosen = stand_ins(found, Objective(brier), packed, codes, WeighedRows.of(weights))
    near = [n for n in np.argsort(least, kind="stable") if least[n] <= 1.05 * least.min()]
    assert {*near} >= {*rules}
    assert [names.index(one) for one in chosen] == near


def test_a_list_without_rules_has_none() -> None:
    packed = PackedConditions(as_bits(np.ones((1, 2), dtype=bool)), 2, (Condition("x", "==", 1),))
    nothing = solve(packed, [0, 1], max_rules=0).rule_list
    assert isinstance(nothing, RuleList)
    codes = np.array([0, 1])
    assert stand_ins(nothing, Objective(), packed, codes, WeighedRows.of(np.ones(2))) == []
