"""The optimum, the list, the path and the bound, against the oracle on many small tables.

The oracle's answer serves every way to search a table: as it is, with bounds off, with other
kernels and threads, and with a tolerance.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from os import cpu_count
from typing import Any

import numpy as np
import pytest

from samrule import _core
from samrule.solver.solution import Solution, Status
from tests.reference.brute_force import Candidate
from tests.reference.random_tables import SmallTable, best_lists_of, small_table
from tests.solver.solving import solution_of

BATCH = 1000
ALL_BOUNDS = tuple(_core.bound_names())
TOLERANCES = (0.001, 0.05, 0.2, 0.5, 1.0)
# Each bound off in turn: alone, with no good lists at the start that would hide a wrong proof,
# and in the search for conjunctions, which small tables would leave to the tree.
ALSO_OFF = ((), ("lists",), ("lists", "tree"))
SAME_TO_THE_BIT = ("rule_list", "loss", "lower_bound", "path", "status")


@dataclass(frozen=True)
class Best:
    """What the oracle says of a table."""

    rules: list[Candidate]
    loss: float  # Added up as the package does, to be compared to the bit.
    least: float  # The same number, rounded once.
    path: tuple[float, ...]

    @classmethod
    def of(cls, table: SmallTable) -> "Best":
        expected = best_lists_of(table)
        cost, rules = expected[-1]
        errors = int(cost - len(rules) * table.rule_cost)
        return cls(
            rules=rules,
            loss=errors / table.total + float(table.alpha) * len(rules),
            least=float(cost / table.total),
            path=tuple(float(cost / table.total) for cost, _ in expected),
        )


def rules_of(solution: Solution) -> list[Candidate]:
    """Column numbers of each rule, read from the default names x0, x1, ..."""
    return [
        tuple(int(condition.column[1:]) for condition in rule.conditions)
        for rule in solution.rule_list.rules
    ]


def rounding(table: SmallTable) -> float:
    """How far the price of the rules, as searched, can be from that asked for."""
    return 1e-6 * table.max_rules / table.total


def differences(table: SmallTable, best: Best, solution: Solution) -> Iterator[str]:
    """What of a solution without a tolerance is not as the oracle says."""
    claims = {
        "status": (solution.status, Status.OPTIMAL),
        "rules": (rules_of(solution), best.rules),
        "loss": (solution.loss, best.loss),
        "lower bound": (solution.lower_bound, best.loss),
        "path": (solution.path, pytest.approx(best.path, rel=0, abs=rounding(table))),
    }
    for claim, (found, wanted) in claims.items():
        if found != wanted:
            yield f"{claim} is {found}, expected {wanted}"


def broken_promises(
    table: SmallTable, best: Best, solution: Solution, tolerance: float, off: tuple[str, ...]
) -> Iterator[str]:
    """What of a solution with a tolerance cannot be: its bound always holds, its loss is within."""
    if solution.status is Status.OPTIMAL:
        yield from differences(table, best, solution)
        return
    # A list is taken as it is found if nothing need be proven.
    is_searched = tolerance < 1 or "lists" in off
    least_allowed = (1 - tolerance) * solution.loss - 1e-12 - rounding(table)
    promises = {
        "status": solution.status is Status.WITHIN_TOLERANCE,
        "lower bound at most the optimum": solution.lower_bound <= best.least + 1e-12,
        "loss at least the optimum": solution.loss >= best.least - 1e-12,
        "loss within the tolerance": solution.lower_bound >= least_allowed,
        "gap": solution.gap > 0,
        "path of all lengths": len(solution.path)
        == (max(table.max_rules, 1) if is_searched else 1),
    }
    yield from (f"not so: {promise}; {solution}" for promise, kept in promises.items() if not kept)


def unequal(solution: Solution, other: Solution) -> Iterator[str]:
    """What is not the same to the bit."""
    for claim in SAME_TO_THE_BIT:
        if getattr(solution, claim) != getattr(other, claim):
            yield f"{claim} is {getattr(other, claim)}, was {getattr(solution, claim)}"


def check_table(table: SmallTable, rng: np.random.Generator) -> Iterator[str]:
    """Search one table in ways drawn by `rng`; tell in full what is wrong, to be read in a log."""
    best = Best.of(table)
    off = bounds_off(rng)
    machine: dict[str, Any] = {
        "kernels": str(rng.choice(_core.kernel_names())),
        "threads": int(rng.choice([1, 2, 5])),
    }
    tolerance = float(rng.choice(TOLERANCES))

    plain = solution_of(table)
    other = solution_of(table, disabled_bounds=off, **machine)
    roughly = solution_of(table, tolerance=tolerance, disabled_bounds=off)
    again = solution_of(table, tolerance=tolerance, disabled_bounds=off, **machine)
    found = [
        *differences(table, best, plain),
        *unequal(plain, other),
        *broken_promises(table, best, roughly, tolerance, off),
        *unequal(roughly, again),
    ]
    for difference in found:
        yield f"{difference}, without {off}, {machine}, tolerance {tolerance}, for {table}"


def bounds_off(rng: np.random.Generator) -> tuple[str, ...]:
    """One bound in every way there is, all of them, or none but what hides the others."""
    one = rng.integers(len(ALL_BOUNDS) + 2)
    if one == len(ALL_BOUNDS):
        return ALL_BOUNDS
    also = ALSO_OFF[rng.integers(len(ALSO_OFF))]
    return (*ALL_BOUNDS[one : one + 1], *also)


def check_batch(batch: int) -> list[str]:
    rng = np.random.default_rng([2, batch])
    return [
        f"table {number} of batch {batch}: {difference}"
        for number in range(BATCH)
        for difference in check_table(small_table(rng), rng)
    ]


def check_batches(batches: range) -> list[str]:
    # Processes are started afresh: the native module may have threads in this one.
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        return [difference for found in pool.map(check_batch, batches) for difference in found]


def test_every_way_to_search_10_000_small_tables() -> None:
    assert check_batches(range(10)) == []


@pytest.mark.slow
def test_every_way_to_search_40_000_more() -> None:
    assert check_batches(range(1000, 1040)) == []


def test_the_ways_are_all_tried() -> None:
    rng = np.random.default_rng(0)
    drawn = {bounds_off(rng) for _ in range(1000)}
    single = {(bound, *also) for bound in ALL_BOUNDS for also in ALSO_OFF}
    assert drawn == {*single, *ALSO_OFF, ALL_BOUNDS}


def test_a_list_within_tolerance_is_the_same_however_threads_race() -> None:
    """Found by chance: two good lists of single conditions, and the faster thread's was taken."""
    table = small_table(np.random.default_rng(882_190))
    found = {
        str(solution_of(table, tolerance=0.05, disabled_bounds=ALL_BOUNDS, threads=5).rule_list)
        for _ in range(500)
    }
    assert len(found) == 1
