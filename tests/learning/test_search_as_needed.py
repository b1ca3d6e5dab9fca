"""A search for a proof ends when the bound is good enough, and never proves less for it."""

from dataclasses import replace

import numpy as np
import pytest

from samrule import Status, solve
from samrule.learning.search_as_needed import search_as_needed


def searcher(seed=0, n_rows=600):
    rng = np.random.default_rng(seed)
    columns = rng.random((n_rows, 12)) < 0.4
    labels = np.where(columns[:, 0], 1, columns[:, 1]) ^ (rng.random(n_rows) < 0.25)
    asked = []

    def search(*, tolerance=0.0, most_work=None):
        asked.append((tolerance, most_work))
        return solve(columns, labels, max_rules=3, tolerance=tolerance, work_limit=most_work)

    return search, asked


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.5, 0.9, 0.99, 1.0])
def test_the_bound_that_is_needed_is_proven_if_it_can_be(seed, share):
    search, asked = searcher(seed)
    best = search().loss
    needed = share * best
    # A list that is known, and worse than the best.
    found = search_as_needed(search, 1.2 * best, lambda lower: lower >= needed - 1e-12)
    assert needed * (1 - 1e-3) <= found.lower_bound <= best + 1e-12
    assert found.lower_bound <= found.loss
    assert found.lower_bound >= needed - 1e-4 * best
    if share <= 0.9:
        assert found.status is Status.WITHIN_TOLERANCE
    assert len(asked) <= 5


def test_where_nothing_would_do_little_is_spent():
    search, asked = searcher()
    search_as_needed(search, 0.3, lambda lower: False)
    assert asked == [(0.0, 1e8)]


def test_where_anything_would_do_nothing_must_be_proven():
    search, asked = searcher()
    search_as_needed(search, 0.3, lambda lower: True)
    assert asked[0][0] > 0.99
    assert len(asked) == 1


def test_a_long_search_is_not_made_again_for_a_list_a_little_better():
    search, asked = searcher()
    best = search()
    asked.clear()

    def long_search(*, tolerance=0.0, most_work=None):
        asked.append((tolerance, most_work))
        if most_work is not None:
            first = {"loss": 1.005 * best.loss, "lower_bound": 0.0, "status": Status.WORK_LIMIT}
            return replace(best, **first)
        proven = (1 - tolerance) * best.loss
        return replace(best, lower_bound=proven, status=Status.WITHIN_TOLERANCE)

    needed = 0.7 * best.loss
    found = search_as_needed(long_search, 1.1 * best.loss, lambda lower: lower >= needed)
    assert found.lower_bound >= needed
    assert len(asked) == 2
