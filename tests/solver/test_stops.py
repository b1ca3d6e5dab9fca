"""Searches that are stopped, at any moment: their bounds hold."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count
from typing import Any

import numpy as np
import pytest

from samrule import Status
from tests.reference.random_tables import noisy_table
from tests.solver.solving import solution_of

DISABLED = ([], ["lists"], ["lists", "tree"])
STOPS_PER_BATCH = 100


def wrong_bounds(batch: int) -> list[str]:
    """Stop searches after random amounts of work or time; say which bounds are above the optimum.

    Without good lists at the start most searches have something left to prove when they stop.
    """
    rng = np.random.default_rng([4, batch])
    found, n_stops = [], 0
    while n_stops < STOPS_PER_BATCH:
        table = noisy_table(rng)
        least = solution_of(table).loss
        for stop in random_stops(rng):
            stopped = solution_of(table, **stop)
            n_stops += stopped.status is not Status.OPTIMAL
            if not stopped.lower_bound - 1e-12 <= least <= stopped.loss + 1e-12:
                found.append(f"{stopped}, least loss {least}; {stop}, for {table}")
    return found


def random_stops(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Limits on work and on time, most of them too small."""
    return [
        *(
            {"disabled_bounds": off, "work_limit": int(10 ** rng.uniform(4, 6.5))}
            for off in DISABLED
        ),
        *(
            {"disabled_bounds": off, "time_limit": 10 ** rng.uniform(-4, -2), "threads": threads}
            for off, threads in zip(DISABLED, rng.permutation([1, 2, 3]).tolist(), strict=True)
        ),
    ]


def test_bounds_hold_at_200_random_stops() -> None:
    assert [wrong for batch in (0, 1) for wrong in wrong_bounds(batch)] == []


@pytest.mark.slow
def test_bounds_hold_at_2_000_random_stops() -> None:
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        found = pool.map(wrong_bounds, range(10, 30))
        assert [wrong for batch in found for wrong in batch] == []
